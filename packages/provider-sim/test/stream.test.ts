/** Stream: the order of events, what they carry, and that the same requests give the same bytes. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../src/index.ts"
import type { Reply } from "../src/index.ts"
import { body, eventsOf, post, readTool, textOf } from "./requests.ts"

const rich: Reply = {
  blocks: [
    { type: "thinking", text: "First I look." },
    { type: "redacted_thinking" },
    { type: "text", text: "Grüße, 😀 world" },
    { type: "tool_use", name: "read", input: { path: "a.md" } },
    { type: "tool_use", name: "read", input: {} },
  ],
  chunkChars: 4,
}

function simOf(reply: Reply) {
  return createProviderSim({ models: { plain: scripted(() => reply, { thinking: true }) } })
}

function streamText(reply: Reply): string {
  return textOf(simOf(reply).respond(post(body({ stream: true })), 0))
}

test("streams a text exactly in the provider's events", () => {
  const response = simOf({ ...textReply("Hello!"), outputTokens: 5 }).respond(post(body({ stream: true })), 0)
  expect(response.status).toBe(200)
  expect(response.headers).toMatchObject({
    "content-type": "text/event-stream; charset=utf-8",
    "request-id": "req_000001",
  })
  const text = textOf(response).replace(/"msg_[0-9a-f]+"/, '"msg_1"')
  const cache = `"cache_creation_input_tokens":0,"cache_read_input_tokens":0`
  expect(text).toBe(
    [
      `event: message_start\ndata: {"type":"message_start","message":{"model":"plain","id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":9,${cache},"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"service_tier":"standard"}}}`,
      `event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
      `event: ping\ndata: {"type":"ping"}`,
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello!"}}`,
      `event: content_block_stop\ndata: {"type":"content_block_stop","index":0}`,
      `event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":9,${cache},"output_tokens":5}}`,
      `event: message_stop\ndata: {"type":"message_stop"}`,
      "",
    ].join("\n\n"),
  )
})

test("streams each kind of block in its own deltas", () => {
  const events = eventsOf(streamText(rich))
  const deltas = (index: number) =>
    events.flatMap((event) =>
      event.type === "content_block_delta" && event.index === index ? [event.delta ?? {}] : [],
    )
  const kinds = (index: number) => [...new Set(deltas(index).map((delta) => delta["type"]))]
  expect(kinds(0)).toEqual(["thinking_delta", "signature_delta"])
  expect(
    deltas(0)
      .map((delta) => delta["thinking"] ?? "")
      .join(""),
  ).toBe("First I look.")
  expect(deltas(0).at(-1)?.["signature"]).toMatch(/^sig_[0-9a-f]{64}$/)
  expect(deltas(1)).toEqual([])
  expect(kinds(2)).toEqual(["text_delta"])
  expect(
    deltas(2)
      .map((delta) => delta["text"])
      .join(""),
  ).toBe("Grüße, 😀 world")
  expect(deltas(2).every((delta) => delta["text"]?.isWellFormed())).toBe(true)
  expect(
    deltas(3)
      .map((delta) => delta["partial_json"])
      .join(""),
  ).toBe('{"path":"a.md"}')
  expect(deltas(4).map((delta) => delta["partial_json"])).toEqual([""])
  expect(events.at(-2)?.delta?.["stop_reason"]).toBe("tool_use")
})

test("answers whole when no stream is asked for, with the same content", () => {
  const message = JSON.parse(textOf(simOf(rich).respond(post(body()), 0))) as {
    content: { type: string; id?: string }[]
    stop_reason: string
    usage: { output_tokens: number }
  }
  expect(message.content.map((block) => block.type)).toEqual([
    "thinking",
    "redacted_thinking",
    "text",
    "tool_use",
    "tool_use",
  ])
  expect(message.stop_reason).toBe("tool_use")
  expect(new Set(message.content.map((block) => block.id)).size).toBe(3)
})

test("takes back every block that it has issued", () => {
  const sim = simOf(rich)
  const first = JSON.parse(textOf(sim.respond(post(body({ tools: [readTool] })), 0))) as {
    content: { type: string; id: string }[]
  }
  const results = first.content.flatMap((block) =>
    block.type === "tool_use" ? [{ type: "tool_result", tool_use_id: block.id, content: "ok" }] : [],
  )
  const messages = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: first.content },
    { role: "user", content: results },
  ]
  const thinking = { type: "enabled", budget_tokens: 1_024 }
  const again = sim.respond(post(body({ tools: [readTool], messages, thinking, max_tokens: 2_000 })), 1)
  expect(textOf(again)).not.toContain('"error"')
})

test("gives the same bytes for the same requests at the same times", () => {
  const play = () => {
    const sim = simOf(rich)
    return [0, 1, 2].map((nowMs) => textOf(sim.respond(post(body({ stream: nowMs !== 1 })), nowMs)))
  }
  expect(play()).toEqual(play())
  expect(new Set(play()).size).toBe(3)
})

test("issues other call ids to another conversation in another process", () => {
  const idsOf = (content: string) => simAfter(content).log[0]?.reply?.calls.map((call) => call.id)
  const simAfter = (content: string) => {
    const sim = simOf(rich)
    sim.respond(post(body({ messages: [{ role: "user", content }] })), 0)
    return sim
  }
  expect(idsOf("one")).toEqual(idsOf("one"))
  expect(idsOf("one")).not.toEqual(idsOf("two"))
})

test("stops at max_tokens in the middle of a text", () => {
  const sim = simOf({
    blocks: [
      { type: "text", text: "é".repeat(100) },
      { type: "tool_use", name: "read", input: {} },
    ],
  })
  sim.respond(post(body({ max_tokens: 10 })), 0)
  expect(sim.log[0]?.reply).toMatchObject({
    text: "é".repeat(20),
    calls: [],
    stopReason: "max_tokens",
    outputTokens: 10,
  })
})

test("cuts and groups writes without changing the bytes", () => {
  const whole = streamText(rich)
  expect(streamText({ ...rich, framesPerWrite: 5 })).toBe(whole)
  expect(streamText({ ...rich, bytesPerWrite: 3 })).toBe(whole)
  const frames = [
    ...simOf({ ...rich, framesPerWrite: 1_000 }).respond(post(body({ stream: true })), 0).frames,
  ]
  expect(frames).toHaveLength(1)
})

test("pauses before the headers and before each delta", () => {
  const reply = { ...textReply("abcdef"), chunkChars: 2, delayMs: 7, firstByteMs: 30 }
  const response = simOf(reply).respond(post(body({ stream: true })), 0)
  expect(response.headersAfterMs).toBe(30)
  const pauses = [...response.frames].map((frame) => (frame.kind === "bytes" ? frame.afterMs : -1))
  expect(pauses).toEqual([0, 0, 0, 7, 7, 7, 0, 0, 0])
})

test("mixes in what no client knows and keeps the known part whole", () => {
  const text = streamText({ ...textReply("Hello"), unknownEvents: true })
  const events = eventsOf(text)
  expect(text).toContain(": keep-alive\n\n")
  expect(events.map((event) => event.type)).toContain("sim_unknown_event")
  expect(events.some((event) => event.delta?.["type"] === "sim_unknown_delta")).toBe(true)
  expect(events.at(-2)?.delta?.["stop_reason"]).toBe("sim_unknown_reason")
  const known = events.flatMap((event) =>
    event.delta?.["type"] === "text_delta" ? [event.delta["text"]] : [],
  )
  expect(known.join("")).toBe("Hello")
})

test("keeps one record per request and no more than asked", () => {
  const sim = createProviderSim({ models: { plain: scripted([textReply("One")]) }, logMax: 2 })
  sim.respond(post(body()), 5)
  sim.respond(post(body()), 6)
  sim.respond(post("{"), 7)
  expect(sim.log).toHaveLength(2)
  expect(sim.log[0]).toMatchObject({
    nowMs: 6,
    status: 200,
    model: "plain",
    reply: { text: "The script has no more replies." },
  })
  expect(sim.log[1]).toMatchObject({ nowMs: 7, status: 400, error: { type: "invalid_request_error" } })
})
