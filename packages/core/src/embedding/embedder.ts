/** What turns texts into vectors: the model that comes with the program, or one behind an address (SE2). */

export interface Embedder {
  readonly embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>
}

/** Which one, as the settings say. A key is told to the worker alone, and never stored. */
export type EmbedderChoice =
  | { readonly kind: "local" }
  | {
      readonly kind: "endpoint"
      /** Base address of an OpenAI-compatible API, such as https://host/v1. */
      readonly url: string
      readonly model: string
      readonly key: string | null
    }

/** What a text longer than this says behind it is left out. */
const embeddedCharactersMax = 1_000

/** What vectors are stored under: those of two models are never compared. */
export const embedderModel = (choice: EmbedderChoice): string =>
  choice.kind === "local" ? localModel : `${choice.model}@${new URL(choice.url).host}`

const localModel = "universal-sentence-encoder-lite"

/** How like a question the nearest text must be for any to be found by meaning alone (docs/search.md says by what it was chosen). */
export const meaningFloor = (model: string): number => (model === localModel ? 0.45 : 0.25)

export const openEmbedder = (choice: EmbedderChoice): Promise<Embedder> =>
  choice.kind === "local" ? openLocal() : Promise.resolve(atEndpoint(choice))

/** Each is opened when it is first asked for; null for one that is not among them. */
export function openEmbedders(
  choices: readonly EmbedderChoice[],
  open: (choice: EmbedderChoice) => Promise<Embedder> = openEmbedder,
): (model: string) => Promise<Embedder> | null {
  const opened = new Map<string, Promise<Embedder>>()
  return (model) => {
    const known = opened.get(model)
    const choice = choices.find((one) => embedderModel(one) === model)
    if (known !== undefined || choice === undefined) return known ?? null
    const made = open(choice)
    opened.set(model, made)
    return made
  }
}

/** Loaded only here, in the worker. */
async function openLocal(): Promise<Embedder> {
  const { openEncoder } = await import("./model/encoder.ts")
  const encode = await openEncoder()
  return {
    embed: async (texts) => {
      const vectors: Float32Array[] = []
      // One by one: a question that comes in between waits for one text.
      for (const text of texts) {
        vectors.push(encode(text.slice(0, embeddedCharactersMax)))
        await new Promise((resolve) => setImmediate(resolve))
      }
      return vectors
    },
  }
}

const endpointMsMax = 30_000

type Endpoint = Extract<EmbedderChoice, { readonly kind: "endpoint" }>

export const atEndpoint = ({ url, model, key }: Endpoint): Embedder => ({
  embed: async (texts) => {
    if (texts.length === 0) return []
    const answer = await fetch(`${url.replace(/\/+$/, "")}/embeddings`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model,
        input: texts.map((text) => text.slice(0, embeddedCharactersMax)),
        encoding_format: "float",
      }),
      redirect: "error",
      signal: AbortSignal.timeout(endpointMsMax),
    })
    if (!answer.ok) throw new Error(`The embedding endpoint answered with status ${answer.status}.`)
    return readAnswer(await answer.json(), model, texts.length)
  },
})

/** Vectors of another model than the one that was asked for would be compared with those of this one. */
export function readAnswer(answer: unknown, model: string, count: number): readonly Float32Array[] {
  const { model: served, data } = answer as {
    readonly model?: unknown
    readonly data?: readonly { readonly index?: number; readonly embedding?: unknown }[]
  }
  if (served !== model)
    throw new Error(
      `The endpoint served ${JSON.stringify(served)} instead of the model ${model}; nothing of it was used.`,
    )
  const vectors = (data ?? [])
    .toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
    .flatMap(({ embedding }) => (isNumbers(embedding) ? [normalised(Float32Array.from(embedding))] : []))
  const [first] = vectors
  if (
    vectors.length !== count ||
    first === undefined ||
    vectors.some(({ length }) => length !== first.length)
  )
    throw new Error("The embedding endpoint answered with something else than one vector for each text.")
  return vectors
}

const dimensionMax = 8_192

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.length <= dimensionMax && value.every(Number.isFinite)

function normalised(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}
