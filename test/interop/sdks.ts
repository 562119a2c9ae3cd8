/**
 * Software development kits of providers, installed apart from this repository: a folder that
 * `HOLDFAST_SDKS` names holds their newest versions.
 *
 *   mkdir sdks && cd sdks && npm init -y && npm install @anthropic-ai/sdk@latest openai@latest …
 *
 * Nothing here is typed by them: they are loaded where they are there, and spoken to as their
 * documentation says.
 */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/** What is asked of one kit; each resolves with what it has read. */
export interface Kit {
  readonly packages: readonly string[]
  readonly connect: (load: (name: string) => Loaded, url: string) => Client
}

// oxlint-disable-next-line typescript/no-explicit-any -- the kits are not here to be typed by
export type Loaded = any

export interface Client {
  readonly text: (model: string) => Promise<string>
  readonly streamed: (model: string) => Promise<string>
  /** Asks, runs the tool that is called, and gives the result back. */
  readonly toolLoop: (model: string, run: (input: unknown) => string) => Promise<string>
  readonly image: (model: string, png: string) => Promise<string>
  /** Thinks, calls a tool, and goes on with what it was given back. */
  readonly reasoning: (model: string, run: (input: unknown) => string) => Promise<string>
  /** Asks a model that is not there; resolves with the status that was told. */
  readonly failure: () => Promise<number | undefined>
}

const folder = process.env["HOLDFAST_SDKS"]

/** Why a kit cannot be asked, or nothing if it can. */
export function missing({ packages }: Kit): string | undefined {
  if (process.env["HOLDFAST_INTEROP"] !== "1") return "the kits are asked by `npm run prove` only"
  if (folder === undefined) return "HOLDFAST_SDKS names no folder with the kits of providers"
  const absent = packages.find((name) => !existsSync(join(folder, "node_modules", name)))
  return absent === undefined ? undefined : `${absent} is not installed in ${folder}`
}

export function loadKit(name: string): Loaded {
  return createRequire(join(folder ?? "", "package.json"))(name) as Loaded
}

export const versionOf = (name: string): string =>
  (
    JSON.parse(readFileSync(join(folder ?? "", "node_modules", name, "package.json"), "utf8")) as {
      version: string
    }
  ).version
