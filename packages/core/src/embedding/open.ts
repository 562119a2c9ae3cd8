/** The worker of a host, and which model a project has, as the settings say: the built-in one, one of a provider, or none (SE2, SE3). */
import { Effect, type Scope } from "effect"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import { dataFile } from "@holdfast/store"
import { chunkCharactersDefault } from "../config/setting/values.ts"
import type { Credentials } from "../config/credentials/credentials.ts"
import type { Settings } from "../config/index.ts"
import type { RuntimePorts } from "../session/ports.ts"
import type { SearchSettings } from "../config/settings.ts"
import { type EmbeddingAsked, embeddingFor, namedModels } from "./choose.ts"
import { type EmbedderChoice, embedderModel } from "./embedder.ts"
import { type EmbeddingPort, makeTrouble } from "./embedding.ts"
import { makeEmbeddingWorker } from "./process.ts"

/** How long a question waits: beside a turn hardly, in a command as long as a model takes to load. */
const stayingMs = 150
const commandMs = 2_000

interface EmbeddingOptions {
  readonly dataDirectory: string
  readonly settings: Settings
  readonly continues?: boolean
}

export interface OpenedEmbedding {
  readonly ports: Pick<RuntimePorts, "embedding">
  readonly trouble: EmbeddingPort["trouble"]
}

/** What the file of a project asks for; null where it asks for nothing, or is not read. */
export type ProjectSearch = (projectRoot: string) => Effect.Effect<SearchSettings | null>

/** Starts no process: the first question or the first turn does. It ends with the scope. */
export const openEmbedding = Effect.fnUntraced(function* (
  { dataDirectory, settings, continues = true }: EmbeddingOptions,
  credentials: Credentials,
  projectSearch: ProjectSearch,
): Effect.fn.Return<OpenedEmbedding, never, Scope.Scope> {
  const { search } = settings
  const { tell, trouble } = makeTrouble()
  if (search?.embedding === "off") return { ports: {}, trouble }
  const named = new Map<string, EmbedderChoice | string>([["local", { kind: "local" }]])
  for (const ref of namedModels(search))
    named.set(formatModelRef(ref), yield* endpointOf(ref, settings, credentials))
  const own = named.get(nameOf(embeddingFor(search, null)))
  if (typeof own === "string") tell(own)
  const choices = [...named.values()].filter((choice) => typeof choice !== "string")
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => makeEmbeddingWorker({ file: dataFile(dataDirectory), choices, onTrouble: tell })),
    ({ stop }) => Effect.sync(stop),
  )
  const modelFor: EmbeddingPort["modelOf"] = Effect.fnUntraced(function* (projectRoot) {
    const asked = embeddingFor(search, projectRoot === null ? null : yield* projectSearch(projectRoot))
    const choice = asked === "off" ? null : (named.get(nameOf(asked)) ?? null)
    if (typeof choice === "string") tell(choice)
    return choice === null || typeof choice === "string" ? null : embedderModel(choice)
  })
  const chunkCharacters = search?.chunkCharacters ?? chunkCharactersDefault
  const questionMs = continues ? stayingMs : commandMs
  return {
    ports: { embedding: { worker, modelOf: modelFor, chunkCharacters, questionMs, trouble } },
    trouble,
  }
})

const nameOf = (asked: EmbeddingAsked): string => (typeof asked === "string" ? asked : formatModelRef(asked))

/** A sentence where it cannot be had. */
const endpointOf = Effect.fnUntraced(function* (
  ref: ModelRef,
  { providers }: Settings,
  credentials: Credentials,
): Effect.fn.Return<EmbedderChoice | string> {
  const provider = providers.get(ref.provider)
  if (provider === undefined || provider.baseUrl === null || !provider.wire.startsWith("openai"))
    return `search.embedding names ${ref.provider}, which is no OpenAI-compatible provider with a baseUrl.`
  const key = yield* Effect.result(credentials.read(provider.key, "speak"))
  if (key._tag === "Failure") return key.failure.message
  return {
    kind: "endpoint",
    url: provider.baseUrl,
    model: ref.model,
    key: typeof key.success === "string" && key.success !== "" ? key.success : null,
  }
})
