/** AU1: no secret of any shape is found in what is known of a project, whoever brought it there and however it is read. */
import { existsSync, readFileSync } from "node:fs"
import { afterEach, expect, test } from "vitest"
import { positives } from "../../../packages/core/test/secrets/samples.ts"
import { projectDirectory } from "../../stage/virtual.ts"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const location = { directory: projectDirectory, projectRoot: projectDirectory }
const said = (n: number, text: string): string => `walrus number${n} has: ${text}`

function bringAll(): void {
  const session = stage.create()
  for (const [n, { text }] of positives.entries()) {
    const words = said(n, text)
    stage.ask((runtime) =>
      runtime.changeMemory(location, {
        change: "write",
        category: "CONSTRAINTS",
        text: words,
        expiresAt: null,
        supersedes: [],
      }),
    )
    stage.ask((runtime) =>
      runtime.changeProjectNote(location, { change: "write", text: words, condition: words }),
    )
    stage.prompt(session, words, { resume: false })
  }
  stage.resume(session)
}

/** As bytes of text and as a value of JSON, which is how the store writes records. */
const spellings = (secret: string): readonly string[] => [secret, JSON.stringify(secret).slice(1, -1)]
const leaked = (text: string): readonly string[] =>
  positives.flatMap(({ kind, secrets }) =>
    secrets.some((secret) => spellings(secret).some((one) => text.includes(one))) ? [kind] : [],
  )

test("[AU1 MM1 NT1] no shape of a secret is in the file of the store, in what a search shows, or in what is exported", () => {
  expect(positives.length).toBeGreaterThanOrEqual(30)
  stage = new Stage()
  bringAll()
  const found = positives.map((_, n) =>
    stage.ask((runtime) => runtime.search({ text: `walrus number${n}`, projectRoot: projectDirectory })),
  )
  for (const { found: places, also = [] } of found) {
    expect(places.length).toBeGreaterThan(0)
    expect(new Set(also.map(({ kind }) => kind))).toEqual(new Set(["memory"]))
  }
  expect(leaked(JSON.stringify(found))).toEqual([])
  const exported = stage.ask((runtime) => runtime.memories(location, { limit: 1_000 }))
  expect(exported).toHaveLength(positives.length)
  expect(leaked(exported.map(({ text }) => text).join("\n"))).toEqual([])
  const file = stage.disk.file()
  const bytes = [file, `${file}-wal`].filter(existsSync).map((one) => readFileSync(one, "latin1"))
  expect(bytes.join("\n")).toContain("walrus number0 has: ")
  expect(leaked(bytes.join("\n"))).toEqual([])
})
