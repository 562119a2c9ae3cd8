/** Requests of the tests: one legal body and the ways to send a changed one. */
import { createProviderSim } from "../src/index.ts"
import { scripted, textReply } from "../src/index.ts"
import type { ProviderSim, SimFrame, SimRequest, SimResponse } from "../src/index.ts"

export const headers = {
  "x-api-key": "key",
  "anthropic-version": "2023-06-01",
  "content-type": "application/json",
}

export const readTool = {
  name: "read",
  description: "Read a file",
  input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}

export function body(changes: object = {}): object {
  return { model: "plain", max_tokens: 100, messages: [{ role: "user", content: "Hello" }], ...changes }
}

export function post(value: unknown, changes: Partial<SimRequest> = {}): SimRequest {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return { method: "POST", path: "/v1/messages", headers, body: new TextEncoder().encode(text), ...changes }
}

export function strictSim(): ProviderSim {
  const say = () => textReply("Hi.")
  return createProviderSim({
    models: {
      plain: scripted(say),
      small: scripted(say, { limit: { context: 2_000, output: 500 } }),
      system: scripted(say, { systemRole: true }),
      thinker: scripted(say, { thinking: true }),
      modern: scripted(say, { prefill: false }),
      wide: scripted(say, { limit: { context: 1_000_000, output: 64_000 } }),
      blind: scripted(say, { images: false }),
    },
  })
}

/** The bytes of a finite response as text; the two other kinds of frame are named in brackets. */
export function textOf(response: SimResponse): string {
  const decoder = new TextDecoder()
  return [...response.frames].map((frame) => frameText(frame, decoder)).join("")
}

function frameText(frame: SimFrame, decoder: TextDecoder): string {
  return frame.kind === "bytes" ? decoder.decode(frame.bytes, { stream: true }) : `[${frame.kind}]`
}

export interface ErrorJson {
  readonly type: string
  readonly error: { readonly type: string; readonly message: string }
  readonly request_id: string
}

export function errorOf(response: SimResponse): ErrorJson {
  return JSON.parse(textOf(response)) as ErrorJson
}

export interface EventJson {
  readonly type: string
  readonly index?: number
  readonly message?: { readonly id: string; readonly usage: Readonly<Record<string, unknown>> }
  readonly content_block?: Readonly<Record<string, unknown>>
  readonly delta?: Readonly<Record<string, string>>
  readonly usage?: Readonly<Record<string, number>>
  readonly error?: { readonly type: string }
}

/** Parsed events of a well-formed stream; comments are left out. */
export function eventsOf(text: string): readonly EventJson[] {
  return text
    .split("\n\n")
    .filter((part) => part.startsWith("event: "))
    .map((part) => JSON.parse(part.slice(part.indexOf("data: ") + 6)) as EventJson)
}
