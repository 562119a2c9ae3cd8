/**
 * `npm run pack -- --to DIR`: the tarballs that users install, in the folder DIR.
 *
 * Everything is built in a temporary folder; the working tree stays as it is and nothing is
 * published. `npm pack` in a package's own folder would not do: there it is sources that import
 * their neighbours in the workspace.
 */
import { execFile } from "node:child_process"
import { cp, mkdir, mkdtempDisposable, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs, promisify } from "node:util"
import { buildBundle } from "./bundle.ts"
import { repositoryRoot } from "./command.ts"
import { compileEagerly } from "./eager.ts"
import { collectDeclarations, emitDeclarations } from "./pack/declarations.ts"
import { noticesOf } from "./pack/notices.ts"
import { installedManifest, published, type Published, typesFolder } from "./pack/packages.ts"

interface Tarball {
  readonly name: string
  readonly file: string
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly files: readonly string[]
}

const start = promisify(execFile)

async function pack(target: string): Promise<readonly Tarball[]> {
  await mkdir(target, { recursive: true })
  await using stage = await mkdtempDisposable(join(tmpdir(), "holdfast-pack-"))
  const declarations = join(stage.path, "declarations")
  await emitDeclarations(declarations)
  const tarballs: Tarball[] = []
  for (const one of published) {
    const folder = join(stage.path, one.folder)
    await stagePackage(one, folder, declarations)
    tarballs.push(await makeTarball(folder, target))
  }
  return tarballs
}

/** The folder as it will be installed. */
async function stagePackage(one: Published, folder: string, declarations: string): Promise<void> {
  const origin = join(repositoryRoot, "packages", one.folder)
  const bundled = await buildBundle({
    entries: one.entries,
    target: join(folder, "dist"),
    external: one.external,
    ...(one.files && { files: one.files }),
  })
  for (const path of one.copies) await cp(join(origin, path), join(folder, path), { recursive: true })
  await cp(join(repositoryRoot, "LICENSE"), join(folder, "LICENSE"))
  const notices = noticesOf(bundled)
  if (notices !== null) await writeFile(join(folder, "THIRD-PARTY-LICENSES"), notices)
  for (const [entry, module] of Object.entries(one.types ?? {}))
    await collectDeclarations(declarations, module, join(folder, typesFolder(entry)))
  const workspace = JSON.parse(await readFile(join(origin, "package.json"), "utf8")) as never
  await writeFile(
    join(folder, "package.json"),
    `${JSON.stringify(installedManifest(workspace, one), null, 2)}\n`,
  )
  if (one.isCommand === true) await compileEagerly(join(folder, "dist"))
}

async function makeTarball(folder: string, target: string): Promise<Tarball> {
  const request = ["pack", "--json", "--ignore-scripts", "--pack-destination", target, folder]
  const { stdout } = await start("npm", request, { cwd: folder, shell: process.platform === "win32" })
  const [made] = JSON.parse(stdout) as readonly {
    readonly name: string
    readonly filename: string
    readonly size: number
    readonly unpackedSize: number
    readonly files: readonly { readonly path: string }[]
  }[]
  if (made === undefined) throw new Error("npm pack made nothing.")
  return {
    name: made.name,
    file: join(target, made.filename),
    packedBytes: made.size,
    unpackedBytes: made.unpackedSize,
    files: made.files.map(({ path }) => path),
  }
}

if (import.meta.main) {
  const target = targetOf(process.argv.slice(2))
  if (target === null) {
    console.error("Say where the tarballs go: npm run pack -- --to DIR")
    process.exitCode = 2
  } else {
    for (const { file, packedBytes, unpackedBytes, files } of await pack(resolve(target))) {
      console.log(`${file}  ${kib(packedBytes)} packed, ${kib(unpackedBytes)} in ${files.length} files`)
    }
  }
}

/** The value of `--to`; null where it is missing, or another word stands there. */
function targetOf(args: readonly string[]): string | null {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { to: { type: "string" } },
    strict: false,
  })
  const given = Object.keys(values).length === 1 && positionals.length === 0
  return given && typeof values.to === "string" && values.to !== "" ? values.to : null
}

function kib(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KiB`
}
