/**
 * What an instance is configured with, as callers may read it: its models and providers (CA1), and the
 * settings in force with the place that each came from.
 *
 * The values are those that the instance works with, also where a file says something else by now;
 * the files are read again only to tell which of them said so. Nothing here holds a secret (AU1).
 */
import { Effect } from "effect"
import type {
  Configuration,
  ConfigurationLayer,
  ConfigurationSource,
  ConfiguredProvider,
} from "@holdfast/schema/instance/configuration"
import { executeShareDefault } from "@holdfast/recall"
import { chunkCharactersDefault } from "./setting/values.ts"
import { projectDocNames } from "../memory/project-docs.ts"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import { writeRule } from "../permission/rule.ts"
import { retentionDaysDefault } from "../tools/output/output-store.ts"
import { makeCredentials } from "./credentials/credentials.ts"
import type { Environment } from "./directories.ts"
import { keyOf, projectModelOf, type ReadLayer, readLayers } from "./examine.ts"
import { type FetchedCatalog, noCatalog } from "./fetched-catalog.ts"
import { listModels, type ModelListing } from "./listing.ts"
import type { ReadFile } from "./load.ts"
import { defaultModel } from "./models.ts"
import { noSettings, type ProviderSettings, type SearchSettings, type Settings } from "./settings.ts"
import { embeddingFor } from "../embedding/choose.ts"

export interface Configured {
  /** One provider, also if it is not configured; all that are unless given. No provider is asked. */
  readonly listing: (provider?: string) => Effect.Effect<ModelListing>
  /** What holds for a new Session in a project. */
  readonly configuration: (projectRoot: string) => Effect.Effect<Configuration>
}

export interface ConfiguredBy {
  readonly settings: Settings
  /** The same over what a program has in reserve, which is known where it is named; the settings unless given. */
  readonly known?: Settings
  readonly environment: Environment
  readonly catalog: FetchedCatalog
  readonly configDirectory: string
  readonly disableProject: boolean
  readonly readFile: ReadFile
}

export const makeConfigured = (by: ConfiguredBy): Configured => ({
  listing: (provider) => listModels({ ...by, ...(provider !== undefined && { provider }) }),
  configuration: Effect.fnUntraced(function* (projectRoot) {
    const { settings, environment } = by
    const layers = yield* readLayers({ ...by, projectRoot })
    const credentials = makeCredentials(environment)
    const providers = yield* Effect.forEach(settings.providers, ([name, provider]) =>
      Effect.map(keyOf(provider, credentials), ({ key, keyFrom = null }) =>
        describeProvider(name, provider, layers, { key, keyFrom }),
      ),
    )
    const { problems } = yield* listModels({ ...by, settings: by.known ?? settings })
    return { ...valuesIn(settings, layers), providers, problems }
  }),
})

/** For a runtime whose models come from elsewhere. */
export const nothingConfigured: Configured = makeConfigured({
  settings: noSettings,
  environment: {},
  catalog: noCatalog,
  configDirectory: "",
  disableProject: true,
  readFile: () => Effect.succeed({ kind: "missing" }),
})

