/**
 * Examination of the configuration: what is read, from where, in which order, and every fault.
 *
 * A run stops at the first fault of a file; this goes on and collects them. It tells names, places
 * and addresses, never a value that could be a secret: of a key only where it comes from.
 */
import { join } from "node:path"
import { Effect, Result } from "effect"
import type { ConfigurationLayer } from "@holdfast/schema/instance/configuration"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import { type Credentials, makeCredentials } from "./credentials/credentials.ts"
import { readProjectFile, type ReadSettings, readUserFile } from "./decode.ts"
import type { Environment } from "./directories.ts"
import { type Fields, setKeys } from "./document.ts"
import { type FetchedCatalog, noCatalog } from "./fetched-catalog.ts"
import { besideFault, contentFault, environmentSettings, fileNames, type ReadFile } from "./load.ts"
import { helperModels } from "./misnamed.ts"
import { defaultModel, describeProviders, type ProviderInfo, resolveModels } from "./models.ts"
import {
  type AwsSource,
  mergeSettings,
  noSettings,
  type ProviderKey,
  type ProviderSettings,
  type Settings,
} from "./settings.ts"

export type { ConfigurationLayer } from "@holdfast/schema/instance/configuration"

/** A place that settings come from, and what it sets. */
export interface ReadLayer {
  readonly layer: ConfigurationLayer
  /** Of a file with a fault nothing holds: a run would stop at it. */
  readonly settings: Settings
}

export interface ExaminedProvider extends ProviderInfo {
  readonly key: "given" | "none" | "missing"
  /** The variable that the key is taken from, if it is one. */
  readonly keyVariable: string | null
  /** Where the key comes from, in words. */
  readonly keyFrom?: string
  /** Why it cannot be had. A command is not run to find out. */
  readonly keyProblem?: string
}

export interface ConfigurationExamination {
  /** In the order in which they are read; of two that set the same, the later wins. */
  readonly layers: readonly ConfigurationLayer[]
  readonly providers: readonly ExaminedProvider[]
  /** What a new Session here would speak to, as `provider/model`; null if none is chosen. */
  readonly model: string | null
  /** Why that model cannot be used, or null. */
  readonly modelProblem: string | null
  /** The problem is the key of its provider, which is told there too. */
  readonly modelLacksKey?: boolean
  /** Why a model of the fallback list would be passed over, one sentence each. */
  readonly fallbackProblems?: readonly string[]
  /** Why a model that a setting names for work beside the turns cannot be asked. */
  readonly helperProblems?: readonly { readonly setting: string; readonly message: string }[]
  /** A model writes the history of long Sessions. */
  readonly historian?: boolean
}

export interface ExamineConfiguration {
  readonly configDirectory: string
  /** Null where there is no directory to work in. */
  readonly projectRoot: string | null
  readonly environment: Environment
  readonly disableProject: boolean
  readonly readFile: ReadFile
  /** What a refresh has fetched. */
  readonly catalog?: FetchedCatalog
  /** What the program that asks has in reserve: known where it is named, and never listed. */
  readonly reserve?: Settings
}

export const examineConfiguration = Effect.fnUntraced(function* (
  options: ExamineConfiguration,
): Effect.fn.Return<ConfigurationExamination> {
  const { environment, reserve = noSettings, catalog = noCatalog } = options
  const layers = yield* readLayers(options)
  const settings = settingsOf(layers)
  const credentials = makeCredentials(environment)
  const resolveIn = (known: Settings) => resolveModels(known, environment, { credentials, catalog })
  const resolve = resolveIn(mergeSettings(reserve, settings))
  const chosen = projectModelOf(layers) ?? defaultModel(settings)
  const resolved = yield* Effect.result(chosen === null ? resolveIn(settings)(null) : resolve(chosen))
  const fallback = yield* Effect.forEach(settings.fallback ?? [], (ref) => Effect.result(resolve(ref)))
  const helpers = yield* Effect.forEach(helperModels(settings), ({ setting, ref }) =>
    Effect.map(Effect.result(resolve(ref)), (found) =>
      Result.isSuccess(found) ? [] : [{ setting, message: found.failure.message }],
    ),
  )
  const providers = yield* Effect.forEach(describeProviders(settings), (provider) =>
    Effect.map(keyOf(settings.providers.get(provider.name), credentials), (key) => ({ ...provider, ...key })),
  )
  return {
    layers: layers.map(({ layer }) => layer),
    providers,
    model: Result.isSuccess(resolved)
      ? formatModelRef(resolved.success.ref)
      : chosen === null
        ? null
        : formatModelRef(chosen),
    modelProblem: Result.isSuccess(resolved) ? null : resolved.failure.message,
    ...(Result.isFailure(resolved) && resolved.failure.code === "credential" && { modelLacksKey: true }),
    fallbackProblems: fallback.flatMap((found) => (Result.isSuccess(found) ? [] : [found.failure.message])),
    helperProblems: helpers.flat(),
    historian: settings.historian !== null,
  }
})

/** Every place that is read, in that order. */
export const readLayers = Effect.fnUntraced(function* (
  options: Omit<ExamineConfiguration, "catalog">,
): Effect.fn.Return<readonly ReadLayer[]> {
  const { configDirectory, environment, readFile } = options
  const user = yield* readFiles("user", configDirectory, readFile, (file, text) =>
    readUserFile(file, text, environment),
  )
  return [readEnvironment(environment), ...user, ...(yield* readProject(options))]
})

