/** Targets of the Gemini wire, what it keeps with parts, and its bodies. */
import * as fc from "fast-check"
import type { Json } from "@holdfast/schema/json"
import { gemini } from "../../src/gemini/index.ts"
import { plainOptions, type RequestOptions } from "../../src/options.ts"
import type { Segments, Target } from "../../src/segments.ts"
import { historiesWith } from "../any-wire/histories.ts"
import { bodyText } from "../requests.ts"

export const geminiTarget = (more: Partial<RequestOptions> = {}, model = "gemini-3-pro-preview"): Target => ({
  provider: "google",
  model,
  endpoint: "https://generativelanguage.googleapis.com",
  options: plainOptions(8_192, more),
})

export const olderTarget = (more: Partial<RequestOptions> = {}): Target =>
  geminiTarget(more, "gemini-2.5-flash")

export const thought = (text: string, thoughtSignature?: string): Json => ({
  type: "thought",
  text,
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
})
export const mark = (thoughtSignature: string): Json => ({ type: "signature", thoughtSignature })
export const signedCall = (id: string | undefined, thoughtSignature?: string): Json => ({
  type: "call",
  ...(id === undefined ? {} : { id }),
  ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
})
export const signedText = (thoughtSignature: string): Json => ({ type: "text", thoughtSignature })
export const code: Json = { executableCode: { language: "PYTHON", code: "print(1)" } }
export const codeResult: Json = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1\n" } }

/** Ids of few values, so that they meet again. */
const id = fc.constantFrom(undefined, "a", "b", "c")

export const histories = historiesWith(
  fc.oneof(
    fc
      .tuple(fc.constantFrom("", " ", "hm"), fc.option(fc.constant("c2ln"), { nil: undefined }))
      .map(([words, sign]) => thought(words, sign)),
    fc.constantFrom(mark("c2ln"), mark(""), signedText("c2ln"), code, codeResult),
    fc.constantFrom<Json>({ toolCall: { toolType: "GOOGLE_SEARCH" } }, { toolResponse: { response: {} } }),
    fc
      .tuple(id, fc.option(fc.constant("c2ln"), { nil: undefined }))
      .map(([given, sign]) => signedCall(given, sign)),
  ),
)

export const anyTarget: fc.Arbitrary<Target> = fc
  .constantFrom("gemini-3-pro-preview", "gemini-2.5-flash", "gemini-2.0-flash", "gemini-flash-latest")
  .map((model) => geminiTarget({}, model))

export interface GeminiBody {
  readonly generationConfig: Record<string, unknown>
  readonly toolConfig?: unknown
  readonly tools?: readonly { readonly functionDeclarations: readonly Record<string, unknown>[] }[]
  readonly systemInstruction?: { readonly parts: readonly { readonly text: string }[] }
  readonly contents?: readonly { readonly role: string; readonly parts: readonly Record<string, unknown>[] }[]
}

export const bodyOf = (segments: Segments, target: Target): GeminiBody =>
  JSON.parse(bodyText(gemini.place(gemini.encode(segments, target), target, 0))) as GeminiBody

export const contentsOf = (segments: Segments, target: Target) => bodyOf(segments, target).contents ?? []
