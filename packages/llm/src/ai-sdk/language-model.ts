/**
 * The interface of a model of the AI SDK, as far as it is used here: versions 2, 3 and 4 of its
 * language model specification. It is declared by shape, so that nothing of the AI SDK is needed.
 *
 * Parts of an answer are read as unknown values: what is not understood is passed over (LL6).
 */

export interface AiSdkModel {
  readonly specificationVersion: string
  /** Who answers, such as `openai.responses`. */
  readonly provider: string
  readonly modelId: string
  // A method, so that models whose options are narrower fit as well.
  doStream(call: AiSdkCall): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** One call; everything but the signal stands in the bytes of the request. */
export interface AiSdkCall {
  readonly prompt: readonly object[]
  readonly tools?: readonly object[]
  readonly abortSignal?: AbortSignal
}

const versions: ReadonlySet<unknown> = new Set(["v2", "v3", "v4"])

/** What is wrong with a value that should be a model, or null. */
export function findModelFault(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return "It is not an object."
  const { specificationVersion: version, doStream, provider, modelId } = value as Partial<AiSdkModel>
  if (!versions.has(version)) {
    return `Its specificationVersion is ${JSON.stringify(version)}; v2, v3 and v4 can be spoken to.`
  }
  if (typeof doStream !== "function") return "It has no doStream."
  return typeof provider === "string" && typeof modelId === "string" ? null : "It lacks provider or modelId."
}
