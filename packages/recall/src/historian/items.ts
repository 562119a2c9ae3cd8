/**
 * What one stretch of history holds that may matter later, as items: the user's words, decisions,
 * calls, errors and what mended them, tasks. Nothing synthetic is the user's (PR7): notices, system
 * messages and parts that the runtime added are no input of it, nor is what was quarantined.
 */
import type { AssistantMessage, CallPart, Message } from "@holdfast/schema/message"
import { clipLine, namesOfText, oneLine, scanned, sentences, tokensOf } from "./words.ts"

/** A rule is what the user said to hold for longer than the next step. */
export type ItemKind = "rule" | "user" | "said" | "error" | "task" | "run" | "notice"

export interface Item {
  readonly kind: ItemKind
  /** The message that it stands in: its handle. */
  readonly seq: number
  /** Whole, as a fuller tier shows it, and in a few words. */
  readonly text: string
  readonly short: string
  readonly score: number
}

/** A name and where it was used; `weight` grows with what used it. */
export interface Named {
  readonly weight: number
  readonly lastSeq: number
}

/** A file that calls touched, and its last state. */
export interface TouchedFile {
  readonly path: string
  readonly seq: number
  readonly state: "read" | "edited" | "failed"
}

export interface Found {
  readonly items: readonly Item[]
  /** The last one touched last. */
  readonly files: readonly TouchedFile[]
  readonly names: ReadonlyMap<string, Named>
  readonly directives: number
  readonly edits: number
  readonly errors: number
  readonly calls: number
}

export function findItems(messages: readonly Message[]): Found {
  const finding = begin()
  for (const message of messages) {
    if (message.kind === "system" || message.quarantined !== undefined) continue
    if (message.kind === "user") findInput(finding, message.seq, message.text)
    else if (message.kind === "notice") findNotice(finding, message.seq, message.text)
    else findAnswer(finding, message)
  }
  return {
    items: [...finding.items, ...finding.runs.values(), ...errorItems(finding), ...taskItems(finding)],
    files: [...finding.files.values()],
    names: finding.names,
    directives: finding.directives,
    edits: [...finding.files.values()].filter(({ state }) => state !== "read").length,
    errors: finding.errors.length,
    calls: finding.calls,
  }
}

interface Finding {
  readonly items: Item[]
  readonly names: Map<string, Named>
  readonly errors: {
    readonly seq: number
    readonly key: string
    readonly line: string
    mended: number | null
  }[]
  readonly tasks: Map<string, { readonly seq: number; readonly status: string }>
  readonly files: Map<string, TouchedFile>
  /** What was run, once each, where it was run last. */
  readonly runs: Map<string, Item>
  directives: number
  calls: number
}

const begin = (): Finding => ({
  items: [],
  names: new Map(),
  errors: [],
  tasks: new Map(),
  files: new Map(),
  runs: new Map(),
  directives: 0,
  calls: 0,
})

function note(finding: Finding, text: string, seq: number, weight: number): void {
  for (const name of namesOfText(text)) {
    const known = finding.names.get(name)?.weight ?? 0
    finding.names.set(name, { weight: known + weight, lastSeq: seq })
  }
}

/** What asks for something that holds for longer than the next step. */
const standing =
  /\b(always|never|must|mustn't|don't|do not|remember|from now on|make sure|only|avoid|prefer|important|keep in mind|rule|instead of|require[sd]?|should(?:n't)?|immer|nie|niemals|merke?|nur|toujours|jamais|siempre|nunca|solo)\b|必ず|絶対|しないで|всегда|никогда|不要|必须|总是|请记住/iu

const inputWholeTokens = 90
const inputSentencesMax = 12

/** Short words of the user stand whole; of longer ones what stands out, the first and the last sentence before all. */
function findInput(finding: Finding, seq: number, text: string): void {
  note(finding, text, seq, 6)
  const whole = oneLine(text)
  if (whole === "") return
  if (tokensOf(whole) <= inputWholeTokens && text.length <= inputWholeTokens * 8) {
    const strong = standing.test(whole)
    if (strong) finding.directives += 1
    finding.items.push(inputItem(seq, whole, strong, strong ? 120 : 100))
    return
  }
  const all = sentences(text)
  const scored = all.map((sentence, at) => {
    const strong = standing.test(sentence)
    if (strong) finding.directives += 1
    const place = at === 0 ? 40 : at === all.length - 1 ? 20 : 0
    return {
      sentence,
      at,
      strong,
      score: 55 + place + (strong ? 45 : 0) + Math.min(12, 3 * namesOfText(sentence).size),
    }
  })
  const chosen = scored
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, inputSentencesMax)
    .toSorted((a, b) => a.at - b.at)
  for (const { sentence, strong, score } of chosen)
    finding.items.push(inputItem(seq, clipLine(sentence, inputWholeTokens), strong, score))
}

const inputItem = (seq: number, words: string, strong: boolean, score: number): Item => ({
  kind: strong ? "rule" : "user",
  seq,
  text: JSON.stringify(words),
  short: JSON.stringify(clipLine(words, 10)),
  score,
})

function findNotice(finding: Finding, seq: number, text: string): void {
  note(finding, text, seq, 1)
  const line = oneLine(text)
  if (line !== "")
    finding.items.push({
      kind: "notice",
      seq,
      text: clipLine(line, 40),
      short: clipLine(line, 12),
      score: 12,
    })
}

function findAnswer(finding: Finding, message: AssistantMessage): void {
  const last = message.parts.at(-1)?.part.type
  for (const { part } of message.parts) {
    if (part.type === "text") findSaid(finding, message.seq, part.text, last === "text")
    else if (part.type === "call") findCall(finding, message.seq, part)
  }
}

const decided =
  /\b(decid|chose|choos|instead|because|root cause|turns out|found that|the (?:bug|problem|issue|cause|fix)|fixed|now (?:works|passes)|committed|pushed|renamed|removed|will (?:use|keep)|summary|done|remaining|next step|left to do)/iu

/** Of a last word more is kept than of words between calls. */
function findSaid(finding: Finding, seq: number, text: string, final: boolean): void {
  note(finding, text, seq, 2)
  const all = sentences(text)
  const scored = all.map((sentence, at) => {
    const score = (at === 0 ? 22 : 8) + (final ? 14 : 0) + (decided.test(sentence) ? 16 : 0)
    return { sentence, at, score: score + Math.min(12, 3 * namesOfText(sentence).size) }
  })
  const chosen = scored.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, final ? 6 : 2)
  for (const { sentence, score } of chosen.toSorted((a, b) => a.at - b.at))
    finding.items.push({
      kind: "said",
      seq,
      text: clipLine(sentence, 60),
      short: clipLine(sentence, 16),
      score,
    })
}

