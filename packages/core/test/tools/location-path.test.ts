/** Paths that no system takes: refused before anything is made, since folder by folder they could be. */
import { readdir } from "node:fs/promises"
import { expect, test } from "vitest"
import { writeTool } from "../../src/tools/write.ts"
import { runTool, temporaryDirectory } from "./workspace.ts"

test.each([
  ["by itself", () => "b/".repeat(2_100)],
  ["from the root on", (root: string) => "b/".repeat((4_095 - root.length) / 2 + 1)],
])("[PE2] a path that is too long %s is refused, and nothing is made of it", async (_, pathIn) => {
  const root = await temporaryDirectory()
  const { failure } = await runTool(writeTool, { path: `${pathIn(root)}c`, content: "c" }, root)
  expect([failure?.code, failure?.message]).toEqual([
    "path_too_long",
    expect.stringContaining("is too long: a path has at most 4095 bytes"),
  ])
  expect(await readdir(root)).toEqual([])
})
