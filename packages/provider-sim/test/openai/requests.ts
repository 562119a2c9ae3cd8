/** Requests of the tests for the wires of OpenAI: one legal body each and the ways to send it. */
import { expect } from "vitest"
import { createProviderSim, scripted, textReply } from "../../src/index.ts"
import type { ChatDialect, ProviderSim, Reply, SimModel, SimRequest, SimResponse } from "../../src/index.ts"
import { textOf } from "../requests.ts"

export type OpenAiPath = "/v1/responses" | "/v1/chat/completions"

export const headers = { authorization: "Bearer key", "content-type": "application/json" }

export function postTo(path: string, value: unknown, changes: Partial<SimRequest> = {}): SimRequest {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return { method: "POST", path, headers, body: new TextEncoder().encode(text), ...changes }
}

export const responses = (changes: object = {}): object => ({ model: "plain", input: "Hello", ...changes })
export const chat = (changes: object = {}): object => ({
  model: "plain",
  messages: [{ role: "user", content: "Hello" }],
  ...changes,
})

export function openaiSim(reply: Reply = textReply("Hi."), dialect: ChatDialect = "openai"): ProviderSim {
  const model = (traits: Omit<SimModel, "reply"> = {}) => scripted(() => reply, traits)
  return createProviderSim({
    dialect,
    models: {
      plain: model({ limit: { context: 200_000, output: 4_000 } }),
      small: model({ limit: { context: 100, output: 50 } }),
      thinker: model({ thinking: true }),
      blind: model({ images: false }),
      "gpt-5.6": model(),
    },
  })
}

export interface ErrorJson {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

export function errorOf(response: SimResponse): ErrorJson["error"] {
  return (JSON.parse(textOf(response)) as ErrorJson).error
}

/**
 * One rule: the legal neighbour, the illegal body, and the literal refusal. The status is 400
 * unless a fourth part of the refusal says otherwise.
 */
export type RuleRow = readonly [
  title: string,
  legal: object,
  illegal: object,
  message: string,
  param: string | null,
  code: string | null,
  status?: number,
]

export function expectRule(path: OpenAiPath, row: RuleRow, dialect: ChatDialect = "openai"): void {
  const [, legal, illegal, message, param, code, status = 400] = row
  const sim = openaiSim(undefined, dialect)
  const good = sim.respond(postTo(path, legal), 0)
  expect(good.status === 200 ? "" : errorOf(good).message).toBe("")
  const bad = sim.respond(postTo(path, illegal), 0)
  expect(bad.status).toBe(status)
  expect(errorOf(bad)).toEqual({ message, type: "invalid_request_error", param, code })
}

/** The `data:` values of a stream in order, read from its bytes one at a time. */
export function eventsByByte(response: SimResponse): readonly Readonly<Record<string, unknown>>[] {
  const events: Readonly<Record<string, unknown>>[] = []
  let line: number[] = []
  for (const frame of response.frames) {
    if (frame.kind !== "bytes") throw new Error(`unexpected ${frame.kind}`)
    for (const byte of frame.bytes) {
      if (byte !== 0x0a) {
        line.push(byte)
        continue
      }
      const text = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(line))
      line = []
      if (text.startsWith("data: {")) events.push(JSON.parse(text.slice("data: ".length)) as never)
    }
  }
  expect(line).toEqual([])
  return events
}
