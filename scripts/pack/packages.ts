/**
 * What is published, and how an installed package differs from its folder in the workspace.
 *
 * In the workspace a package is its sources, and its dependencies are its neighbours, which no
 * registry has. Installed, it is one bundle that holds them, with types beside it.
 */
import { join } from "node:path"
import { type Entries, imageEngine, terminalHost, terminalPackages, writerThread } from "../bundle.ts"
import { repositoryRoot } from "../command.ts"

export interface Published {
  /** Below `packages`. */
  readonly folder: string
  readonly entries: Entries
  /** Packages that stay dependencies, or optional ones as the workspace says; the others are bundled. */
  readonly external: readonly string[]
  /** Folders and files of the package that are taken as they are. */
  readonly copies: readonly string[]
  /** Fields of the installed manifest beyond what the workspace says. */
  readonly manifest: Readonly<Record<string, unknown>>
  /** The module whose declarations are the types of the package. */
  readonly types?: string
}

/** The fields of a manifest that are read here. */
interface WorkspaceManifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly type: string
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const source = (path: string): string => join(repositoryRoot, "packages", path)

/** A library runs on the Node of its program, and has only its index. */
const library = (folder: string) => ({
  engines: { node: ">=26" },
  exports: { ".": { types: `./types/${folder}/index.d.ts`, default: "./dist/index.js" } },
})

export const published: readonly Published[] = [
  {
    folder: "cli",
    entries: { main: source("cli/src/main.ts"), ...writerThread, ...terminalHost },
    external: [imageEngine, ...terminalPackages],
    copies: ["bin", "README.md"],
    // The launcher starts on an old Node and brings a recent one.
    manifest: { engines: { node: ">=16" } },
  },
  {
    folder: "sdk",
    entries: { index: source("sdk/src/index.ts"), ...writerThread, ...terminalHost },
    // Its types speak of Effect, so the package has to be there anyway.
    external: ["effect", imageEngine, ...terminalPackages],
    copies: ["README.md"],
    manifest: library("sdk"),
    types: "sdk/src/index.ts",
  },
  {
    folder: "client",
    entries: { index: source("client/src/index.ts") },
    external: [],
    copies: ["README.md"],
    // Everything it needs is in a browser, and in every Node that is still kept up.
    manifest: { ...library("client"), engines: { node: ">=20.3" } },
    types: "client/src/index.ts",
  },
  {
    folder: "provider-sim",
    entries: { index: source("provider-sim/src/index.ts") },
    external: [],
    copies: ["README.md"],
    manifest: library("provider-sim"),
    types: "provider-sim/src/index.ts",
  },
]

/** The manifest of the installed package: no workspace in it, and no script. */
export function installedManifest(workspace: WorkspaceManifest, one: Published): Record<string, unknown> {
  const { name, version, description, license, type, bin, optionalDependencies } = workspace
  const kept = Object.entries(workspace.dependencies ?? {}).filter(([dependency]) =>
    one.external.includes(dependency),
  )
  return {
    name,
    version,
    description,
    license,
    type,
    ...one.manifest,
    ...(bin === undefined ? {} : { bin }),
    ...(kept.length === 0 ? {} : { dependencies: Object.fromEntries(kept) }),
    ...(optionalDependencies === undefined ? {} : { optionalDependencies }),
  }
}
