/**
 * Replay: one recorded exchange through a wire, both ways (LL1).
 *
 * The answer is decoded to canonical events. The request is read to a canonical request and encoded
 * again; it must mean what was recorded and keep the provider's grammar.
 */
import { parseFields } from "../json-fields.ts"
import { fillBody } from "../request/media-hole.ts"
import type { LintFault, StreamEvent, Wire } from "../wire.ts"
import { type Difference, findDifference } from "./difference.ts"
import { lintBody } from "./lint-body.ts"
import { requestMeaning } from "./meaning.ts"
import { readBack } from "./read-back.ts"
import { answerBytes, type Interaction } from "./recording.ts"

export type RequestReplay =
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly difference: Difference }
  | { readonly kind: "illegal"; readonly faults: readonly LintFault[] }
  /** The provider refused it, and so would the linter: no request of ours can be like it. */
  | { readonly kind: "refused"; readonly faults: readonly LintFault[] }
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

export function replayRequest(wire: Wire, { request, response }: Interaction): RequestReplay {
  const replayed = encodeAgain(wire, request)
  if (replayed.kind === "same" || !refusals.has(response.status)) return replayed
  const faults = lintBody(wire, request.body, request.url)?.faults ?? []
  return faults.length === 0 ? replayed : { kind: "refused", faults }
}

/** What providers answer to a request that they cannot take. */
const refusals: ReadonlySet<number> = new Set([400, 422])

function encodeAgain(wire: Wire, request: Interaction["request"]): RequestReplay {
  const read = readBack(wire, request.url, request.body)
  if (read === null) return { kind: "unread", places: ["the whole body"] }
  if (read.request.unread.length > 0) return { kind: "unread", places: read.request.unread }
  const { target } = read
  const encoded = wire.encode(read.request.segments, target)
  const faults = wire.lint(encoded, target)
  if (faults.length > 0) return { kind: "illegal", faults }
  const { images } = read.request
  const filled = fillBody(wire.place(encoded, target, 0), (hash) => images.get(hash) ?? noBytes)
  const text = Buffer.concat(filled).toString("utf8")
  const asked = parseFields(request.body) ?? {}
  const sent = parseFields(text) ?? {}
  const difference = findDifference(
    requestMeaning(wire.name, asked, asked),
    requestMeaning(wire.name, sent, asked),
  )
  return difference === null ? { kind: "same" } : { kind: "different", difference }
}

const noBytes = new Uint8Array()
