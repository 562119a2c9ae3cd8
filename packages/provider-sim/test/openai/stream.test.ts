/** Streams of OpenAI: they parse back to the whole answer byte by byte, and break as asked. */
import { expect, test } from "vitest"
import type { ChatDialect, Fault, Reply } from "../../src/index.ts"
import { textOf } from "../requests.ts"
import { chat, errorOf, eventsByByte, openaiSim, postTo, responses } from "./requests.ts"
import type { OpenAiPath } from "./requests.ts"

const rich: Reply = {
  blocks: [
    { type: "thinking", text: "First I look." },
    { type: "text", text: "Grüße, 😀 world" },
    { type: "tool_use", name: "read", input: { path: "ä.md" } },
    { type: "tool_use", name: "list", input: {} },
  ],
  chunkChars: 3,
}
const paths: readonly OpenAiPath[] = ["/v1/responses", "/v1/chat/completions"]
const bodyFor = (path: OpenAiPath, changes: object = {}) =>
  path === "/v1/responses" ? responses(changes) : chat(changes)

interface Item {
  readonly id: string
  readonly type: string
  readonly summary?: readonly { readonly text: string }[]
  readonly content?: readonly { readonly text: string }[]
  readonly arguments?: string
}
interface ResponseJson {
  readonly status: string
  readonly output: readonly Item[]
  readonly usage: Readonly<Record<string, unknown>>
  readonly incomplete_details: unknown
}

function respondWith(path: OpenAiPath, reply: Reply, changes: object = {}, dialect: ChatDialect = "openai") {
  return openaiSim(reply, dialect).respond(
    postTo(path, bodyFor(path, { model: "thinker", ...changes })),
    5_000,
  )
}

test("streams of Responses parse back to the whole answer, split at every byte", () => {
  const asked = { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] }
  const events = eventsByByte(
    respondWith("/v1/responses", { ...rich, bytesPerWrite: 1 }, { ...asked, stream: true }),
  )
  expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, index) => index))
  const deltas = (id: string, type: string) =>
    events
      .filter((event) => event["item_id"] === id && event["type"] === `response.${type}.delta`)
      .map((event) => event["delta"])
      .join("")
  const final = events.at(-1) as unknown as { readonly type: string; readonly response: ResponseJson }
  expect(final.type).toBe("response.completed")
  for (const item of final.response.output) {
    if (item.type === "message") expect(deltas(item.id, "output_text")).toBe(item.content?.[0]?.text)
    if (item.type === "function_call") {
      expect(deltas(item.id, "function_call_arguments")).toBe(item.arguments)
    }
    if (item.type === "reasoning") {
      expect(deltas(item.id, "reasoning_summary_text")).toBe(item.summary?.[0]?.text)
    }
  }
  const whole = JSON.parse(textOf(respondWith("/v1/responses", rich, asked))) as ResponseJson
  const shown = ({ output }: ResponseJson) =>
    output.map(({ type, summary, content, arguments: input }) => ({ type, summary, content, input }))
  expect(shown(final.response)).toEqual(shown(whole))
  expect(final.response.usage).toEqual(whole.usage)
  expect(shown(whole).map((item) => item.type)).toEqual([
    "reasoning",
    "message",
    "function_call",
    "function_call",
  ])
})

interface ChatJson {
  readonly choices: readonly [
    {
      readonly message: {
        readonly content: string | null
        readonly tool_calls?: readonly { readonly function: object }[]
        readonly reasoning_content?: string
        readonly reasoning?: string
      }
      readonly finish_reason: string
    },
  ]
  readonly usage: object
}
interface ChunkJson {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string | null
      readonly reasoning_content?: string
      readonly reasoning?: string
      readonly tool_calls?: readonly {
        readonly index: number
        readonly function: { readonly name?: string; readonly arguments: string }
      }[]
    }
    readonly finish_reason: string | null
  }[]
  readonly usage?: object | null
}