/** The values in force, each with the last layer that says the same. */
export function valuesIn(
  settings: Settings,
  layers: readonly ReadLayer[],
): Omit<Configuration, "providers" | "problems"> {
  const own = layers.filter(({ layer }) => layer.kind !== "project")
  const valued = valuedBy(settings, own)
  return {
    ...windowValues(settings, valued),
    search: searchIn(settings, layers, own),
    recall: recallIn(settings, layers, own),
    layers: layers.map(({ layer }) => layer),
    model: chosenModel(settings, layers, own),
    fallback: valued(
      (settings.fallback ?? []).map(formatModelRef),
      settings.fallback !== null,
      "fallback",
      ({ fallback }) => fallback,
    ),
    onRestart: valued(
      settings.onRestart ?? "settle",
      settings.onRestart !== null,
      "onRestart",
      ({ onRestart }) => onRestart,
    ),
    budget: valued(
      { tokens: null, money: null, ...settings.budget },
      settings.budget !== null,
      "budget",
      ({ budget }) => budget,
    ),
    titleModel: valued(
      settings.titleModel === null ? null : formatModelRef(settings.titleModel),
      settings.titleModel !== null,
      "titleModel",
      ({ titleModel }) => titleModel,
    ),
    maskShapes: valued(
      settings.maskShapes ?? true,
      settings.maskShapes !== null,
      "maskShapes",
      ({ maskShapes }) => maskShapes,
    ),
    permissions: listsIn(settings, layers, "permissions", ({ permissions }) => permissions.map(writeRule)),
    timeZone: valued(settings.timeZone, settings.timeZone !== null, "timeZone", ({ timeZone }) => timeZone),
    toolOutputDays: valued(
      settings.toolOutputDays ?? retentionDaysDefault,
      settings.toolOutputDays !== null,
      "toolOutputDays",
      ({ toolOutputDays }) => toolOutputDays,
    ),
    webfetchPrivateHosts: valued(
      settings.webfetchPrivateHosts ?? [],
      settings.webfetchPrivateHosts !== null,
      "webfetchPrivateHosts",
      ({ webfetchPrivateHosts }) => webfetchPrivateHosts,
    ),
    instructions: listsIn(settings, layers, "instructions", ({ instructions }) => instructions ?? []),
    catalogUrl: valued(
      settings.catalogUrl === null ? null : plainUrl(settings.catalogUrl),
      settings.catalogUrl !== null,
      "catalogUrl",
      ({ catalogUrl }) => catalogUrl,
    ),
  }
}

type ValuedBy = <A>(
  value: A,
  isSet: boolean,
  key: string,
  of: (settings: Settings) => unknown,
) => { readonly value: A; readonly from: ConfigurationSource | null }

const valuedBy =
  (settings: Settings, own: readonly ReadLayer[]): ValuedBy =>
  (value, isSet, key, of) => ({
    value,
    from: isSet ? sourceOf(own, key, (layer) => same(of(layer), of(settings))) : null,
  })

/** What says how long Sessions are kept in their window, and what that may cost. */
const windowValues = ({ historian, dreamer, sidekick, cache, cost }: Settings, valued: ValuedBy) => ({
  historian: valued(
    historian === null ? [] : [historian.model, ...historian.fallback].map(formatModelRef),
    historian !== null,
    "historian",
    (layer) => layer.historian,
  ),
  dreamer: valued(
    {
      models:
        dreamer === null
          ? []
          : [...(dreamer.model === null ? [] : [dreamer.model]), ...dreamer.fallback].map(formatModelRef),
      tasks: dreamer?.tasks ?? [],
      schedule: scheduleText(dreamer?.schedule ?? "always"),
    },
    dreamer !== null,
    "dreamer",
    (layer) => layer.dreamer,
  ),
  sidekick: valued(
    sidekick === null ? [] : [sidekick.model, ...sidekick.fallback].map(formatModelRef),
    sidekick !== null,
    "sidekick",
    (layer) => layer.sidekick,
  ),
  cache: valued(
    { lifetime: cache?.lifetime ?? "auto", keepWarm: cache?.keepWarm ?? null },
    cache !== null,
    "cache",
    (layer) => layer.cache,
  ),
  cost: valued({ askAbove: cost?.askAbove ?? null }, cost !== null, "cost", (layer) => layer.cost),
})

const scheduleText = (schedule: NonNullable<Settings["dreamer"]>["schedule"]): string =>
  typeof schedule === "string"
    ? schedule
    : [schedule.fromMinute, schedule.toMinute]
        .map((minute) =>
          [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":"),
        )
        .join("-")

/** That of the project, else the one that was set, else the default of what is configured, which nobody set. */
function chosenModel(
  settings: Settings,
  layers: readonly ReadLayer[],
  own: readonly ReadLayer[],
): Configuration["model"] {
  const asked = projectModelOf(layers)
  if (asked !== null) {
    const isIt = (layer: Settings) => same(layer.model, asked)
    const project = layers.filter(({ layer }) => layer.kind === "project")
    return { value: formatModelRef(asked), from: sourceOf(project, "model", isIt) }
  }
  const ref: ModelRef | null = defaultModel(settings)
  const from =
    settings.model === null ? null : sourceOf(own, "model", (layer) => same(layer.model, settings.model))
  return { value: ref === null ? null : formatModelRef(ref), from }
}

