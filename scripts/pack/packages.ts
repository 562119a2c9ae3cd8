/**
 * What is published, and how an installed package differs from its folder in the workspace.
 *
 * In the workspace a package is its sources, and its dependencies are its neighbours, which no
 * registry has. Installed, it is one bundle that holds them, with types beside it.
 */
import { join } from "node:path"
import {
  bashGrammar,
  docsPage,
  embeddingPackages,
  embeddingWorker,
  type Entries,
  imageEngine,
  searchProgram,
  terminalHost,
  terminalPackages,
  writerThread,
} from "../bundle.ts"
import { repositoryRoot } from "../command.ts"

export interface Published {
  /** Below `packages`. */
  readonly folder: string
  readonly entries: Entries
  /** Each use of it starts a process. */
  readonly isCommand?: boolean
  /** Packages that stay dependencies, or optional ones as the workspace says; the others are bundled. */
  readonly external: readonly string[]
  /** Files of other packages that come along with the bundle. */
  readonly files?: Entries
  /** Folders and files of the package that are taken as they are. */
  readonly copies: readonly string[]
  /** Fields of the installed manifest beyond what the workspace says. */
  readonly manifest: Readonly<Record<string, unknown>>
  /** Modules whose declarations are the types of the package, by the name of their entry. */
  readonly types?: Entries
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

/** Where the types of an entry lie. Each has files of its own: what two entries reach of a module may differ. */
export const typesFolder = (entry: string): string => (entry === "index" ? "types" : `types/${entry}`)

/** A library runs on the Node of its program, and has its index and perhaps a form for Effect. */
const library = (folder: string, ...entries: readonly string[]) => ({
  engines: { node: ">=26" },
  exports: Object.fromEntries(
    ["index", ...entries].map((entry) => [
      entry === "index" ? "." : `./${entry}`,
      { types: `./${typesFolder(entry)}/${folder}/${entry}.d.ts`, default: `./dist/${entry}.js` },
    ]),
  ),
})

export const published: readonly Published[] = [
  {
    folder: "cli",
    isCommand: true,
    entries: { main: source("cli/src/main.ts"), ...writerThread, ...terminalHost, ...embeddingWorker },
    external: [imageEngine, searchProgram, ...terminalPackages, ...embeddingPackages],
    files: { ...docsPage, ...bashGrammar },
    copies: ["bin", "README.md", "holdfast.schema.json"],
    // The launcher starts on an old Node and brings a recent one.
    manifest: { engines: { node: ">=16" } },
  },
  {
    folder: "sdk",
    entries: {
      index: source("sdk/src/index.ts"),
      effect: source("sdk/src/effect.ts"),
      ...writerThread,
      ...terminalHost,
      ...embeddingWorker,
    },
    // Its types speak of Effect, so the package has to be there anyway.
    external: ["effect", imageEngine, searchProgram, ...terminalPackages, ...embeddingPackages],
    files: { ...docsPage, ...bashGrammar },
    copies: ["README.md"],
    manifest: library("sdk", "effect"),
    types: { index: "sdk/src/index.ts", effect: "sdk/src/effect.ts" },
  },
  {
    folder: "client",
    entries: { index: source("client/src/index.ts"), effect: source("client/src/effect.ts") },
    external: ["effect"],
    copies: ["README.md"],
    manifest: {
      ...library("client", "effect"),
      // Everything it needs is in a browser, and in every Node that is still kept up.
      engines: { node: ">=20.3" },
      // Only the form for Effect asks for it.
      dependencies: {},
      peerDependencies: { effect: "^4.1.0" },
      peerDependenciesMeta: { effect: { optional: true } },
    },
    types: { index: "client/src/index.ts", effect: "client/src/effect.ts" },
  },
  {
    folder: "provider-sim",
    entries: { index: source("provider-sim/src/index.ts") },
    external: [],
    copies: ["README.md"],
    manifest: library("provider-sim"),
    types: { index: "provider-sim/src/index.ts" },
  },
  {
    folder: "conformance",
    entries: { index: source("conformance/src/index.ts"), main: source("conformance/src/main.ts") },
    external: [],
    copies: ["bin", "README.md"],
    // What it brings along is the client, and what Node itself has.
    manifest: { ...library("conformance"), engines: { node: ">=22.3" } },
    types: { index: "conformance/src/index.ts" },
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
    ...(kept.length === 0 ? {} : { dependencies: Object.fromEntries(kept) }),
    ...one.manifest,
    ...(bin === undefined ? {} : { bin }),
    ...(optionalDependencies === undefined ? {} : { optionalDependencies }),
  }
}
