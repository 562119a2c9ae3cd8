/**
 * Recorded traffic, ours and where it is at hand real one: every answer decodes in any pieces, and
 * every request means the same after it was read and encoded again.
 */
import { describe, expect, test } from "vitest"
import { loadInteractions, realRecordings, recordingFiles } from "../../../test/recordings/recordings.ts"
import { answerBytes } from "../src/recording/recording.ts"
import { replayRequest } from "../src/recording/replay.ts"
import type { StreamEvent, Wire } from "../src/wire.ts"
import { wires } from "../src/wires.ts"

/** Which wire speaks in a folder. */
const wireOfFolder: Readonly<Record<string, string>> = {
  "anthropic-messages": "anthropic-messages",
  "anthropic-messages-cache": "anthropic-messages",
  "openai-responses": "openai-responses",
  "openai-responses-cache": "openai-responses",
  "openai-chat": "openai-chat",
  "openai-compatible-chat": "openai-chat",
}

const recorded = loadInteractions(Object.keys(wireOfFolder)).map((item) => ({
  ...item,
  wire: wires[wireOfFolder[item.folder] ?? ""] as Wire,
}))
const hasReal = recordingFiles(realRecordings).length > 0

interface Said {
  readonly text: string
  readonly calls: readonly unknown[]
  readonly finish: readonly unknown[]
  readonly usage: unknown
}

function decode(wire: Wire, pieces: readonly Uint8Array[], contentType: string): readonly StreamEvent[] {
  const decoder = wire.decoder(contentType)
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
}

function saidIn(events: readonly StreamEvent[]): Said {
  const text = events.flatMap((event) => (event.type === "text-end" ? [event.text] : []))
  const calls = events.flatMap((event) => (event.type === "call-end" ? [[event.name, event.input]] : []))
  const last = events.at(-1)
  return {
    text: text.join("|"),
    calls,
    finish: last?.type === "finish" ? [last.reason, last.nativeReason] : [last],
    usage: last?.type === "finish" ? last.usage : null,
  }
}

type Usage = ReturnType<typeof tokens>
const tokens = (input: number, output: number, cacheRead = 0, cacheWrite = 0) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
})
const paris = [["get_weather", { city: "Paris" }]]

/** A call and an answer, as provider-sim says them. */
const tide = (folder: string, native: readonly [string, string], ...usage: readonly [Usage, Usage]) => ({
  [`${folder}tool-call-then-text #0`]: {
    text: "",
    calls: [["tide_at", { harbour: "Lisbon" }]],
    finish: ["calls", native[0]],
    usage: usage[0],
  },
  [`${folder}tool-call-then-text #1`]: {
    text: "At 06:40 🌊.",
    calls: [],
    finish: ["stop", native[1]],
    usage: usage[1],
  },
})
const chatNative = ["tool_calls", "stop"] as const

const own: Readonly<Record<string, Said>> = {
  ...tide("anthropic-messages/", ["tool_use", "end_turn"], tokens(82, 7), tokens(135, 4)),
  ...tide("openai-responses/", ["completed", "completed"], tokens(94, 8), tokens(162, 5)),
  ...tide("openai-chat/", chatNative, tokens(90, 7), tokens(124, 4)),
  ...tide("openai-compatible-chat/deepseek-", chatNative, tokens(89, 7), tokens(59, 4, 64)),
  ...tide("openai-compatible-chat/groq-", chatNative, tokens(89, 7), tokens(123, 4)),
  ...tide("openai-compatible-chat/openrouter-", chatNative, tokens(89, 7), tokens(123, 4)),
}

/** What each answer says; written by hand from the recordings. */
const real: Readonly<Record<string, Said>> = {
  "anthropic-messages/streams-text #0": {
    text: "Hello!",
    calls: [],
    finish: ["stop", "end_turn"],
    usage: tokens(18, 5),
  },
  "anthropic-messages/streams-tool-call #0": {
    text: "",
    calls: paris,
    finish: ["calls", "tool_use"],
    usage: tokens(677, 33),
  },
  "openai-responses/gpt-5-5-streams-text #0": {
    text: "Hello!",
    calls: [],
    finish: ["stop", "completed"],
    usage: tokens(20, 18),
  },
  "openai-responses/gpt-5-5-streams-tool-call #0": {
    text: "",
    calls: paris,
    finish: ["calls", "completed"],
    usage: tokens(61, 18),
  },
  "openai-responses/openai-responses-gpt-5-5-reasoning #0": {
    text: "Hello!",
    calls: [],
    finish: ["stop", "completed"],
    usage: tokens(31, 21),
  },
  "openai-responses-cache/reports-cached-tokens-on-identical-second-call #0": {
    text: "Hi.",
    calls: [],
    finish: ["stop", "completed"],
    usage: tokens(4_765, 3),
  },
  "openai-responses-cache/reports-cached-tokens-on-identical-second-call #1": {
    text: "Hi.",
    calls: [],
    finish: ["stop", "completed"],
    usage: tokens(157, 3, 4_608),
  },
  "openai-chat/streams-text #0": {
    text: "Hello!",
    calls: [],
    finish: ["stop", "stop"],
    usage: tokens(22, 2),
  },
  "openai-chat/streams-tool-call #0": {
    text: "",
    calls: paris,
    finish: ["calls", "stop"],
    usage: tokens(67, 5),
  },
  "openai-compatible-chat/deepseek-streams-text #0": {
    text: "Hello!",
    calls: [],
    finish: ["stop", "stop"],
    usage: tokens(14, 2),
  },
  "openai-compatible-chat/groq-streams-tool-call #0": {
    text: "",
    calls: paris,
    finish: ["calls", "tool_calls"],
    usage: tokens(249, 10),
  },
  "openai-compatible-chat/openrouter-streams-text #0": {
    text: "Hello!",
    calls: [],
    finish: ["stop", "stop"],
    usage: tokens(21, 3),
  },
}

const expected = { ...own, ...real }

/** Answers below this size are cut in two at every byte. */
const everySplitBytesMax = 12_000

describe("recorded traffic", () => {
  test("[LL1] is all there", () => {
    const names = new Set(recorded.map(({ name }) => name))
    for (const name of Object.keys(hasReal ? expected : own)) expect(names).toContain(name)
  })

  test.each(recorded.map((item) => [item.name, item] as const))("[LL1 LL6] decodes: %s", (name, item) => {
    const type = item.response.headers["content-type"] ?? ""
    const bytes = answerBytes(item)
    const whole = decode(item.wire, [bytes], type)
    const said = saidIn(whole)
    if (expected[name] === undefined) expect(said.finish[0]).toBe("stop")
    else expect(said).toEqual(expected[name])
    expect(
      decode(
        item.wire,
        [...bytes].map((byte) => Uint8Array.of(byte)),
        type,
      ),
    ).toEqual(whole)
    for (let at = 1; at < bytes.length && bytes.length <= everySplitBytesMax; at += 1) {
      const events = decode(item.wire, [bytes.subarray(0, at), bytes.subarray(at)], type)
      if (JSON.stringify(events) !== JSON.stringify(whole)) expect([at, events]).toEqual([at, whole])
    }
  })

  test.each(recorded.map((item) => [item.name, item] as const))("[LL1] asks the same: %s", (_, item) => {
    expect(replayRequest(item.wire, item)).toEqual({ kind: "same" })
  })
})
