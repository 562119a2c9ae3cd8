/** What the calls of each tool touch, and that no path leads out unseen. */
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { beforeEach, expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import { resourcesOf } from "../../src/permission/authorise.ts"
import { hostResources } from "../../src/permission/resources.ts"
import type { Place } from "../../src/permission/verdict.ts"
import {
  applyPatchTool,
  createGlobTool,
  createGrepTool,
  editTool,
  listTool,
  readTool,
  type Tool,
  writeTool,
} from "../../src/tools/index.ts"
import { temporaryDirectory } from "../tools/workspace.ts"
import { judgeCall, permissions } from "./permissions.ts"

let top: string
let place: Place

beforeEach(async () => {
  top = await temporaryDirectory()
  place = { projectRoot: join(top, "app"), directory: join(top, "app/src") }
  await mkdir(join(top, "app/src/deep"), { recursive: true })
  await mkdir(join(top, "other/inner"), { recursive: true })
  await writeFile(join(top, "other/secret.txt"), "secret")
  await writeFile(join(top, "app/src/a.ts"), "a")
  await symlink(join(top, "other/inner"), join(top, "app/src/door"))
  await symlink("../../other/secret.txt", join(top, "app/src/innocent.ts"))
  await symlink(join(top, "other/not-yet"), join(top, "app/src/dangling"))
  await symlink("circle", join(top, "app/src/circle"))
  await symlink("../deep", join(top, "app/src/deep/self"))
})

/** Each as `action path`, from the folder that holds the project. */
const touched = async (tool: Tool, input: Json) => {
  const found = await Effect.runPromise(resourcesOf({ name: tool.name, input }, tool, place))
  return found.map(({ action, resource }) => `${action} ${resource.replace(`${top}/`, "")}`)
}

const withPath: readonly (readonly [tool: Tool, action: string, input: (path: string) => Json])[] = [
  [readTool, "read", (path) => ({ path })],
  [writeTool, "write", (path) => ({ path, content: "" })],
  [editTool, "write", (path) => ({ path, oldText: "a", newText: "b" })],
  [createGrepTool(), "read", (path) => ({ pattern: "x", path })],
  [createGlobTool(), "read", (path) => ({ pattern: "*", path })],
  [listTool, "read", (path) => ({ path })],
  [
    applyPatchTool,
    "write",
    (path) => ({ patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }),
  ],
]

const escapes: readonly (readonly [path: string, target: string])[] = [
  ["../../other/secret.txt", "other/secret.txt"],
  ["deep/../../../other/secret.txt", "other/secret.txt"],
  ["innocent.ts", "other/secret.txt"],
  ["door/new.txt", "other/inner/new.txt"],
  ["deep/../door/x", "other/inner/x"],
  ["dangling", "other/not-yet"],
  ["dangling/below", "other/not-yet/below"],
  ["/etc/passwd", "/etc/passwd"],
  ["circle/x", "app/src/circle/x"],
]

test.each(
  withPath.flatMap(([tool, action, input]) => escapes.map((escape) => ({ tool, action, input, escape }))),
)("[PE2] $tool.name of $escape.0 is outside", async ({ tool, action, input, escape: [path, target] }) => {
  expect(await touched(tool, input(path))).toEqual([`outside ${target}`, `${action} ${target}`])
  const verdict = await judgeCall(
    tool,
    input(path),
    place,
    permissions({ user: ["allow read", "allow write"] }),
  )
  expect(verdict).toMatchObject({ kind: "ask", resources: [{ action: "outside" }] })
})

test.each(withPath)(
  "[PE2] what $name does inside the project is judged there",
  async (tool, action, input) => {
    expect(await touched(tool, input("a.ts"))).toEqual([`${action} app/src/a.ts`])
    expect(await touched(tool, input("../package.json"))).toEqual([`${action} app/package.json`])
    expect(await touched(tool, input("deep/self/new/file.ts"))).toEqual([
      `${action} app/src/deep/new/file.ts`,
    ])
  },
)

test.each(withPath)("[PE1] an input that $name refuses touches nothing", async (tool, _, input) => {
  expect(await touched(tool, input("a\0b"))).toEqual([])
  expect(await touched(tool, { nothing: true })).toEqual([])
})

test("[PE1] judges every path of a patch, both sides of a move included", async () => {
  const patch = [
    "*** Begin Patch",
    "*** Add File: new.ts",
    "+a",
    "*** Update File: a.ts",
    "*** Move to: door/b.ts",
    "*** Delete File: deep/c.ts",
    "*** End Patch",
  ].join("\n")
  expect(await touched(applyPatchTool, { patch })).toEqual([
    "write app/src/new.ts",
    "write app/src/a.ts",
    "outside other/inner/b.ts",
    "write other/inner/b.ts",
    "write app/src/deep/c.ts",
  ])
  expect(await touched(applyPatchTool, { patch: "no patch" })).toEqual([])
})

test("[PE1] asks nobody for an image that the Session has already", async () => {
  expect(await touched(readTool, { path: `media:${"0".repeat(12)}` })).toEqual([])
})

test("[PE1] judges a tool that does not say what it touches by its name", async () => {
  const { resources: _, ...plain } = readTool
  expect(await touched({ ...plain, name: "weather" }, {})).toEqual(["weather "])
})

test.each([
  ["https://example.com/a?b", "example.com"],
  ["https://EXAMPLE.com:8443/", "example.com"],
  ["https://example.com@evil.org/", "evil.org"],
  ["https://evil.org\\@example.com/", "evil.org"],
  ["https://ex\u0430mple.com/", "xn--exmple-4nf.com"],
  ["http://0x7f.1/", "127.0.0.1"],
  ["http://example.com./", "example.com"],
])("[PE1] the host of %s is %s", (url, host) => {
  expect(hostResources(url)).toEqual([{ action: "webfetch", resource: host }])
})
