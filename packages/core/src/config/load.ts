/**
 * Loading: finds the configuration files and the providers that the environment alone provides.
 *
 * Files come through a port that only reads, so a repeat is safe. A file that is not there sets
 * nothing; one that cannot be read, or is not what it should be, stops the program with its line.
 */
import { join } from "node:path"
import { Effect, Result } from "effect"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import type { FileContent } from "../instructions/index.ts"
import { readProjectFile, type ReadSettings, readUserFile } from "./decode.ts"
import { findUrlFault } from "./decode-provider.ts"
import type { Environment } from "./directories.ts"
import { configurationInvalid, firstFault, placed } from "./document.ts"
import { findProvider, knownNames } from "./known-providers.ts"
import { mergeSettings, noSettings, type ProviderSettings, type Settings } from "./settings.ts"

export type ReadFile = (path: string) => Effect.Effect<FileContent>

export const fileNames = ["holdfast.jsonc", "holdfast.json"]

export interface LoadedSettings {
  readonly settings: Settings
  /** A sentence each, with file and line; what they speak of is left out (CF1). */
  readonly warnings: readonly string[]
}

/** The user's settings: their file over what the environment provides. */
export const loadUserSettings = Effect.fnUntraced(function* (
  directory: string,
  environment: Environment,
  readFile: ReadFile,
): Effect.fn.Return<LoadedSettings, ConfigurationInvalid> {
  const provided = yield* Effect.fromResult(environmentSettings(environment))
  const found = yield* loadFile(directory, readFile, (file, text) => readUserFile(file, text, environment))
  return { ...found, settings: mergeSettings(provided, found.settings) }
})

/** What the file in a project root may set, and sets. */
export const loadProjectSettings = (
  projectRoot: string,
  readFile: ReadFile,
): Effect.Effect<LoadedSettings, ConfigurationInvalid> => loadFile(projectRoot, readFile, readProjectFile)

const loadFile = Effect.fnUntraced(function* (
  directory: string,
  readFile: ReadFile,
  read: (file: string, text: string) => ReadSettings,
): Effect.fn.Return<LoadedSettings, ConfigurationInvalid> {
  const found = yield* findFile(directory, readFile)
  if (found === null) return { settings: noSettings, warnings: [] }
  const { settings, fields, warnings } = read(found.file, found.text)
  const fault = firstFault(fields.document)
  if (fault !== null) return yield* fault
  return { settings, warnings: warnings.map((warning) => placed(found.file, warning)) }
})

interface FoundFile {
  readonly file: string
  readonly text: string
}

export const findFile = Effect.fnUntraced(function* (
  directory: string,
  readFile: ReadFile,
): Effect.fn.Return<FoundFile | null, ConfigurationInvalid> {
  const found: FoundFile[] = []
  const files = fileNames.map((name) => join(directory, name))
  // Side by side, since turns wait for it.
  const contents = yield* Effect.forEach(
    files,
    (file) => Effect.map(readFile(file), (content) => ({ file, content })),
    { concurrency: "unbounded" },
  )
  for (const { file, content } of contents) {
    const fault = contentFault(content)
    if (fault !== null) return yield* configurationInvalid(file, 0, fault)
    if (content.kind === "text") found.push({ file, text: content.text })
  }
  const [first, second] = found
  if (second !== undefined) {
    return yield* configurationInvalid(second.file, 0, besideFault)
  }
  return first ?? null
})

export const besideFault = `${fileNames[0]} stands beside it. Keep one of the two.`

/** Why what is at the place of a configuration file cannot be one, or null; it has no line. */
export function contentFault(content: FileContent): string | null {
  switch (content.kind) {
    case "unreadable":
      return `The file cannot be read (${content.reason}). Check its permissions.`
    case "missing":
      return content.irregular === true ? "This is no file. Remove it, or put a file in its place." : null
    case "text":
      return content.cut === true ? "The file is too long for a configuration." : null
  }
}

/** A provider for every key that is there (CA1). */
export function environmentSettings(environment: Environment): Result.Result<Settings, ConfigurationInvalid> {
  const providers = new Map<string, ProviderSettings>()
  for (const name of knownNames()) {
    const known = findProvider(name, environment)
    if (known === null) continue
    const fault = findUrlFault(known.baseUrl)
    if (fault !== null) {
      const place = known.urlVariable ?? name
      return Result.fail(configurationInvalid(place, 0, `The variable ${fault}`))
    }
    if (!known.keyIsSet) continue
    const { wire, baseUrl, key } = known
    const ambient = key.kind === "aws"
    providers.set(name, { wire, baseUrl, key, models: new Map(), ...(ambient && { ambient }) })
  }
  return Result.succeed({ ...noSettings, providers })
}
