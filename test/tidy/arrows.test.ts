/** Packages import only what the design allows, and declare exactly what they import. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { repositoryRoot } from "../../scripts/command.ts"
import { judgeImport, packageNameOf } from "./arrows.ts"
import { importsOf, packageSources, readSource } from "./source.ts"

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const folders = readdirSync(join(repositoryRoot, "packages"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== "adapters")
  .map((entry) => entry.name)

const manifestOf = (folder: string) =>
  JSON.parse(readSource(`packages/${folder}/package.json`).text) as Manifest
const sourcesOf = (folder: string) =>
  packageSources().filter((file) => file.path.startsWith(`packages/${folder}/src/`))

describe("the arrows of the packages", () => {
  test.each(folders)("hold in %s", (folder) => {
    const wrong = sourcesOf(folder).flatMap((file) =>
      importsOf(file)
        .map((specifier) => judgeImport(folder, specifier))
        .filter((problem) => problem !== null)
        .map((problem) => `${file.path}: ${problem}`),
    )
    expect(
      wrong,
      "Move the code to the package that may import it; arrows are in test/tidy/arrows.ts.",
    ).toEqual([])
  })

  test.each(folders)("are declared in the package.json of %s, no more and no less", (folder) => {
    const manifest = manifestOf(folder)
    const sources = sourcesOf(folder)
    if (sources.length === 0) return
    const imported = new Set(
      sources
        .flatMap(importsOf)
        .filter((specifier) => !/^(\.|node:|#)/.test(specifier))
        .map(packageNameOf)
        .filter((name) => name !== manifest.name),
    )
    expect(
      Object.keys(manifest.dependencies ?? {}).sort(),
      `"dependencies" of packages/${folder}/package.json must be what its src imports.`,
    ).toEqual([...imported].sort())
  })

  test("refuse a wrong import, an unstable module and an unknown package", () => {
    expect(judgeImport("schema", "node:fs")).toMatch(/no I\/O/)
    expect(judgeImport("store", "@holdfast/core/session/inbox")).toMatch(/may not import @holdfast\/core/)
    expect(judgeImport("core", "effect/http-api")).toMatch(/unstable/)
    expect(judgeImport("server", "effect/http-api")).toBeNull()
    expect(judgeImport("core", "effect/Schema")).toBeNull()
    expect(judgeImport("provider-sim", "effect")).toMatch(/may not import effect/)
    expect(judgeImport("elsewhere", "effect")).toMatch(/no row/)
  })

  test("are read from every form of import", () => {
    const text = `import a from "a"\nimport type { B } from "b"\nexport * from "c"\nexport { d } from "d"
      const e = await import("e")\ntype F = import("f").F`
    expect(importsOf({ path: "forms.ts", text })).toEqual(["a", "b", "c", "d", "e", "f"])
  })
})