/** What the layers set together; a project chooses a model for itself and sets nothing. */
const settingsOf = (layers: readonly ReadLayer[]): Settings =>
  mergeSettings(...layers.flatMap(({ layer, settings }) => (layer.kind === "project" ? [] : [settings])))

export const projectModelOf = (layers: readonly ReadLayer[]): ModelRef | null =>
  layers.find(({ layer, settings }) => layer.kind === "project" && settings.model !== null)?.settings.model ??
  null

function readEnvironment(environment: Environment): ReadLayer {
  const result = environmentSettings(environment)
  const settings = Result.isSuccess(result) ? result.success : noSettings
  const faults = Result.isSuccess(result) ? [] : [{ line: 0, message: result.failure.message }]
  const sets = [...settings.providers.keys()].map((name) => ({ key: `providers.${name}`, line: 0 }))
  const state = sets.length + faults.length === 0 ? "absent" : "read"
  return { settings, layer: { kind: "environment", file: null, state, sets, faults } }
}

const readProject = Effect.fnUntraced(function* (
  options: Pick<ExamineConfiguration, "projectRoot" | "disableProject" | "readFile">,
): Effect.fn.Return<readonly ReadLayer[]> {
  const { projectRoot, disableProject, readFile } = options
  if (projectRoot === null) return []
  if (disableProject) {
    const file = join(projectRoot, fileNames[0] ?? "")
    return [empty({ kind: "project", file, state: "disabled", sets: [], faults: [] })]
  }
  return yield* readFiles("project", projectRoot, readFile, readProjectFile)
})

const empty = (layer: ConfigurationLayer): ReadLayer => ({ layer, settings: noSettings })

const readFiles = Effect.fnUntraced(function* (
  kind: "user" | "project",
  directory: string,
  readFile: ReadFile,
  read: (file: string, text: string) => ReadSettings,
): Effect.fn.Return<readonly ReadLayer[]> {
  const files = yield* examineFiles(kind, directory, readFile)
  const found = files.texts.map(({ file, text }) => {
    const decoded = read(file, text)
    return {
      layer: layerOf(kind, file, decoded, files.beside),
      settings: isSound(decoded.fields) ? decoded.settings : noSettings,
    }
  })
  return [...files.others.map(empty), ...found]
})

const isSound = ({ document }: Fields): boolean => document.faults.length === 0

interface FoundFiles {
  readonly texts: readonly { readonly file: string; readonly text: string }[]
  /** Files without a text: not there, or not to be read. */
  readonly others: readonly ConfigurationLayer[]
  /** The file that stands beside another one and must go, or null. */
  readonly beside: string | null
}

const examineFiles = Effect.fnUntraced(function* (
  kind: "user" | "project",
  directory: string,
  readFile: ReadFile,
): Effect.fn.Return<FoundFiles> {
  const texts: { file: string; text: string }[] = []
  const others: ConfigurationLayer[] = []
  for (const name of fileNames) {
    const file = join(directory, name)
    const content = yield* readFile(file)
    const problem = contentFault(content)
    if (problem !== null) {
      others.push({ kind, file, state: "read", sets: [], faults: [{ line: 0, message: problem }] })
    } else if (content.kind === "text") texts.push({ file, text: content.text })
  }
  if (texts.length + others.length === 0) {
    others.push({ kind, file: join(directory, fileNames[0] ?? ""), state: "absent", sets: [], faults: [] })
  }
  return { texts, others, beside: texts[1]?.file ?? null }
})

function layerOf(
  kind: "user" | "project",
  file: string,
  { fields, warnings }: ReadSettings,
  beside: string | null,
): ConfigurationLayer {
  const twice = { line: 0, message: besideFault }
  const noted = [...fields.document.faults].sort((a, b) => a.line - b.line)
  return {
    kind,
    file,
    state: "read",
    sets: setKeys(fields),
    faults: file === beside ? [twice, ...noted] : noted,
    ...(warnings.length > 0 && { warnings }),
  }
}

type ExaminedKey = Omit<ExaminedProvider, keyof ProviderInfo>

/** Whether a key is there and where it comes from; no command is run to find out. */
export const keyOf = Effect.fnUntraced(function* (
  provider: ProviderSettings | undefined,
  credentials: Credentials,
): Effect.fn.Return<ExaminedKey> {
  if (provider === undefined || provider.key.kind === "none") return { key: "none", keyVariable: null }
  const { key } = provider
  const place = { keyVariable: key.kind === "variable" ? key.name : null, keyFrom: placeOf(key) }
  const read = yield* Effect.result(credentials.read(key, "describe"))
  return Result.isSuccess(read)
    ? { key: "given", ...place }
    : { key: "missing", ...place, keyProblem: `it ${read.failure.message}` }
})

function placeOf(key: Exclude<ProviderKey, { kind: "none" }>): string {
  switch (key.kind) {
    case "value":
      return "the file"
    case "variable":
      return key.name
    case "file":
      return `the key file ${key.path}`
    case "command":
      return `the command ${key.argv[0]}`
    case "aws": {
      const region = key.region === null ? "" : `, region ${key.region}`
      return `${placeOfAws(key.from)}${region}`
    }
  }
}

function placeOfAws(from: AwsSource): string {
  switch (from.kind) {
    case "environment":
      return "the variables of AWS"
    case "profile":
      return `the profile ${from.profile} of ${from.file}`
    case "command":
      return `the command ${from.argv[0]}`
  }
}
