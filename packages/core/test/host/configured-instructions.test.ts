/** Instruction files that settings name: their order, their patterns, and where they may lie (IN4). */
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { observe } from "../../src/context/index.ts"
import { readProjectFile, readUserFile } from "../../src/config/decode.ts"
import { nothingAllowed } from "../../src/host/permissions.ts"
import { makeSamples } from "../../src/host/samples.ts"
import { type FilePlace, makeFilePlace } from "../agent/place.ts"

const pathsOf = (
  { configDirectory, project, root }: FilePlace,
  instructions: readonly string[],
  disableProject = false,
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const settings = { configDirectory, timeZone: null, disableProject, instructions }
        const samples = yield* makeSamples([], settings, nothingAllowed)
        const location = { directory: project, projectRoot: project }
        const { context } = yield* samples.sample(location, "build")
        const { entries } = yield* observe(context)
        const text = JSON.stringify(entries.map(({ loaded }) => loaded))
        return [...text.matchAll(/"path":"([^"]*)"/g)].map(([, path = ""]) => path.replace(`${root}/`, ""))
      }),
    ),
  )

test("[IN1 IN4] configured files follow the found ones: the user's, the project's, then what patterns find by path", async () => {
  await using place = await makeFilePlace()
  await place.write("config/AGENTS.md", "global")
  await place.write("config/style.md", "style")
  await place.write("shared/team.md", "team")
  await place.write("project/AGENTS.md", "root")
  await place.write("project/docs/b.md", "b")
  await place.write("project/docs/a.md", "a")
  await place.write("project/guide.md", "guide")
  await place.write("project/holdfast.jsonc", '{ "instructions": ["docs/*.md", "guide.md", "absent.md"] }')
  const own = ["style.md", join(place.root, "shared/*.md")]
  expect(await pathsOf(place, own)).toEqual([
    "config/AGENTS.md",
    "project/AGENTS.md",
    "config/style.md",
    "project/guide.md",
    "project/docs/a.md",
    "project/docs/b.md",
    "shared/team.md",
  ])
  expect(await pathsOf(place, own, true)).toEqual(["config/AGENTS.md", "config/style.md", "shared/team.md"])
})

test("[IN4] what a project names stays inside of its root, links included", async () => {
  await using place = await makeFilePlace()
  await place.write("secret.md", "secret")
  await place.link("project/linked.md", join(place.root, "secret.md"))
  await place.link("project/docs/linked.md", join(place.root, "secret.md"))
  await place.write("project/holdfast.jsonc", '{ "instructions": ["linked.md", "docs/*.md"] }')
  expect(await pathsOf(place, [])).toEqual([])
})

test.each(["../secret.md", "/etc/passwd", "~/.ssh/id", "a/../../x", "https://example.com/x.md", "C:/x"])(
  "[IN4 CF1] a project cannot name %s",
  (path) => {
    const { settings, warnings } = readProjectFile(
      "/p/holdfast.jsonc",
      JSON.stringify({ instructions: [path] }),
    )
    expect([settings.instructions, warnings.length]).toEqual([null, 1])
  },
)

test.each(["ftp://example.com/x.md", "https://me:secret@example.com/x.md"])(
  "[IN4 CF1] nobody can name %s",
  (path) =>
    expect(
      readUserFile("/c/holdfast.jsonc", JSON.stringify({ instructions: [path] }), {}).warnings,
    ).toHaveLength(1),
)

test("[IN4 CF1] the user may name any file", () =>
  expect(readUserFile("/c/holdfast.jsonc", '{ "instructions": ["../x.md", "~/y.md"] }', {})).toMatchObject({
    settings: { instructions: ["../x.md", "~/y.md"] },
    warnings: [],
  }))
