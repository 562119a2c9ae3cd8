/** What people allowed for a project, in its file: each answer adds to it, and each project has its own. */
import { appendFile, mkdtempDisposable, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { makeSavedApprovals } from "../../src/host/saved-approvals.ts"

const at = (projectRoot: string) => ({ directory: projectRoot, projectRoot })
const npmTest = { action: "bash", resource: "npm test" }
const gitPush = { action: "bash", resource: "git push" }

test("[PE1] what is allowed for a project adds to what was allowed there, and to nothing else", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "holdfast-approvals-"))
  const save = (root: string, resources: readonly (typeof npmTest)[], rules: readonly string[]) =>
    Effect.runPromise(makeSavedApprovals(folder.path).save(at(root), { resources, rules }))
  const of = (root: string) => Effect.runPromise(makeSavedApprovals(folder.path).of(at(root)))
  await save("/a", [npmTest], ["write"])
  await save("/b", [gitPush], [])
  await save("/a", [gitPush, npmTest], ["write", "read"])
  expect(await of("/a")).toEqual({ resources: [npmTest, gitPush], rules: ["write", "read"] })
  expect(await of("/b")).toEqual({ resources: [gitPush], rules: [] })
  expect(await of("/c")).toBeNull()
  expect((await stat(join(folder.path, "approvals.jsonl"))).mode & 0o777).toBe(0o600)
})

test("[PE1] answers of several processes at once are all kept, and a line that cannot be read allows nothing", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "holdfast-approvals-"))
  await appendFile(join(folder.path, "approvals.jsonl"), '{"project":"/a","resources":[],"rules":["*"')
  const rules = Array.from({ length: 30 }, (_, index) => `write(${index})`)
  const processes = rules.map(() => makeSavedApprovals(folder.path))
  const saves = processes.map(({ save }, index) =>
    Effect.runPromise(save(at("/a"), { resources: [], rules: rules.slice(index, index + 1) })),
  )
  await Promise.all(saves)
  const saved = await Effect.runPromise(makeSavedApprovals(folder.path).of(at("/a")))
  expect(new Set(saved?.rules)).toEqual(new Set(rules))
})
