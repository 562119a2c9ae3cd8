/**
 * A request whose history grew by one message: encoded, checked and placed, as a tool turn does it.
 *
 * What is old is found again by identity. That walk takes longer for a longer list, so growth is a
 * row of its own; what it saves is told by the share of the same work on a history that nobody has
 * seen. Times are of the three steps alone, without the rest of a turn.
 */
import { plainOptions } from "@holdfast/llm/options"
import type { Entry, Segments, Target, ToolDefinition } from "@holdfast/llm/segments"
import type { Wire } from "@holdfast/llm/wire"
import { wires } from "@holdfast/llm/wires"
import type { CallId } from "@holdfast/schema/id"
import type { Readings } from "../report.ts"
import { type Amount, highest, lowest, median, nowNs, samplesOf, slowSamples } from "../sample.ts"

/** Wires by the last word of their rows. */
const measured = {
  anthropic: "anthropic-messages",
  responses: "openai-responses",
  chat: "openai-chat",
  gemini: "gemini",
  bedrock: "bedrock-converse",
} as const

const long = 3_000
const short = 300
const warmMessages = 30
/** So that a round has 200 samples and the list is hardly longer at its end. */
const passes = 3

interface Round {
  readonly longUs: number
  readonly shortUs: number
  readonly wholeUs: number
}

export async function measureReencode(amount: Amount): Promise<Readings> {
  const each = samplesOf(amount, slowSamples)
  const samples = passes * each
  // A whole history takes long: 67 of them a round, 200 in all.
  const wholes = amount.quick ? 2 : slowSamples
  const readings: Record<string, Readings[string]> = {}
  const shares: number[] = []
  const growths: number[] = []
  for (const [word, name] of Object.entries(measured)) {
    const wire = wires[name] as Wire
    const rounds: Round[] = []
    for (let round = 0; round <= amount.rounds; round++) {
      const found = {
        wholeUs: median(Array.from({ length: wholes }, () => wholeUs(wire))),
        longUs: grownUs(wire, long, each),
        shortUs: grownUs(wire, short, each),
      }
      // The first round warms up.
      if (round > 0) rounds.push(found)
    }
    const best = (key: keyof Round): number => lowest(rounds.map((found) => found[key]))
    const note = `${(best("wholeUs") / 1e3).toFixed(1)} ms with nothing kept`
    readings[`reencode-${word}`] = { value: best("longUs"), samples, rounds: amount.rounds, note }
    shares.push(best("longUs") / best("wholeUs"))
    growths.push(best("longUs") / best("shortUs"))
  }
  const { rounds } = amount
  const spread = (ratios: readonly number[]) => `best wire ${lowest(ratios).toPrecision(2)} ×`
  return {
    ...readings,
    "reencode-share": { value: highest(shares), samples: wholes, rounds, note: spread(shares) },
    "reencode-growth": { value: highest(growths), samples, rounds, note: spread(growths) },
  }
}

/** Median time of a request after each of so many messages, one at a time, over all passes. */
function grownUs(wire: Wire, messages: number, samples: number): number {
  return median(Array.from({ length: passes }, () => grownTimes(wire, messages, samples)).flat())
}

function grownTimes(wire: Wire, messages: number, samples: number): readonly number[] {
  const target = targetOf(wire)
  let entries = historyOf(messages)
  let previousBlocks = request(wire, target, entries, 0)
  const times: number[] = []
  for (let i = 0; i < warmMessages + samples; i++) {
    entries = [...entries, answerOf(messages + i)]
    const startNs = nowNs()
    previousBlocks = request(wire, target, entries, previousBlocks)
    const tookUs = (nowNs() - startNs) / 1e3
    if (i >= warmMessages) times.push(tookUs)
  }
  return times
}

/** Time of the same request when no entry of it has been seen before. */
function wholeUs(wire: Wire): number {
  const entries = historyOf(long)
  const startNs = nowNs()
  request(wire, targetOf(wire), entries, 0)
  return (nowNs() - startNs) / 1e3
}

/** The three steps of a turn; gives the count of blocks. */
function request(wire: Wire, target: Target, tail: readonly Entry[], previousBlocks: number): number {
  const encoded = wire.encode({ ...prompts, tail }, target)
  const faults = wire.lint(encoded, target)
  if (faults.length > 0) throw new Error(`${wire.name}: ${JSON.stringify(faults[0])}`)
  return wire.place(encoded, target, previousBlocks).record.blocks
}

const targetOf = (wire: Wire): Target => ({
  provider: "bench",
  model: "bench",
  endpoint: `http://127.0.0.1/${wire.name}`,
  options: plainOptions(8_192),
})

const readTool: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
}

const prompts: Omit<Segments, "tail"> = {
  tools: [readTool],
  system: "You work in a project. ".repeat(40),
  agent: "Keep answers short. Name files by their path. ".repeat(40),
  historyBaseline: [],
  historyDelta: [],
}

const userText = "Which part of the request repeats the one before it, and where does it break? ".repeat(3)
const answerText = "The prefix holds, and the ledger names each break. ".repeat(8).trimEnd()

/** A prompt, then answers that call a tool; each entry is a message of the size of the other rows. */
const historyOf = (messages: number): readonly Entry[] =>
  Array.from({ length: messages }, (_, at) =>
    at % 4 === 0 ? { kind: "user", text: `${at} ${userText}`.slice(0, 200) } : answerOf(at),
  )

const answerOf = (at: number): Entry => ({
  kind: "assistant",
  parts: [
    { type: "text", text: `${at} ${answerText}`.slice(0, 200) },
    {
      type: "call",
      call: `call_${at}` as CallId,
      name: "read",
      input: { path: `src/file-${at}.ts` },
      result: answerText.slice(0, 200),
      failed: false,
    },
  ],
})