test.each(["openai", "deepseek", "groq", "openrouter"] as const)(
  "streams of Chat Completions parse back to the whole answer as %s, split at every byte",
  (dialect) => {
    const path = "/v1/chat/completions"
    const options = { stream: true, stream_options: { include_usage: true } }
    const response = respondWith(path, { ...rich, bytesPerWrite: 1 }, options, dialect)
    const chunks = eventsByByte(response) as unknown as readonly ChunkJson[]
    const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta))
    const calls = [0, 1].map((index) => {
      const pieces = deltas
        .flatMap((delta) => delta.tool_calls ?? [])
        .filter((call) => call.index === index)
        .map((call) => call.function)
      return { name: pieces[0]?.name, arguments: pieces.map((piece) => piece.arguments).join("") }
    })
    const whole = JSON.parse(textOf(respondWith(path, rich, {}, dialect))) as ChatJson
    const { message, finish_reason: finish } = whole.choices[0]
    expect(deltas.map((delta) => delta.content ?? "").join("")).toBe(message.content)
    expect(calls).toEqual(message.tool_calls?.map((call) => call.function))
    const thinking = dialect === "openai" ? "" : "First I look."
    expect(message.reasoning_content ?? message.reasoning ?? "").toBe(thinking)
    expect(deltas.map((delta) => delta.reasoning_content ?? delta.reasoning ?? "").join("")).toBe(thinking)
    expect(chunks.findLast((chunk) => chunk.choices.length > 0)?.choices[0]?.finish_reason).toBe(finish)
    expect(chunks.findLast((chunk) => chunk.usage)?.usage).toEqual(whole.usage)
  },
)

test("ends a stream of Chat Completions with [DONE] and reports usage only to those who ask", () => {
  const text = textOf(respondWith("/v1/chat/completions", rich, { stream: true }))
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true)
  expect(text).not.toContain('"usage"')
})

test.each(paths)("stops at the output limit on %s and says so", (path) => {
  const limit = path === "/v1/responses" ? { max_output_tokens: 16 } : { max_completion_tokens: 16 }
  const long: Reply = { blocks: [{ type: "text", text: "x".repeat(100) }] }
  const answer = JSON.parse(textOf(respondWith(path, long, limit))) as ResponseJson & ChatJson
  if (path === "/v1/responses") {
    expect(answer).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    })
    const events = eventsByByte(respondWith(path, long, { ...limit, stream: true }))
    expect(events.at(-1)?.["type"]).toBe("response.incomplete")
  } else {
    expect(answer.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "x".repeat(64) } })
  }
})

test.each(paths)("gives the same bytes for the same requests at the same times on %s", (path) => {
  const play = () => {
    const sim = openaiSim(rich)
    const send = (stream: boolean, nowMs: number) =>
      textOf(sim.respond(postTo(path, bodyFor(path, { model: "thinker", stream })), nowMs))
    return [send(true, 0), send(false, 1_000), send(true, 2_000)]
  }
  expect(play()).toEqual(play())
  expect(new Set(play()).size).toBe(3)
})

test("takes back every item that it has issued", () => {
  const sim = openaiSim(rich)
  const asked = { model: "thinker", store: false, include: ["reasoning.encrypted_content"] }
  const first = JSON.parse(textOf(sim.respond(postTo("/v1/responses", responses(asked)), 0))) as {
    output: { type: string; call_id?: string }[]
  }
  const outputs = first.output.flatMap((item) =>
    item.type === "function_call"
      ? [{ type: "function_call_output", call_id: item.call_id, output: "ok" }]
      : [],
  )
  const input = [{ role: "user", content: "Hello" }, ...first.output, ...outputs]
  const again = sim.respond(postTo("/v1/responses", responses({ ...asked, input })), 1)
  expect(again.status === 200 ? "" : errorOf(again).message).toBe("")
})

const refusals: readonly (readonly [Fault, number, string, string | null, RegExp])[] = [
  [
    { kind: "rate-limited", retryAfter: 7 },
    429,
    "tokens",
    "rate_limit_exceeded",
    /^Rate limit reached for thinker .* Please try again in 7s\./,
  ],
  [
    { kind: "out-of-credit" },
    429,
    "insufficient_quota",
    "insufficient_quota",
    /^You exceeded your current quota/,
  ],
  [
    { kind: "overloaded" },
    503,
    "service_unavailable_error",
    "server_is_overloaded",
    /^Our servers are currently overloaded\./,
  ],
  [{ kind: "server-error" }, 500, "server_error", null, /^The server had an error/],
  [{ kind: "unauthorized" }, 401, "invalid_request_error", "invalid_api_key", /^Incorrect API key provided/],
  [{ kind: "overflow" }, 400, "invalid_request_error", "context_length_exceeded", /context/],
  [
    { kind: "refused", status: 403, type: "permission_error", message: "No." },
    403,
    "invalid_request_error",
    null,
    /^No\.$/,
  ],
]

