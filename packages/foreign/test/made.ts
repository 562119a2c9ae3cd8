/** Small sessions in the shape of each agent's files, written here: requests that grow, and what is planted between them. */

export interface Step {
  /** Minutes since the request before. */
  readonly gap?: number
  /** The cache gives nothing but this. */
  readonly read?: number
  readonly plant?: Plant
}

export type Plant = "compaction" | "edit" | "model" | "effort" | "tools" | "system"

interface Request {
  readonly at: number
  readonly input: number
  readonly read: number
  readonly write: number
  readonly output: number
}

const start = Date.UTC(2026, 5, 1, 8)
const growth = 4_000
const first = 20_000

/** Each request reads what the one before it read and wrote, unless a step says otherwise. */
function requestsOf(steps: readonly Step[]): readonly Request[] {
  let at = start
  let cached = 0
  let prompt = first
  return steps.map(({ gap = 1, read = cached }, index) => {
    at += gap * 60_000
    if (index > 0) prompt += growth
    const request = { at, input: 2, read, write: prompt - read - 2, output: 100 + index }
    cached = read + request.write
    return request
  })
}

const iso = (at: number): string => new Date(at).toISOString()

export function claudeCode(steps: readonly Step[], session = "11111111-aaaa"): readonly object[] {
  const lines: object[] = []
  let leaf: string | null = null
  let beforeLastPrompt: string | null = null
  const line = (type: string, at: number, more: object, parent: string | null = leaf): void => {
    const uuid = `${session}-u${lines.length}`
    lines.push({
      type,
      uuid,
      parentUuid: parent,
      sessionId: session,
      cwd: "/w",
      timestamp: iso(at),
      isSidechain: false,
      ...more,
    })
    leaf = uuid
  }
  const prompt = (text: string, at: number, parent: string | null = leaf): void => {
    beforeLastPrompt = parent
    line("user", at, { message: { role: "user", content: text } }, parent)
  }
  for (const [index, { at, input, read, write, output }] of requestsOf(steps).entries()) {
    const { plant } = steps[index] ?? {}
    if (plant === "compaction") {
      line(
        "system",
        at - 9_000,
        { subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 9 } },
        null,
      )
      line("user", at - 8_000, { isCompactSummary: true, message: { role: "user", content: "summary" } })
    } else if (plant === "edit") prompt(`again ${index}`, at - 5_000, beforeLastPrompt)
    else if (index % 3 === 0) prompt(`prompt ${index}`, at - 5_000)
    line("progress", at - 4_000, { data: { type: "hook_progress" } })
    const model = plant === "model" ? "claude-sonnet-4-5" : "claude-opus-4-6"
    const cache_creation = { ephemeral_5m_input_tokens: write, ephemeral_1h_input_tokens: 0 }
    const usage = {
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
      cache_creation,
    }
    const said = (content: object, tokens: number, requestId: string) =>
      line("assistant", at + tokens, {
        requestId,
        message: {
          id: `msg_${session}_${index}`,
          model,
          role: "assistant",
          content: [content],
          usage: { ...usage, output_tokens: tokens },
        },
      })
    // The same request on two lines: of its counts the last ones hold.
    said({ type: "thinking", thinking: "hm", signature: "c2ln" }, 1, `req_${session}_${index}`)
    said(
      { type: "tool_use", id: `toolu_${index}`, name: "Bash", input: { command: "ls" } },
      output,
      `req_${session}_${index}`,
    )
    line("user", at + 2_000, {
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `toolu_${index}`, content: "ok" }],
      },
    })
  }
  return lines
}

