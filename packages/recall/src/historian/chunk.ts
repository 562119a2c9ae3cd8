/**
 * The chunk: a stretch of history as a historian's model reads it, with ordinals (HI10).
 *
 *   [1] U: what the user said
 *   [2-4] A: what was answered / and then TC: edit(src/a.ts) commits: 1a2b3c4
 *
 * Nothing synthetic is in it (MM2): no system message, no notice, no part that the runtime put beside
 * words, no output of a tool, nothing that was quarantined. What is left out stands under no ordinal, and is
 * covered with its neighbours. Ordinals count what is shown, so that no number is missing.
 */
import type { AssistantMessage, CallPart, Message } from "@holdfast/schema/message"
import type { Span } from "./extract.ts"
import { clipLine, oneLine, tokensOf } from "./words.ts"

export interface Chunk extends Span {
  readonly text: string
  /** What each ordinal is, from 1 on. */
  readonly entries: readonly ChunkEntry[]
  /** Tokens of the text. */
  readonly tokens: number
}

export interface ChunkEntry {
  readonly seq: number
  /** It holds calls and no words. */
  readonly toolOnly: boolean
}

/** As much of the stretch as has room, one message at the least. Null where nothing in it is said by anybody. */
export function chunkOf(messages: readonly Message[], span: Span, tokensMax: number): Chunk | null {
  const said = messages.flatMap((message) => {
    const shown = message.seq >= span.fromSeq && message.seq <= span.toSeq ? shownOf(message) : null
    return shown === null ? [] : [{ seq: message.seq, shown }]
  })
  let tokens = 0
  let count = 0
  for (const { shown } of said) {
    if (count > 0 && tokens + shown.tokens > tokensMax) break
    tokens += shown.tokens
    count += 1
  }
  if (count === 0) return null
  const beyond = said[count]
  const taken = said.slice(0, count)
  return {
    fromSeq: span.fromSeq,
    toSeq: beyond === undefined ? span.toSeq : beyond.seq - 1,
    text: linesOf(taken.map(({ shown }) => shown)).join("\n"),
    entries: taken.map(({ seq, shown: { toolOnly } }) => ({ seq, toolOnly })),
    tokens,
  }
}

export interface Shown {
  readonly speaker: "U" | "A"
  readonly text: string
  readonly toolOnly: boolean
  /** Short hashes that it names. */
  readonly commits: readonly string[]
  readonly tokens: number
}

const shownByMessage = new WeakMap<Message, Shown | null>()

/** What a historian reads of one message; null for what it does not read. Made once per message. */
export function shownOf(message: Message): Shown | null {
  const known = shownByMessage.get(message)
  if (known !== undefined) return known
  const made = message.kind === "user" || message.kind === "assistant" ? show(message) : null
  shownByMessage.set(message, made)
  return made
}

/** Words of one message; longer ones keep their beginning and their end. */
const inputTokensMax = 1_500
const answerTokensMax = 600
const callsMax = 8
const commitsMax = 5

function show(message: Extract<Message, { kind: "user" | "assistant" }>): Shown | null {
  if (message.quarantined !== undefined) return null
  if (message.kind === "user") {
    const images = (message.images ?? []).map(({ name }) => `[image ${oneLine(name ?? "")}]`)
    return lineOf("U", [endsOf(message.text, inputTokensMax), ...images].join(" "), false, [])
  }
  const words = message.parts.flatMap(({ part }) =>
    part.type === "text" && part.text.trim() !== "" ? [part.text] : [],
  )
  const text = words.map((each) => endsOf(each, answerTokensMax)).join(" / ")
  if (text !== "") return lineOf("A", text, false, commitsIn(words.join("\n")))
  const calls = callsOf(message)
  return calls.length === 0 ? null : lineOf("A", calls.join(" "), true, [])
}

function lineOf(speaker: Shown["speaker"], text: string, toolOnly: boolean, commits: readonly string[]) {
  const line = text.trim()
  return line === "" ? null : { speaker, text: line, toolOnly, commits, tokens: tokensOf(line) + lineTokens }
}

/** Of the ordinal and the speaker. */
const lineTokens = 4

function endsOf(text: string, tokensMax: number): string {
  const line = oneLine(text)
  if (tokensOf(line) <= tokensMax) return line
  const head = clipLine(line, Math.floor(tokensMax * 0.7))
  const tail = line.slice(-Math.floor(tokensMax * 0.25 * 3)).toWellFormed()
  return `${head} [left out here] ${tail.replaceAll("\uFFFD", "")}`
}

function callsOf({ parts }: AssistantMessage): readonly string[] {
  const calls = parts.flatMap(({ part }) => (part.type === "call" ? [callText(part)] : []))
  const more = calls.length - callsMax
  return more > 0 ? [...calls.slice(0, callsMax), `and ${more} more`] : calls
}

/** The argument that says most, not its result: what a tool printed is nobody's words. */
function callText({ name, input, outcome }: CallPart): string {
  const fields = typeof input === "object" && input !== null && !Array.isArray(input) ? input : {}
  const key = ["description", "path", "file", "command", "pattern", "query", "url"].find(
    (each) => typeof (fields as Record<string, unknown>)[each] === "string",
  )
  const said = key === undefined ? "" : oneLine(String((fields as Record<string, unknown>)[key])).slice(0, 60)
  const end = outcome === null || outcome.state === "done" ? "" : ` ${outcome.state}`
  return `TC: ${oneLine(name)}(${said.toWellFormed()})${end}`
}

/** Hashes as people write them: with a digit and a letter, so that neither words nor numbers pass for one. */
const commitsIn = (text: string): readonly string[] =>
  [
    ...new Set(
      [...text.matchAll(/\b[0-9a-f]{7,12}\b/g)].flatMap(([hash]) =>
        /[0-9]/.test(hash) && /[a-f]/.test(hash) ? [hash] : [],
      ),
    ),
  ].slice(0, commitsMax)

/** Messages of one speaker that follow one another are one line. */
function linesOf(said: readonly Shown[]): readonly string[] {
  const lines: string[] = []
  let from = 0
  while (from < said.length) {
    const { speaker } = said[from] as Shown
    let to = from
    while (said[to + 1]?.speaker === speaker) to += 1
    const run = said.slice(from, to + 1)
    const ordinals = from === to ? `${from + 1}` : `${from + 1}-${to + 1}`
    const commits = [...new Set(run.flatMap((one) => one.commits))].slice(0, commitsMax)
    const hashes = commits.length === 0 ? "" : ` commits: ${commits.join(" ")}`
    lines.push(`[${ordinals}] ${speaker}: ${run.map(({ text }) => text).join(" / ")}${hashes}`)
    from = to + 1
  }
  return lines
}
