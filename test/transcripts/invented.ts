/**
 * Sessions of our own making, in the shape of the recorded ones and with what those are known for:
 * calls in parallel, results of many sizes, words while tools run, failed and missing results, blank
 * texts, compactions, and pauses that a cache outlives or not.
 *
 *   assumed: the use of the cache. Within the life of an entry a call reads the whole prompt before
 *   it; after a compaction or a rewriting the head alone; after the life nothing.
 */
import { World } from "../stage/scheduler.ts"
import type { Transcript, WireCall, WireItem, WireMessage } from "./transcript.ts"

const headTokens = 22_000
/** Of which OpenAI tells all but the first 128, in steps of 512. */
const promptHeadTokens = 23 * 512 - 128
const answersPerSegment = 30
const startMs = Date.parse("2026-03-02T08:00:00Z")
const minuteMs = 60_000
const words = ["dough", "oven", "ledger", "flour", "invoice", "Größe", "粉", "crust", "batch", "🥐"]

/** What came before an answer, and the answer. */
interface Written<Item> {
  readonly before: readonly Item[]
  readonly answer: readonly Item[]
}

interface Exchange<Item> extends Written<Item> {
  readonly tokens: number
}

export const inventedMessages: readonly Transcript<WireMessage>[] = (["5m", "1h"] as const).map((ttl, at) => {
  const clock = { ms: startMs }
  return {
    name: `invented-${ttl}`,
    segments: invent(at + 1, 2, messagesOf).map((exchanges) => ({
      items: exchanges.flatMap(({ before, answer }) => [...before, ...answer]),
      calls: markedCalls(exchanges, ttl, clock),
    })),
  }
})

export const inventedItems: readonly Transcript<WireItem>[] = [
  {
    name: "invented-items",
    segments: invent(3, 1, itemsOf).map((exchanges) => ({
      items: exchanges.flatMap(({ before, answer }) => [...before, ...answer]),
      calls: prefixCalls(exchanges),
    })),
  },
]

/** What was said in one exchange, before it is written as a provider has it. */
interface Said {
  readonly texts: readonly string[]
  readonly results: readonly { readonly id: string; readonly text: string; readonly failed: boolean }[]
  readonly thinking: string | null
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly query: string }[]
}

function invent<Item>(
  seed: number,
  segments: number,
  write: (said: Said) => Written<Item>,
): readonly (readonly Exchange<Item>[])[] {
  const world = new World(seed)
  let ids = 0
  const prose = (count: number) =>
    Array.from({ length: count }, () => words[world.below(words.length)]).join(" ")
  // Most results are short, some fill pages, one in a while is cut by the runtime.
  const resultText = () => prose(world.chance(0.1) ? 9_000 : world.chance(0.3) ? 900 : 8)
  return Array.from({ length: segments }, (_, segment) => {
    let open: Said["calls"] = []
    return Array.from({ length: answersPerSegment }, (__, at): Exchange<Item> => {
      const opens = at === 0 && segment > 0 ? ["Summary of what was done: ".concat(prose(60))] : []
      const speaks = open.length === 0 || world.chance(0.15)
      const texts = [
        ...opens,
        ...(speaks ? [`Step ${at}: ${prose(12)}`, ...(at % 5 === 4 ? [" "] : [])] : []),
      ]
      // A call without a result now and then, as in every twentieth recorded session.
      const results = open
        .filter(() => !world.chance(0.02))
        .map(({ id }) => ({ id, text: resultText(), failed: world.chance(0.08) }))
      const count = at % 6 === 5 ? 0 : 1 + world.below(4)
      open = Array.from({ length: count }, () => {
        const id = `call_${++ids}`
        return { id, name: world.chance(0.5) ? "read_file" : "search", query: `${prose(2)} ${id}` }
      })
      const thinking = world.chance(0.4) ? prose(15) : null
      const said = {
        texts,
        results,
        thinking,
        text: count === 0 || world.chance(0.5) ? prose(10) : "",
        calls: open,
      }
      return { ...write(said), tokens: 40 + Math.ceil(JSON.stringify(said).length / 4) }
    })
  })
}

