/** Every module says what it is; folders stay small; only named tests start processes. */
import { dirname, join, normalize } from "node:path"
import { expect, test } from "vitest"
import { isProcessTest } from "../../scripts/suites.ts"
import { importsOf, listFiles, listSources, packageSources } from "./source.ts"
import type { SourceFile } from "./source.ts"

const headerLinesMax = 25
const folderFilesMax = 20
/** Folders that hold material, not modules. */
const material = /\/(fixtures|recordings|generated)(\/|$)/

function headerOf(file: SourceFile): string | null {
  const text = file.text.replace(/^#!.*\n/, "").trimStart()
  return /^(\/\*\*?[\s\S]*?\*\/|(?:\/\/.*\n)+)/.exec(text)?.[0]?.trimEnd() ?? null
}

test("every source file opens with a header that fits a screen", () => {
  const wrong = [...packageSources(), ...listSources("scripts")]
    .filter((file) => !material.test(file.path))
    .flatMap((file) => {
      const header = headerOf(file)
      if (header === null) return [`${file.path} has no header: say what it is and why it is apart.`]
      const lines = header.split("\n").length
      return lines > headerLinesMax
        ? [`${file.path} has a header of ${lines} lines: ${headerLinesMax} at most.`]
        : []
    })
  expect(wrong).toEqual([])
})

test("a folder holds at most 20 files", () => {
  const counts = Map.groupBy(listFiles("packages", "scripts", "test", "examples"), (path) => dirname(path))
  const full = [...counts]
    .filter(([folder, files]) => files.length > folderFilesMax && !material.test(folder))
    .map(([folder, files]) => `${folder} holds ${files.length} files`)
  expect(full, "Make folders of the nouns that share a prefix.").toEqual([])
})

test("only files named *.process.test.ts start processes", () => {
  const files = new Map(listSources("packages", "test").map((file) => [file.path, file]))
  const inTests = (path: string) => /^(packages\/.*?\/)?test\//.test(path)
  const wrong = [...files.keys()]
    .filter((path) => path.endsWith(".test.ts") && !isProcessTest(path))
    .filter((path) => reaches(path, files, inTests, "node:child_process"))
  expect(wrong, "Rename the test to *.process.test.ts, so that its suite knows.").toEqual([])
})

test("what tests run on is bound in test/stage alone", () => {
  const wrong = listSources("packages", "test")
    .filter(({ path }) => /^(packages\/.*?\/)?test\//.test(path) && !path.startsWith("test/stage/"))
    .filter(({ text }) => /\b(makeRuntime|openHost)\(/.test(text))
    .map(({ path }) => path)
  expect(wrong, "Open it by startRuntime or useHost of test/stage.").toEqual([])
})

/** Whether a test, or what it shares with other tests, imports a module. */
function reaches(
  path: string,
  files: ReadonlyMap<string, SourceFile>,
  follows: (path: string) => boolean,
  wanted: string,
  seen = new Set<string>(),
): boolean {
  const file = files.get(path)
  if (file === undefined || seen.has(path) || !follows(path)) return false
  seen.add(path)
  return importsOf(file).some((specifier) => {
    if (specifier === wanted) return true
    if (!specifier.startsWith(".")) return false
    return reaches(normalize(join(dirname(path), specifier)), files, follows, wanted, seen)
  })
}
