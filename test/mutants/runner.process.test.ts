/** The runner of mutants, on a project of three files. Starts vitest, hence a process test. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { repositoryRoot } from "../../scripts/command.ts"
import { runMutants } from "../../scripts/mutants/run.ts"
import type { Mutant } from "./mutants.ts"

const project = mkdtempSync(join(tmpdir(), "holdfast-mutant-project-"))
const source = `export const isFull = (count: number, countMax: number) => count >= countMax\n`

/** The test reaches the package by its name, so a link to the original would let mutants survive. */
const files: Readonly<Record<string, string>> = {
  "package.json": `{ "type": "module" }`,
  "packages/bag/package.json": `{ "name": "@project/bag", "type": "module", "exports": "./src/bag.ts" }`,
  "packages/bag/src/bag.ts": source,
  "packages/bag/test/bag.test.ts": [
    `import { isFull } from "@project/bag"`,
    `import { expect, test } from "vitest"`,
    `test("[AA1] is full at its maximum", () => expect(isFull(3, 3)).toBe(true))`,
    `test("[AA2, AA3] is not full below it", () => expect(isFull(2, 3)).toBe(false))`,
  ].join("\n"),
}

const mutant = (
  name: string,
  rules: readonly string[],
  replace: string,
  more: Partial<Mutant> = {},
): Mutant => ({
  name,
  rules,
  file: "packages/bag/src/bag.ts",
  find: "count >= countMax",
  replace,
  run: { files: ["packages/bag/test/bag.test.ts"] },
  ...more,
})

beforeAll(() => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  mkdirSync(join(project, "node_modules/@project"), { recursive: true })
  symlinkSync("../../packages/bag", join(project, "node_modules/@project/bag"))
  symlinkSync(join(repositoryRoot, "node_modules/vitest"), join(project, "node_modules/vitest"))
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

test("tells caught, surviving, broken and unfit mutants apart", async () => {
  const results = await runMutants(
    project,
    [
      mutant("caught", ["AA1"], "count > countMax"),
      mutant("caught-twice", ["AA2", "AA3"], "true"),
      mutant("equal", ["AA1"], "!(count < countMax)"),
      mutant("other-rule", ["AA2"], "count > countMax"),
      mutant("half", ["AA1", "AA2"], "count > countMax"),
      mutant("does-not-load", ["AA1"], "count >=> countMax"),
      mutant("text-is-gone", ["AA1"], "true", { find: "count === countMax" }),
      mutant("text-twice", ["AA1"], "true", { find: "countMax" }),
      mutant("never-cited", ["AA9"], "true"),
    ],
    2,
  )
  const verdicts = Object.fromEntries(results.map((result) => [result.mutant.name, result.verdict]))
  expect(verdicts).toEqual({
    caught: "caught",
    "caught-twice": "caught",
    equal: "survived",
    "other-rule": "survived",
    half: "survived",
    "does-not-load": "broken",
    "text-is-gone": "unfit",
    "text-twice": "unfit",
    "never-cited": "unfit",
  })
  const detail = results.find((result) => result.mutant.name === "caught")?.detail
  expect(detail).toBe("[AA1] is full at its maximum")
  expect(readFileSync(join(project, "packages/bag/src/bag.ts"), "utf8")).toBe(source)
})
