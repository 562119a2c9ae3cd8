/** A session as Claude Code writes it, invented: each round is a prompt, an answer with a call, its result and an answer. */

export interface LineChoices {
  readonly session?: string
  readonly directory?: string
  readonly rounds?: number
  /** Milliseconds between two rounds. */
  readonly gapMs?: number
  readonly modelOf?: (round: number) => string
}

const headTokens = 20_000
const roundTokens = 1_600

export function claudeLines(choices: LineChoices = {}): readonly string[] {
  const { session = "5e551011-0001", directory = "/nowhere/app", rounds = 3, gapMs = 60_000 } = choices
  const { modelOf = () => "claude-opus-4-5-20251101" } = choices
  const lines: string[] = []
  let parent: string | null = null
  let at = Date.parse("2026-03-01T10:00:00Z")
  const add = (kind: string, fields: object, more: object = {}) => {
    const uuid = `u-${lines.length}`
    const timestamp = new Date(at).toISOString()
    const line = {
      type: kind,
      uuid,
      parentUuid: parent,
      sessionId: session,
      cwd: directory,
      timestamp,
      ...more,
    }
    lines.push(JSON.stringify({ ...line, message: fields }))
    parent = uuid
    at += 2_000
  }
  let cached = 0
  const answer = (id: string, round: number, content: readonly object[]) => {
    const prompt = headTokens + round * roundTokens + (id.endsWith("b") ? roundTokens / 2 : 0)
    const usage = {
      input_tokens: 4,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: prompt - 4 - cached,
      output_tokens: 20,
    }
    cached = prompt - 4
    const said = { id, role: "assistant", model: modelOf(round), content, stop_reason: null, usage }
    add("assistant", said, { requestId: `req-${id}` })
  }
  for (let round = 0; round < rounds; round++) {
    add("user", { role: "user", content: `Round ${round}: look at file ${round}.` })
    const call = { type: "tool_use", id: `toolu_${round}`, name: "Read", input: { file_path: `f${round}` } }
    answer(`msg-${round}-a`, round, [{ type: "text", text: `I look at ${round}.` }, call])
    const content = [{ type: "tool_result", tool_use_id: `toolu_${round}`, content: wordsOf(round) }]
    add("user", { role: "user", content })
    answer(`msg-${round}-b`, round, [{ type: "text", text: `File ${round} is fine.` }])
    at += gapMs
  }
  return lines
}

/** About as many tokens as half a round is counted for. */
const wordsOf = (round: number): string => `line of file ${round}\n`.repeat(roundTokens / 10)
