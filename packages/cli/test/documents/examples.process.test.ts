/** The programs that a newcomer runs first do run, and are the ones that the README shows. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { makePlace } from "../place.ts"

const root = join(import.meta.dirname, "../../../..")
const folder = join(root, "examples")
const first = "01-first-session.ts"
const linesMax = 40

/** What each example prints, beside what it checks itself. */
const printed: Readonly<Record<string, RegExp>> = {
  [first]: /^done: .*Greeter/,
  "02-steer-and-queue.ts": /steered · continue · done · queued/,
  "03-kill-and-carry-on.ts": /^done: .*Outcome unknown/,
  "04-durable-events.ts": /9 call\.started\n… the reader was away …\n10 call\.settled/,
  "05-changed-instructions.ts": /one Baseline; rebuilt: same, same/,
  "06-a-failing-provider.ts": /^done, attempts: 2\. \nfailed, attempts: 1\. /,
}

test.each(["README.md", "packages/sdk/README.md"])("%s shows the first example as it is", (path) => {
  const readme = readFileSync(join(root, path), "utf8")
  const shown = /```ts\n([\s\S]*?)```/.exec(readme)?.[1]
  expect(shown).toBe(readFileSync(join(folder, first), "utf8"))
})

test("each example is here, fits a screen and needs only what is published", () => {
  expect(readdirSync(folder).sort()).toEqual(Object.keys(printed).sort())
  for (const name of Object.keys(printed)) {
    const text = readFileSync(join(folder, name), "utf8")
    const imported = [...text.matchAll(/ from "([^"]+)"/g)].map(([, source]) => source)
    expect(text.trimEnd().split("\n").length, name).toBeLessThanOrEqual(linesMax)
    for (const source of imported) expect(source, name).toMatch(/^(node:.+|@holdfast\/(sdk|provider-sim))$/)
  }
})

describe("runs and checks itself:", () => {
  test.each(Object.entries(printed))("%s", async (name, expected) => {
    await using place = await makePlace()
    const { code, out, err } = await place.run([], { program: join(folder, name) })
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(expected)
  })
})
