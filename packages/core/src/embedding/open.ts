/** The worker of a host, as the settings say: of the built-in model, of a provider's, or none (SE2). */
import { Effect, type Scope } from "effect"
import { dataFile } from "@holdfast/store"
import { chunkCharactersDefault } from "../config/setting/values.ts"
import type { Credentials } from "../config/credentials/credentials.ts"
import type { Settings } from "../config/index.ts"
import type { RuntimePorts } from "../session/ports.ts"
import type { EmbedderChoice } from "./embedder.ts"
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
  readonly ports: Pick<RuntimePorts, "embedding" | "searchHint">
  readonly trouble: EmbeddingPort["trouble"]
}

/** Starts no process: the first question or the first turn does. It ends with the scope. */
export const openEmbedding = Effect.fnUntraced(function* (
  { dataDirectory, settings, continues = true }: EmbeddingOptions,
  credentials: Credentials,
): Effect.fn.Return<OpenedEmbedding, never, Scope.Scope> {
  const { tell, trouble } = makeTrouble()
  const searchHint = settings.search?.hint ?? true
  const choice = yield* chosen(settings, credentials)
  if (typeof choice === "string") tell(choice)
  if (choice === null || typeof choice === "string") return { ports: { searchHint }, trouble }
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => makeEmbeddingWorker({ file: dataFile(dataDirectory), choice, onTrouble: tell })),
    ({ stop }) => Effect.sync(stop),
  )
  const chunkCharacters = settings.search?.chunkCharacters ?? chunkCharactersDefault
  const questionMs = continues ? stayingMs : commandMs
  return { ports: { searchHint, embedding: { worker, chunkCharacters, questionMs, trouble } }, trouble }
})

/** Null where embedding is switched off, a sentence where it cannot be had. */
const chosen = Effect.fnUntraced(function* (
  { search, providers }: Settings,
  credentials: Credentials,
): Effect.fn.Return<EmbedderChoice | string | null> {
  const embedding = search?.embedding ?? "local"
  if (embedding === "off") return null
  if (embedding === "local") return { kind: "local" }
  const provider = providers.get(embedding.provider)
  if (provider === undefined || provider.baseUrl === null || !provider.wire.startsWith("openai"))
    return `search.embedding names ${embedding.provider}, which is no OpenAI-compatible provider with a baseUrl.`
  const key = yield* Effect.result(credentials.read(provider.key, "speak"))
  if (key._tag === "Failure") return key.failure.message
  return {
    kind: "endpoint",
    url: provider.baseUrl,
    model: embedding.model,
    key: typeof key.success === "string" && key.success !== "" ? key.success : null,
  }
})