export function codex(steps: readonly Step[], session = "22222222-bbbb"): readonly object[] {
  const lines: object[] = []
  const line = (type: string, at: number, payload: object) =>
    lines.push({ timestamp: iso(at), type, payload })
  const total = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  line("session_meta", start, { id: session, timestamp: iso(start), cwd: "/w", model_provider: "openai" })
  line("turn_context", start, { model: "gpt-5.5", effort: "high" })
  for (const [index, { at, input, read, write, output }] of requestsOf(steps).entries()) {
    const { plant } = steps[index] ?? {}
    if (plant === "compaction") line("compacted", at - 9_000, { message: "summary" })
    if (plant === "edit") line("event_msg", at - 9_000, { type: "thread_rolled_back", num_turns: 1 })
    if (plant === "model") line("turn_context", at - 9_000, { model: "gpt-5.4", effort: "high" })
    if (plant === "effort") line("turn_context", at - 9_000, { model: "gpt-5.5", effort: "low" })
    if (index % 3 === 0 || plant === "edit") {
      const content = [{ type: "input_text", text: `prompt ${index}` }]
      line("response_item", at - 5_000, { type: "message", role: "user", content })
    }
    line("response_item", at - 1_000, { type: "reasoning", summary: [], encrypted_content: "c2VjcmV0" })
    const call = { call_id: `call_${index}` }
    line("response_item", at - 900, {
      type: "function_call",
      name: "shell",
      arguments: '{"cmd":"ls"}',
      ...call,
    })
    line("response_item", at - 800, { type: "function_call_output", output: "ok", ...call })
    const all = input + read + write
    const last = {
      input_tokens: all,
      cached_input_tokens: read,
      output_tokens: output,
      total_tokens: all + output,
    }
    for (const field of Object.keys(total) as (keyof typeof total)[]) total[field] += last[field]
    const info = { total_token_usage: { ...total }, last_token_usage: last }
    // The same counts twice, as Codex writes them.
    line("event_msg", at, { type: "token_count", info })
    line("event_msg", at + 10, { type: "token_count", info })
  }
  return lines
}

export function pi(steps: readonly Step[], session = "33333333-cccc"): readonly object[] {
  const lines: object[] = [{ type: "session", version: 3, id: session, timestamp: iso(start), cwd: "/w" }]
  let leaf: string | null = null
  let beforeLastPrompt: string | null = null
  const line = (type: string, at: number, more: object, parent: string | null = leaf): void => {
    const id = `e${lines.length}`
    lines.push({ type, id, parentId: parent, timestamp: iso(at), ...more })
    leaf = id
  }
  for (const [index, { at, input, read, write, output }] of requestsOf(steps).entries()) {
    const { plant } = steps[index] ?? {}
    if (plant === "compaction")
      line("compaction", at - 9_000, { summary: "summary", firstKeptEntryId: "e1", tokensBefore: 9 })
    if (plant === "effort") line("thinking_level_change", at - 9_000, { thinkingLevel: "low" })
    if (index === 0) line("thinking_level_change", at - 9_000, { thinkingLevel: "high" })
    if (index % 3 === 0 || plant === "edit") {
      const parent: string | null = plant === "edit" ? beforeLastPrompt : leaf
      beforeLastPrompt = parent
      const content = [{ type: "text", text: `prompt ${index}` }]
      line("message", at - 5_000, { message: { role: "user", content, timestamp: at - 5_000 } }, parent)
    }
    const usage = {
      input,
      output,
      cacheRead: read,
      cacheWrite: write,
      totalTokens: input + output + read + write,
    }
    const model = plant === "model" ? "claude-sonnet-4-5" : "claude-opus-4-5"
    const content = [{ type: "toolCall", id: `toolu_${index}`, name: "bash", arguments: { command: "ls" } }]
    const answer = {
      role: "assistant",
      content,
      provider: "anthropic",
      model,
      usage,
      stopReason: "toolUse",
      timestamp: at,
    }
    line("message", at + 900, { message: answer })
    const result = { role: "toolResult", toolCallId: `toolu_${index}`, toolName: "bash", isError: false }
    line("message", at + 950, {
      message: { ...result, content: [{ type: "text", text: "ok" }], timestamp: at + 950 },
    })
  }
  return lines
}

