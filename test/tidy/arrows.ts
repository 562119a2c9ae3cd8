/**
 * Which package may import which, as the design draws it.
 *
 * Packages that do not exist yet are listed too: their arrows are decided, their code is not
 * written. A package may always import Node itself, except `schema`, which does no I/O.
 */

interface Arrows {
  readonly workspace: readonly string[]
  /** `none`, the package itself, or its sub-path modules too, which its makers call unstable. */
  readonly effect: "none" | "main" | "subpaths"
  readonly node: boolean
}

const schema = "@holdfast/schema"
const protocol = "@holdfast/protocol"
const llm = "@holdfast/llm"
const store = "@holdfast/store"
const recall = "@holdfast/recall"
const foreign = "@holdfast/foreign"
const core = "@holdfast/core"
const server = "@holdfast/server"
const client = "@holdfast/client"
const sdk = "@holdfast/sdk"
const providerSim = "@holdfast/provider-sim"

/** By folder below `packages`. */
const arrows: Readonly<Record<string, Arrows>> = {
  schema: { workspace: [], effect: "main", node: false },
  protocol: { workspace: [schema], effect: "subpaths", node: true },
  llm: { workspace: [schema], effect: "main", node: true },
  store: { workspace: [schema], effect: "main", node: true },
  recall: { workspace: [schema, llm], effect: "main", node: true },
  foreign: { workspace: [schema, llm], effect: "none", node: true },
  core: { workspace: [schema, llm, store, recall], effect: "main", node: true },
  // Handlers name the values that the contract and the runtime share.
  server: { workspace: [schema, protocol, core], effect: "subpaths", node: true },
  codegen: { workspace: [protocol], effect: "subpaths", node: true },
  client: { workspace: [schema, protocol], effect: "subpaths", node: false },
  // Of the contract, the table of what each method takes: embedded calls are read by it too.
  sdk: { workspace: [schema, protocol, client, server, core], effect: "main", node: true },
  "provider-sim": { workspace: [schema], effect: "none", node: true },
  // Knows a Holdfast from outside, as any program does.
  conformance: { workspace: [client], effect: "none", node: true },
  cli: { workspace: [schema, client, sdk, foreign, providerSim], effect: "main", node: true },
  web: { workspace: [client], effect: "none", node: false },
  "adapters/*": { workspace: [recall, sdk], effect: "main", node: true },
}

/** What is wrong with one import, as a sentence, or null. */
export function judgeImport(folder: string, specifier: string): string | null {
  const allowed = arrowsOf(folder)
  if (allowed === undefined) return `packages/${folder} has no row in test/tidy/arrows.ts`
  if (specifier.startsWith("node:")) {
    return allowed.node ? null : `packages/${folder} may not import ${specifier}: it does no I/O`
  }
  const name = packageNameOf(specifier)
  if (name === "effect") return judgeEffect(folder, allowed, specifier)
  if (!name.startsWith("@holdfast/") && name !== "holdfast") return null
  if (allowed.workspace.includes(name)) return null
  return `packages/${folder} may not import ${name} (it may: ${allowed.workspace.join(", ") || "nothing"})`
}

/** `@scope/name/sub` and `name/sub` without their sub-path. */
export function packageNameOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
}

function arrowsOf(folder: string): Arrows | undefined {
  return arrows[folder] ?? (folder.startsWith("adapters/") ? arrows["adapters/*"] : undefined)
}

function judgeEffect(folder: string, allowed: Arrows, specifier: string): string | null {
  if (allowed.effect === "none") return `packages/${folder} may not import effect`
  // `effect/Schema` is a part of the main module; `effect/http-api` is one of the unstable ones.
  const unstable = /^effect\/[a-z]/.test(specifier)
  if (!unstable || allowed.effect === "subpaths") return null
  return `packages/${folder} may not import ${specifier}: unstable modules stay in server, protocol, codegen, client`
}
