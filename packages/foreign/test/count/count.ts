/**
 * Independent counts, one for each format: written apart from the readers, from what the formats say, and
 * without a line of their code. Plain sums over `JSON.parse`.
 */
import { readFileSync } from "node:fs"

export interface Count {
  requests: number
  input: number
  read: number
  written: number
  output: number
  /** Messages of the model, calls it asked for, results they got. */
  answers: number
  calls: number
  results: number
}

const zero = (): Count => ({
  requests: 0,
  input: 0,
  read: 0,
  written: 0,
  output: 0,
  answers: 0,
  calls: 0,
  results: 0,
})

// oxlint-disable-next-line typescript/no-explicit-any -- the files are somebody else's, and this is a test
type Any = any

const jsonLines = (path: string): Any[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line))

export function countClaudeCode(paths: readonly string[]): Count {
  const count = zero()
  const usage = new Map<string, Any>()
  const answers = new Set<string>()
  for (const path of paths) {
    for (const line of jsonLines(path)) {
      const content: Any[] = Array.isArray(line.message?.content) ? line.message.content : []
      if (line.type === "assistant") {
        answers.add(line.message.id)
        usage.set(line.requestId, line.message.usage)
        count.calls += content.filter((block) => block.type === "tool_use").length
      }
      if (line.type === "user")
        count.results += content.filter((block) => block.type === "tool_result").length
    }
  }
  for (const each of usage.values()) {
    count.input += each.input_tokens
    count.read += each.cache_read_input_tokens
    count.written += each.cache_creation_input_tokens
    count.output += each.output_tokens
  }
  count.requests = usage.size
  count.answers = answers.size
  return count
}

export function countCodex(path: string): Count {
  const count = zero()
  let before = ""
  for (const { type, payload } of jsonLines(path)) {
    if (type === "event_msg" && payload.type === "token_count" && payload.info) {
      const total = JSON.stringify(payload.info.total_token_usage)
      if (total !== before) {
        const last = payload.info.last_token_usage
        count.requests++
        count.input += last.input_tokens - last.cached_input_tokens
        count.read += last.cached_input_tokens
        count.output += last.output_tokens
      }
      before = total
    }
    if (type !== "response_item") continue
    if (payload.type === "message" && payload.role === "assistant") count.answers++
    if (["function_call", "custom_tool_call", "tool_search_call"].includes(payload.type)) count.calls++
    if (payload.type.endsWith("_output")) count.results++
  }
  return count
}

export function countPi(path: string): Count {
  const count = zero()
  for (const { type, message } of jsonLines(path)) {
    if (type !== "message") continue
    if (message.role === "toolResult") count.results++
    if (message.role !== "assistant") continue
    count.answers++
    count.requests++
    count.calls += message.content.filter((block: Any) => block.type === "toolCall").length
    count.input += message.usage.input
    count.read += message.usage.cacheRead
    count.written += message.usage.cacheWrite
    count.output += message.usage.output
  }
  return count
}

export function countTranscript(path: string): Count {
  const count = zero()
  const { api, segments } = JSON.parse(readFileSync(path, "utf8")) as Any
  for (const { items, calls } of segments) {
    count.requests += calls.length
    for (const { usage } of calls) {
      const cached = usage.cached_input_tokens ?? 0
      count.input += usage.input_tokens - cached
      count.read += usage.cache_read_input_tokens ?? cached
      count.written += usage.cache_creation_input_tokens ?? 0
      count.output += usage.output_tokens
    }
    for (const item of items) {
      const blocks: Any[] = Array.isArray(item.content) ? item.content : []
      if (item.role === "assistant") count.answers++
      if (api === "anthropic-messages") {
        count.calls += blocks.filter((block) => block.type === "tool_use").length
        count.results += blocks.filter((block) => block.type === "tool_result").length
      } else {
        if (/^(function|custom_tool|tool_search)_call$/.test(item.type)) count.calls++
        if (item.type.endsWith("_output")) count.results++
      }
    }
  }
  return count
}

/** The JSON of `opencode export`. */
export function countOpenCode(text: string): Count {
  const count = zero()
  for (const { info, parts } of (JSON.parse(text) as Any).messages) {
    if (info.role !== "assistant") continue
    count.answers++
    count.requests++
    count.input += info.tokens.input
    count.read += info.tokens.cache.read
    count.written += info.tokens.cache.write
    count.output += info.tokens.output + info.tokens.reasoning
    for (const part of parts) {
      if (part.type !== "tool") continue
      count.calls++
      if (part.state.status === "completed" || part.state.status === "error") count.results++
    }
  }
  return count
}