function messagesOf({ texts, results, thinking, text, calls }: Said): Written<WireMessage> {
  const content = [
    ...results.map(({ id, text: result, failed }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: failed ? result : [{ type: "text", text: result }],
      ...(failed ? { is_error: true } : {}),
    })),
    ...texts.map((said) => ({ type: "text", text: said })),
  ]
  const [only] = texts
  const user = results.length === 0 && texts.length === 1 && only !== undefined ? only : content
  const blocks = [
    ...(thinking === null ? [] : [{ type: "thinking", thinking }]),
    { type: "text", text },
    ...calls.map(({ id, name, query }) => ({ type: "tool_use", id, name, input: { query } })),
  ]
  return {
    before: content.length === 0 ? [] : [{ role: "user", content: user }],
    answer: [{ role: "assistant", content: blocks }],
  }
}

function itemsOf({ texts, results, thinking, text, calls }: Said): Written<WireItem> {
  const message = (role: string, said: string): WireItem => ({
    type: "message",
    role,
    content: [{ text: said }],
  })
  return {
    before: [
      ...results.map(({ id, text: output }) => ({ type: "function_call_output", call_id: id, output })),
      ...texts.map((said) => message("user", said)),
    ],
    answer: [
      { type: "reasoning", summary: thinking === null ? [] : [{ text: thinking }] },
      ...(text === "" ? [] : [message("assistant", text)]),
      ...calls.map(({ id, name, query }) => ({
        type: "function_call",
        call_id: id,
        name,
        arguments: JSON.stringify({ query }),
      })),
    ],
  }
}

/** How long after the call before, in minutes, by its place: most within the life, some beyond it. */
function pauseMinutes(at: number, ttl: "5m" | "1h"): number {
  if (at % 10 === 9) return ttl === "5m" ? 7 : 95
  return at % 4 === 3 && ttl === "1h" ? 40 : 1
}

function* sized<Item>(exchanges: readonly Exchange<Item>[], head: number) {
  let [items, prompt] = [0, head]
  for (const [at, { before, answer, tokens }] of exchanges.entries()) {
    items += before.length
    prompt += tokens
    yield { at, prompt, promptItems: items }
    items += answer.length
  }
}

function markedCalls(exchanges: readonly Exchange<unknown>[], ttl: "5m" | "1h", clock: { ms: number }) {
  const lifeMinutes = ttl === "5m" ? 5 : 60
  let last = 0
  return [...sized(exchanges, headTokens)].map(({ at, prompt, promptItems }): WireCall => {
    const pause = pauseMinutes(at, ttl)
    clock.ms += pause * minuteMs
    // Somebody else keeps the head of a session alive; of a segment the session itself did.
    const read = at === 0 ? headTokens : pause > lifeMinutes ? 0 : last
    last = prompt
    const write = prompt - read
    return {
      prompt_len: promptItems,
      ts: new Date(clock.ms).toISOString(),
      model: "claude-invented",
      usage: {
        input_tokens: 3,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: write,
        cache_creation: { ephemeral_1h_input_tokens: ttl === "1h" ? write : 0 },
      },
    }
  })
}

function prefixCalls(exchanges: readonly Exchange<unknown>[]) {
  let last = promptHeadTokens
  return [...sized(exchanges, promptHeadTokens)].map(({ at, prompt, promptItems }): WireCall => {
    const cached = Math.floor((last + 128) / 512) * 512 - 128
    last = prompt
    return {
      prompt_len: promptItems,
      ts: new Date(startMs + at * minuteMs).toISOString(),
      model: "gpt-invented",
      usage: { input_tokens: prompt, cached_input_tokens: cached },
    }
  })
}