/** The model is that of the project, where its file asks for one that it may have (SE3). */
function searchIn(
  { search }: Settings,
  layers: readonly ReadLayer[],
  own: readonly ReadLayer[],
): NonNullable<Configuration["search"]> {
  const project = layers.filter(({ layer }) => layer.kind === "project")
  const asked = project.at(-1)?.settings.search ?? null
  const embedding = embeddingFor(search, asked)
  const theirs = asked !== null && !same(embedding, embeddingFor(search, null))
  const said = (of: SearchSettings | null) => (settings: Settings) => same(settings.search, of)
  return {
    value: {
      embedding: typeof embedding === "object" ? formatModelRef(embedding) : embedding,
      chunkCharacters: search?.chunkCharacters ?? chunkCharactersDefault,
      hint: search?.hint ?? true,
    },
    from: theirs
      ? sourceOf(project, "search", said(asked))
      : search === null
        ? null
        : sourceOf(own, "search", said(search)),
  }
}

/** What the project's file says goes over what the user's says, part by part. */
function recallIn(
  { recall }: Settings,
  layers: readonly ReadLayer[],
  own: readonly ReadLayer[],
): NonNullable<Configuration["recall"]> {
  const project = layers.filter(({ layer }) => layer.kind === "project")
  const asked = project.at(-1)?.settings.recall ?? null
  const { threshold, docs, textCompression } = { ...recall, ...asked }
  const [by, said] = asked === null ? [own, recall] : [project, asked]
  return {
    value: {
      threshold: threshold ?? executeShareDefault,
      docs: docs ?? projectDocNames,
      textCompression: textCompression ?? false,
    },
    from: said === null ? null : sourceOf(by, "recall", (layer) => same(layer.recall, said)),
  }
}

/** Both lists hold, that of the user and that of the project; the place is that of the user's, where there is one. */
function listsIn(
  settings: Settings,
  layers: readonly ReadLayer[],
  key: "instructions" | "permissions",
  of: (settings: Settings) => readonly string[],
): NonNullable<Configuration["instructions"]> {
  const project = layers.filter(({ layer }) => layer.kind === "project")
  const own = layers.filter(({ layer }) => layer.kind !== "project")
  const ours = of(settings)
  const theirs = project.flatMap((layer) => of(layer.settings))
  const said = ours.length > 0 ? { by: own, list: ours } : { by: project, list: theirs }
  const from = said.list.length === 0 ? null : sourceOf(said.by, key, (layer) => same(of(layer), said.list))
  return { value: [...ours, ...theirs], from }
}

function describeProvider(
  name: string,
  { wire, baseUrl, models }: ProviderSettings,
  layers: readonly ReadLayer[],
  key: Pick<ConfiguredProvider, "key" | "keyFrom">,
): ConfiguredProvider {
  const isIt = ({ providers }: Settings): boolean => {
    const found = providers.get(name)
    return found?.wire === wire && found.baseUrl === baseUrl
  }
  const from = sourceOf(layers, `providers.${name}`, isIt)
  return { name, wire, baseUrl: plainUrl(baseUrl), ...key, models: [...models.keys()], from }
}

const program: ConfigurationSource = { kind: "program", file: null, line: 0 }

/** The last layer whose settings say it. */
function sourceOf(
  layers: readonly ReadLayer[],
  key: string,
  says: (settings: Settings) => boolean,
): ConfigurationSource {
  const found = layers.findLast(({ settings }) => says(settings))
  if (found === undefined) return program
  const { kind, file } = found.layer
  return { kind, file, line: lineIn(found.layer, key) }
}

const lineIn = ({ sets }: ConfigurationLayer, key: string): number =>
  sets.find((set) => set.key === key)?.line ?? 0

const same = (some: unknown, other: unknown): boolean => JSON.stringify(some) === JSON.stringify(other)

/** Settings refuse addresses that hold more than a place; whatever comes in another way is cut to it. */
function plainUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || (url.username === "" && url.password === "" && url.search === "" && url.hash === ""))
    return text
  return url.origin + url.pathname
}