/** What `opencode export` writes. */
export function openCode(steps: readonly Step[], session = "ses_44444444"): object {
  const messages: object[] = []
  for (const [index, { at, input, read, write, output }] of requestsOf(steps).entries()) {
    const { plant } = steps[index] ?? {}
    const id = `msg_${String(index).padStart(4, "0")}`
    if (index % 3 === 0) {
      const info = { id: `${id}a`, role: "user", time: { created: at - 5_000 } }
      messages.push({ info, parts: [{ id: `prt_${id}a`, type: "text", text: `prompt ${index}` }] })
    }
    if (plant === "compaction") messages.push(...openCodeSummary(id, at))
    const agent = plant === "system" ? "plan" : "build"
    const modelID = plant === "model" ? "claude-sonnet-4-5" : "claude-opus-4-5"
    const tokens = { total: 1, input, output: output - 40, reasoning: 40, cache: { read, write } }
    const named = {
      role: "assistant",
      agent,
      mode: agent,
      providerID: "anthropic",
      modelID,
      finish: "tool-calls",
    }
    const state = {
      status: "completed",
      input: { command: "ls" },
      output: "ok",
      time: { start: at, end: at + 10 },
    }
    messages.push({
      info: { id: `${id}b`, ...named, tokens, cost: 0, time: { created: at, completed: at + 900 } },
      parts: [
        { id: `prt_${id}b`, type: "step-start" },
        { id: `prt_${id}c`, type: "tool", tool: "bash", callID: `toolu_${index}`, state },
        { id: `prt_${id}d`, type: "step-finish", tokens },
      ],
    })
  }
  return { info: { id: session, title: "made here", directory: "/w", time: { created: start } }, messages }
}

/** A request for a summary, and the answer that is one; nothing was counted of it. */
function openCodeSummary(id: string, at: number): readonly object[] {
  const asked = { id: `${id}8`, role: "user", time: { created: at - 9_000 } }
  const named = { role: "assistant", agent: "build", mode: "compaction", summary: true, finish: "stop" }
  const time = { created: at - 8_000, completed: at - 7_000 }
  const answered = { id: `${id}9`, ...named, providerID: "anthropic", modelID: "claude-opus-4-5", time }
  return [
    { info: asked, parts: [{ id: `prt_${id}8`, type: "compaction", auto: true }] },
    { info: answered, parts: [{ id: `prt_${id}9`, type: "text", text: "What was done so far." }] },
  ]
}

/** A wire transcript of Anthropic Messages; tools and system stand with the calls. */
export function transcript(steps: readonly Step[], session = "55555555-dddd"): object {
  const segments: { kind: string; items: object[]; calls: object[] }[] = []
  let tools = ["read"]
  let system = "be brief"
  for (const [index, { at, input, read, write, output }] of requestsOf(steps).entries()) {
    const { plant } = steps[index] ?? {}
    if (plant === "tools") tools = [...tools, `tool_${index}`]
    if (plant === "system") system = `be brief, ${index}`
    if (index === 0) segments.push({ kind: "start", items: [], calls: [] })
    if (plant === "compaction") segments.push({ kind: "compact", items: [], calls: [] })
    if (plant === "edit") segments.push({ kind: "edit", items: [], calls: [] })
    const { items, calls } = segments.at(-1)!
    if (items.length === 0) items.push({ role: "user", content: [{ type: "text", text: `prompt ${index}` }] })
    const usage = {
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
      output_tokens: output,
    }
    const model = plant === "model" ? "claude-sonnet-4-5" : "claude-opus-4-6"
    calls.push({
      prompt_len: items.length,
      ts: iso(at),
      id: `msg_${session}_${index}`,
      model,
      usage,
      tools,
      system,
    })
    items.push({
      role: "assistant",
      content: [{ type: "tool_use", id: `toolu_${index}`, name: "Bash", input: {} }],
    })
    items.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `toolu_${index}`, content: "ok" }],
    })
  }
  return { id: session, api: "anthropic-messages", model: "claude-opus-4-6", segments }
}