test.each(refusals.flatMap((row) => paths.map((path) => [path, ...row] as const)))(
  "answers on %s %o with its status and body",
  (path, fault, status, type, code, message) => {
    const response = respondWith(path, { ...rich, fault })
    expect(response.status).toBe(status)
    const error = errorOf(response)
    expect(error).toMatchObject({ type, code })
    expect(error.message).toMatch(message)
    if (fault.kind !== "rate-limited") return
    expect(response.headers).toMatchObject({
      "retry-after": "7",
      "retry-after-ms": "7000",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "7s",
    })
  },
)

const streamOf = (path: OpenAiPath, fault: Fault) => {
  const plain: Reply = { blocks: [{ type: "text", text: "abcdefgh" }], chunkChars: 2, fault }
  return respondWith(path, plain, { stream: true })
}
const deltaOf: Readonly<Record<OpenAiPath, RegExp>> = {
  "/v1/responses": /"delta":"../g,
  "/v1/chat/completions": /"delta":\{"content":"../g,
}

test.each(paths)("breaks a stream of %s where it is told to", (path) => {
  const count = (fault: Fault) => textOf(streamOf(path, fault)).match(deltaOf[path])?.length ?? 0
  expect(count({ kind: "stall", afterDeltas: 2 })).toBe(2)
  expect(textOf(streamOf(path, { kind: "stall" }))).toBe("[stall]")
  expect(textOf(streamOf(path, { kind: "cut", afterDeltas: 1 }))).toMatch(/data: [^\n]+\[cut\]$/)
  expect(count({ kind: "no-stop" })).toBe(4)
  expect(textOf(streamOf(path, { kind: "no-stop" }))).not.toMatch(/\[DONE\]|response\.completed/)
  expect(() => eventsByByte(streamOf(path, { kind: "malformed-json", afterDeltas: 1 }))).toThrow(SyntaxError)
  const [first] = streamOf(path, { kind: "endless-deltas" }).frames
  expect(first?.kind).toBe("bytes")
})

test("ends a stream of Responses with an error in each of its forms", () => {
  const last = (form?: "flat" | "failed") =>
    eventsByByte(
      streamOf("/v1/responses", {
        kind: "error-event",
        afterDeltas: 1,
        ...(form === undefined ? {} : { form }),
      }),
    ).slice(-2)
  expect(last()).toMatchObject([
    { type: "error", error: { type: "service_unavailable_error", code: "server_is_overloaded" } },
    { type: "response.failed", response: { status: "failed", error: { code: "server_is_overloaded" } } },
  ])
  expect(last("flat")[1]).toMatchObject({ type: "error", code: "server_is_overloaded", param: null })
  expect(last("failed").map((event) => event["type"])).toEqual([
    "response.output_text.delta",
    "response.failed",
  ])
})

test("ends a stream of Chat Completions with an error and no [DONE]", () => {
  const text = textOf(
    streamOf("/v1/chat/completions", { kind: "error-event", afterDeltas: 1, type: "api_error" }),
  )
  expect(text).not.toContain("[DONE]")
  expect(text).toMatch(
    /data: \{"error":\{"message":"The server had an error[^\n]+"type":"server_error"[^\n]+\n\n$/,
  )
})

test.each(paths)("mixes in what no client knows on %s and keeps the known part whole", (path) => {
  const reply: Reply = { blocks: [{ type: "text", text: "Hello" }], unknownEvents: true }
  const text = textOf(respondWith(path, reply, { stream: true }))
  expect(text).toContain("sim_unknown_event")
  expect(text).toContain("sim_unknown_field")
  expect(text).toContain("Hello")
})