const pathKeys = ["path", "file_path", "filePath", "filename", "file", "notebook_path"]
const wordKeys = ["command", "cmd", "pattern", "query", "url", "description", "prompt", "input", "name"]

function findCall(finding: Finding, seq: number, part: CallPart): void {
  finding.calls += 1
  const input = scanned(JSON.stringify(part.input) ?? "")
  note(finding, input.replaceAll(/\\[nrt"\\]/g, " "), seq, 4)
  const { outcome } = part
  const output = outcome?.output ?? ""
  note(finding, output, seq, 1)
  if (findTasks(finding, seq, part)) return
  const failed = outcome !== null && outcome.state !== "done"
  const path = fieldOf(part.input, pathKeys)
  const words = path ?? fieldOf(part.input, wordKeys) ?? ""
  const key = `${part.name} ${oneLine(words).slice(0, 200)}`
  if (path !== null) {
    const state = failed
      ? "failed"
      : /read|view|open|list|grep|glob|search/i.test(part.name)
        ? "read"
        : "edited"
    const known = finding.files.get(path)
    finding.files.delete(path)
    const last = state === "read" && known?.state === "edited" ? "edited" : state
    finding.files.set(path, { path: oneLine(path).slice(0, 300), seq, state: last })
  } else if (words !== "") {
    const line = `${part.name}: ${oneLine(words)}`
    const score = 10 + Math.min(12, 2 * namesOfText(words).size)
    finding.runs.set(key, { kind: "run", seq, text: clipLine(line, 40), short: clipLine(line, 14), score })
  }
  const line = failed || errorLike.test(output.slice(0, 4_000)) ? errorLine(output) : null
  if (line !== null) finding.errors.push({ seq, key, line, mended: null })
  else for (const error of finding.errors) if (error.key === key) error.mended ??= seq
}

const errorLike = /\b(?:error|exception|traceback|fatal|panic|failed|cannot|not found|denied|undefined)\b/i

/** The line that says what went wrong; null where nothing does. */
function errorLine(output: string): string | null {
  const lines = scanned(output).slice(0, 8_000).split("\n").map(oneLine)
  const spoken = lines.filter((line) => line !== "")
  return spoken.find((line) => errorLike.test(line)) ?? spoken[0] ?? null
}

const errorItems = ({ errors }: Finding): readonly Item[] =>
  errors.map(({ seq, key, line, mended }) => {
    const end = mended === null ? "" : ` → worked in #${mended}`
    const whole = `${clipLine(key, 24)}: ${clipLine(line, 45)}${end}`
    const score = (mended === null ? 30 : 26) + Math.min(10, 2 * namesOfText(line).size)
    return { kind: "error", seq, text: whole, short: clipLine(line, 14) + end, score }
  })

/** A list of steps, as our own tool and those of others have it. */
function findTasks(finding: Finding, seq: number, { input }: CallPart): boolean {
  const list = listOf(input)
  if (list === null) return false
  for (const step of list) {
    const content = fieldOf(step, ["content", "step", "title", "text"])
    const status = fieldOf(step, ["status", "state"])
    if (content === null || status === null) return false
    const key = oneLine(content).slice(0, 500)
    finding.tasks.delete(key)
    finding.tasks.set(key, { seq, status })
  }
  return list.length > 0
}

function listOf(input: unknown): readonly unknown[] | null {
  if (typeof input !== "object" || input === null) return null
  for (const key of ["todos", "plan", "tasks", "steps"]) {
    const list = (input as Readonly<Record<string, unknown>>)[key]
    if (Array.isArray(list)) return list.slice(0, tasksMax)
  }
  return null
}

const tasksMax = 100

const taskItems = ({ tasks }: Finding): readonly Item[] =>
  [...tasks].map(([content, { seq, status }]) => {
    const open = !/complete|done|cancel/i.test(status)
    const line = `${oneLine(status)}: ${content}`
    return { kind: "task", seq, text: clipLine(line, 40), short: clipLine(line, 10), score: open ? 80 : 60 }
  })

function fieldOf(input: unknown, keys: readonly string[]): string | null {
  if (typeof input !== "object" || input === null) return null
  for (const key of keys) {
    const value = (input as Readonly<Record<string, unknown>>)[key]
    if (typeof value === "string" && value.trim() !== "") return value
    if (Array.isArray(value) && value.every((word) => typeof word === "string")) return value.join(" ")
  }
  return null
}
