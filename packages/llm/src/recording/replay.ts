/**
 * Replay: one recorded exchange through a wire, both ways (LL1).
 *
 * The answer is decoded to canonical events. The request is read to a canonical request and encoded
 * again; it must mean what was recorded and keep the provider's grammar.
 */
import { parseFields } from "../json-fields.ts"
import { fillBody } from "../request/media-hole.ts"
import type { ReadRequest } from "../request/read-request.ts"
import type { Target } from "../segments.ts"
import type { LintFault, StreamEvent, Wire } from "../wire.ts"
import { writtenForms } from "../written-forms.ts"
import { type Difference, findDifference } from "./difference.ts"
import { requestMeaning } from "./meaning.ts"
import { answerBytes, type Interaction } from "./recording.ts"
import { modelInUrl } from "./wire-of-url.ts"

export type RequestReplay =
  | { readonly kind: "same" }
  | { readonly kind: "different"; readonly difference: Difference }
  | { readonly kind: "illegal"; readonly faults: readonly LintFault[] }
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
  const decoder = wire.decoder(headers["content-type"] ?? "")
  return [...decoder.push(bytes), ...decoder.end()]
}

export function replayRequest(wire: Wire, { request }: Interaction): RequestReplay {
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

export interface ReadBack {
  readonly request: ReadRequest
  readonly target: Target
}

/** A body as a canonical request and whom it is for; null if it is no request of this wire. */
export function readBack(wire: Wire, url: string, body: string): ReadBack | null {
  const { origin, hostname } = new URL(url)
  const model = modelInUrl(wire, url)
  // The name of a provider is the word before the top of its domain.
  const tag = {
    provider: hostname.split(".").at(-2) ?? hostname,
    endpoint: origin,
    ...(model === null ? {} : { model }),
  }
  const request = writtenForms[wire.name]?.read(body, tag) ?? null
  if (request === null) return null
  return { request, target: { ...tag, model: request.model, options: request.options } }
}
