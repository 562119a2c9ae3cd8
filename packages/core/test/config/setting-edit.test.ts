/** A setting written into a file of which everything else stays. */
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import { editSetting, withSetting } from "../../src/config/setting/edit.ts"
import { nodeInstructionFiles } from "../../src/instructions/index.ts"

const text = `{
  // Mine.
  "model": "local/small", // the quick one
  "budget": {
    "tokens": 1000, /* few */
  },
  "providers": {
    "openai": { "models": { "gpt-5.4": { "limit": { "context": 5000, "output": 500 } } } },
  },
}
`

test.each<readonly [string, Json, string, string]>([
  ["model", "local/big", `"local/small"`, `"local/big"`],
  ["budget.tokens", 2000, "1000", "2000"],
  ["providers.openai.models.gpt-5.4.limit.output", 600, `"output": 500`, `"output": 600`],
])("[CF1] %s changes alone, comments and formatting stay", (key, value, from, to) =>
  expect(withSetting(text, { key, value })).toBe(text.replace(from, to)),
)

test("[CF1] a setting is added in the formatting of the file, and taken away", () => {
  const added = withSetting('{\n\t"model": "a/b"\n}\n', { key: "timeZone", value: "UTC" })
  expect(added).toBe('{\n\t"model": "a/b",\n\t"timeZone": "UTC"\n}\n')
  expect(withSetting(String(added), { key: "timeZone", value: null })).toBe('{\n\t"model": "a/b"\n}\n')
  expect(withSetting("", { key: "model", value: "a/b" })).toBe('{\n  "model": "a/b"\n}\n')
})

test.each<readonly [string, string, string]>([
  ["cost.askAbove", '{ "cost": { "askAbove": 1 } }', "{}"],
  ["cost.askAbove", '{ "model": "a/b", "cost": { "askAbove": 1, } }', '{ "model": "a/b" }'],
  ["cache.keepWarm.max", '{ "cache": { "keepWarm": { "max": 1 } } }', "{}"],
  [
    "cache.keepWarm.max",
    '{ "cache": { "lifetime": "5m", "keepWarm": { "max": 1 } } }',
    '{ "cache": { "lifetime": "5m" } }',
  ],
  ["cost.askAbove", '{ "cost": { "askAbove": 1 /* mine */ } }', '{ "cost": { /* mine */ } }'],
  ["cost.askAbove", "", ""],
  ["cost.askAbove", "{}", "{}"],
  ["cost.askAbove", "// Mine.\n", "// Mine.\n"],
  ["cost.askAbove", '{ "cost": {} }', '{ "cost": {} }'],
  ["cost.askAbove", '{ "cost": 5 }', '{ "cost": 5 }'],
  ["cost.askAbove", "[]", "[]"],
])("[CF1] %s is taken out of %j with the section that it leaves empty", (key, before, after) =>
  expect(String(withSetting(before, { key, value: null })).replaceAll(/\s+/g, "")).toBe(
    after.replaceAll(/\s+/g, ""),
  ),
)

test("[CF1] a setting is added behind the comments of a file that has no other", () => {
  expect(withSetting("// Mine.\n", { key: "model", value: "a/b" })).toBe('// Mine.\n{\n  "model": "a/b"\n}\n')
  expect(withSetting("// Mine.", { key: "cost.askAbove", value: 1 })).toContain('// Mine.\n{\n  "cost"')
})

test("[CF1] what is no section holds no setting", () => {
  expect(withSetting('{ "cost": 5 }', { key: "cost.askAbove", value: 1 })).toEqual({
    fault: "cost must be an object to hold cost.askAbove. Take it away first: holdfast config unset cost",
  })
  expect(withSetting("[]", { key: "model", value: "a/b" })).toMatchObject({
    fault: expect.stringContaining("The file must be one object") as string,
  })
})

test("[CF1] a name that is no setting is refused with the nearest one", () =>
  expect(withSetting(text, { key: "timezone", value: "UTC" })).toEqual({
    fault: "timezone is not a setting. Did you mean timeZone?",
  }))

async function makePlace() {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-edit-")))
  const edit = (key: string, value: Json, kind: "user" | "project" = "user") =>
    Effect.runPromise(
      Effect.result(
        editSetting({
          key,
          value,
          kind,
          directory: join(root, kind),
          environment: {},
          readFile: nodeInstructionFiles.read,
        }),
      ),
    )
  await mkdir(join(root, "project"))
  return { root, edit, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

test("[CF1] a value that cannot stand there is refused with what can, without a line of a file that is not written", async () => {
  await using place = await makePlace()
  const file = join(place.root, "user/holdfast.jsonc")
  expect(await place.edit("budget.money", 5)).toEqual(Result.succeed(file))
  const before = await readFile(file, "utf8")
  for (const [key, value, said] of [
    ["budget.money", -1, `${file}: budget.money must be a number, 0 or more. Nothing was written.`],
    ["timeZone", "Mars/Olympus", 'must be a time zone name such as "Europe/Paris". Nothing was written.'],
    ["recall.threshold", "abc", "must be a share of the window, a number between 0.2 and 0.8"],
    ["cache.keepWarm", { max: 2, costMax: 0 }, "dollars above 0 of a Session in all"],
    ["providers.local.wire", "x", "providers.local.wire must be one of"],
  ] as const) {
    const refused = await place.edit(key, value)
    expect(Result.isFailure(refused) && refused.failure.message).toContain(said)
  }
  const forbidden = await place.edit("budget.money", 5, "project")
  expect(Result.isFailure(forbidden) && forbidden.failure.message).toContain("cannot be set by a project")
  expect(await readFile(file, "utf8")).toBe(before)
})

test("[CF1] what is not set is taken away without a file, and what cannot be read is told", async () => {
  await using place = await makePlace()
  expect(await place.edit("cost.askAbove", null)).toEqual(Result.succeed(null))
  await expect(stat(join(place.root, "user"))).rejects.toThrow("ENOENT")
  const file = join(place.root, "user/holdfast.jsonc")
  await mkdir(file, { recursive: true })
  for (const value of [null, 1]) {
    const refused = await place.edit("cost.askAbove", value)
    expect(Result.isFailure(refused) && refused.failure.message).toMatch(/holdfast\.jsonc: .*\.$/)
  }
  await rm(file, { recursive: true })
  await writeFile(file, "// Mine.\n")
  expect(await place.edit("cost.askAbove", null)).toEqual(Result.succeed(null))
  await writeFile(file, '{ "cost": ')
  const broken = await place.edit("cost.askAbove", null)
  expect(Result.isFailure(broken) && broken.failure.message).toContain("The syntax is wrong")
})

test("[CF1 AU1] a file keeps its mode, a new one of the user is private, and a link stays a link", async () => {
  await using place = await makePlace()
  const file = join(place.root, "user/holdfast.jsonc")
  await place.edit("model", "a/b")
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const shared = join(place.root, "dotfile")
  await writeFile(shared, "{}")
  await chmod(shared, 0o640)
  await rm(file)
  await symlink(shared, file)
  expect(await place.edit("model", "a/c")).toEqual(Result.succeed(shared))
  expect((await stat(shared)).mode & 0o777).toBe(0o640)
  expect((await lstat(file)).isSymbolicLink()).toBe(true)
  await symlink(shared, join(place.root, "project/holdfast.jsonc"))
  const escaped = await place.edit("model", "a/d", "project")
  expect(Result.isFailure(escaped) && escaped.failure.message).toContain("leads out of the project")
})
