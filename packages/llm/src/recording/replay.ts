/**
 * Replay: one recorded exchange through a wire, both ways (LL1).
 *
 * The answer is decoded to canonical events. The request is read to a canonical request, encoded and
 * read again: both readings must be the same, and what is encoded must keep the provider's grammar.
 */
import type { ReadRequest } from "../reading/read-request.ts"
import { readers } from "../reading/readers.ts"
import { fillBody } from "../request/media-hole.ts"
import type { Target } from "../segments.ts"
import type { LintFault, StreamEvent, Wire } from "../wire.ts"
import { type Difference, findDifference } from "./difference.ts"
import { answerBytes, type Interaction } from "./recording.ts"
import { modelInUrl } from "./wire-of-url.ts"

export type RequestReplay =
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly difference: Difference }
  | { readonly kind: "illegal"; readonly faults: readonly LintFault[] }
  /** The provider refused it, and so would the judge: no request of ours can be like it. */
  | { readonly kind: "refused"; readonly faults: readonly { readonly message: string }[] }
  /** What stands there has no word in the canonical request, or is no request of this wire. */
  | { readonly kind: "unread"; readonly places: readonly string[] }

/** What an answer says; a refusal is one failure. */
export function replayAnswer(wire: Wire, interaction: Interaction, nowMs: number): readonly StreamEvent[] {
  const { status, headers } = interaction.response
  const bytes = answerBytes(interaction)
  if (status !== 200) {
    const failure = wire.failure(status, headers, Buffer.from(bytes).toString("utf8"), nowMs)
    return [{ type: "failure", failure }]
  }
  const type = headers["content-type"] ?? (wire.name === "bedrock-converse" ? eventFrames : eventStream)
  const decoder = wire.decoder(type)
  const said = decoder.push(bytes)
  // Who records a stream as text may have cut the blank line that ends its last event.
  const rest = type.startsWith(eventStream) ? decoder.push(Buffer.from("\n\n")) : []
  return [...said, ...rest, ...decoder.end()]
}

const eventStream = "text/event-stream"
const eventFrames = "application/vnd.amazon.eventstream"

/** A judge of bodies that anybody wrote: faults as a provider words them; null if it cannot tell. */
export type BodyJudge = (
  wire: string,
  url: string,
  body: string,
) => readonly { readonly message: string }[] | null

export function replayRequest(
  wire: Wire,
  { request, response }: Interaction,
  judge: BodyJudge = () => null,
): RequestReplay {
  const replayed = encodeAgain(wire, request)
  if (replayed.kind === "same" || !refusals.has(response.status)) return replayed
  const faults = judge(wire.name, request.url, request.body) ?? []
  return faults.length === 0 ? replayed : { kind: "refused", faults }
}

/** What providers answer to a request that they cannot take. */
const refusals: ReadonlySet<number> = new Set([400, 422])

function encodeAgain(wire: Wire, { url, body }: Interaction["request"]): RequestReplay {
  const read = readBack(wire, url, body)
  if (read === null) return { kind: "unread", places: ["the whole body"] }
  const { target, request } = read
  if (request.unread.length > 0) return { kind: "unread", places: request.unread }
  const encoded = wire.encode(request.segments, target)
  const faults = wire.lint(encoded, target)
  if (faults.length > 0) return { kind: "illegal", faults }
  const filled = fillBody(wire.place(encoded, target, 0), (hash) => request.images.get(hash) ?? noBytes)
  const again = readBack(wire, url, Buffer.concat(filled).toString("utf8"))?.request
  const difference =
    again === undefined
      ? { path: "", expected: "a request", found: null }
      : findDifference(canonical(request), canonical(again))
  return difference === null ? { kind: "same" } : { kind: "different", difference }
}

/** A body as a canonical request and whom it is for; null if it is no request of this wire. */
export function readBack(wire: Wire, url: string, body: string) {
  const { origin, hostname } = new URL(url)
  const model = modelInUrl(wire, url)
  // The name of a provider is the word before the top of its domain.
  const tag = { provider: hostname.split(".").at(-2) ?? hostname, endpoint: origin, ...(model && { model }) }
  const request = readers[wire.name]?.(body, tag) ?? null
  if (request === null) return null
  const target: Target = { ...tag, model: request.model, options: request.options }
  return { request, target }
}

const noBytes = new Uint8Array()

/** What was read, with calls by their order: an id only ties a result to its call, and some are written anew. */
function canonical({ model, segments, options, unread }: ReadRequest) {
  let calls = 0
  const tail = segments.tail.map((entry) =>
    entry.kind === "assistant"
      ? {
          ...entry,
          parts: entry.parts.map((part) => (part.type === "call" ? { ...part, call: (calls += 1) } : part)),
        }
      : entry,
  )
  return { model, options, unread, tools: segments.tools, prompts: [segments.system, segments.agent], tail }
}
