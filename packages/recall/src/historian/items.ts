/**
 * What one stretch of history holds that may matter later, as items: the user's words, decisions,
 * calls, errors and what mended them, tasks. Nothing synthetic is the user's (PR7): notices, system
 * messages and parts that the runtime added are no input of it, nor is what was quarantined.
 */
import { summarySource } from "@holdfast/schema/fact/input"
import type { AssistantMessage, CallPart, Message, NoticeMessage, Part } from "@holdfast/schema/message"
import { inputItems, type Said } from "./input.ts"
import { clipLine, countNames, namesOfText, oneLine, scanned, sentences } from "./words.ts"

/** A rule is what the user said to hold for longer than the next step. */
export type ItemKind = "rule" | "user" | "said" | "error" | "task" | "run" | "notice" | "summary"

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
  /** How many messages used it. */
  readonly messages: number
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
  for (const [at, message] of messages.entries()) {
    if (message.kind === "system" || message.quarantined !== undefined) continue
    if (message.kind === "user")
      findInput(finding, message.text, { seq: message.seq, quiet: isQuiet(messages, at) })
    else if (message.kind === "notice") findNotice(finding, message)
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

/** Every name that a model reads in these messages, whoever used it. */
export function namesRead(messages: readonly Message[]): ReadonlySet<string> {
  const texts = messages.flatMap((message): readonly string[] =>
    message.kind !== "assistant" ? [message.text] : message.parts.flatMap(({ part }) => textsOfPart(part)),
  )
  return new Set(texts.flatMap((text) => [...namesOfText(text)]))
}

function textsOfPart(part: Part): readonly string[] {
  if (part.type === "text") return [part.text]
  return part.type === "call" ? [...stringsOf(part.input), part.outcome?.output ?? ""] : []
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
  for (const [name, times] of countNames(text)) {
    const known = finding.names.get(name)
    const again = known?.lastSeq === seq ? 0 : 1
    finding.names.set(name, {
      weight: (known?.weight ?? 0) + weight * (1 + Math.log2(times)),
      messages: (known?.messages ?? 0) + again,
      lastSeq: seq,
    })
  }
}

/** What was said or asked for is far likelier to come up again than what a tool put out. */
const weights = { input: 40, call: 40, said: 32, notice: 4, output: 1 } as const

function findInput(finding: Finding, text: string, said: Said): void {
  note(finding, text, said.seq, weights.input)
  const { items, directives } = inputItems(text, said)
  finding.items.push(...items)
  finding.directives += directives
}

/** Whether the answers to it made no call, as far as they are among these. */
function isQuiet(messages: readonly Message[], at: number): boolean {
  for (const message of messages.slice(at + 1, at + 1 + answersLookedAt)) {
    if (message.kind === "user") return true
    if (message.kind === "assistant" && message.parts.some(({ part }) => part.type === "call")) return false
  }
  return true
}

const answersLookedAt = 4

function findNotice(finding: Finding, { seq, text, source }: NoticeMessage): void {
  if (source.id.startsWith(summarySource)) return findSummary(finding, seq, text)
  note(finding, text, seq, weights.notice)
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

/** What another agent wrote in the place of what it cut: how it begins, in every tier, then what names most. */
function findSummary(finding: Finding, seq: number, text: string): void {
  note(finding, text, seq, weights.said)
  const [begins, ...more] = sentences(text)
  const push = (line: string, score: number): void => {
    finding.items.push({ kind: "summary", seq, text: clipLine(line, 60), short: clipLine(line, 16), score })
  }
  if (begins !== undefined) push(oneLine(text), summaryBegins)
  for (const sentence of more) push(sentence, 36 + Math.min(12, 3 * namesOfText(sentence).size))
}

/** The score of how a summary begins: above that of any words. */
export const summaryBegins = 120

function findAnswer(finding: Finding, message: AssistantMessage): void {
  const last = message.parts.at(-1)?.part.type
  for (const { part } of message.parts) {
    if (part.type === "text") findSaid(finding, message.seq, part.text, last === "text")
    else if (part.type === "call") findCall(finding, message.seq, part)
  }
}

const decided =
  /\b(decid|chose|choos|instead|because|root cause|turns out|found that|the (?:bug|problem|issue|cause|fix)|fixed|now (?:works|passes)|committed|pushed|renamed|removed|will (?:use|keep)|summary|done|remaining|next step|left to do)/iu

/** What is about to be done stands in the calls themselves. */
const announced =
  /^(?:(?:now|good|great|perfect|ok(?:ay)?|next|first|also|then|you're right)\b[,.!]? ?)*(?:let me|let's|i'll|i will|i need to|i should|now\b|update|add|create|fix|check|run|look)/iu
/** A sentence that scores less says nothing that is missed. */
const saidScoreMin = 14

/** Of a last word more is kept than of words between calls. */
function findSaid(finding: Finding, seq: number, text: string, final: boolean): void {
  note(finding, text, seq, weights.said)
  const all = sentences(text)
  const scored = all.map((sentence, at) => {
    const place = announced.test(sentence) ? 0 : at === 0 ? 18 : 8
    const score = place + (final ? 14 : 0) + (decided.test(sentence) ? 16 : 0)
    return { sentence, at, score: score + Math.min(12, 3 * namesOfText(sentence).size) }
  })
  const worth = scored.filter(({ score }) => score >= saidScoreMin)
  const chosen = worth.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, final ? 6 : 2)
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

const readsOnly = /read|view|open|list|grep|glob|search|fetch/i

function findCall(finding: Finding, seq: number, part: CallPart): void {
  finding.calls += 1
  note(finding, stringsOf(part.input).join("\n"), seq, weights.call)
  const { outcome } = part
  const output = outcome?.output ?? ""
  note(finding, output, seq, weights.output)
  if (findTasks(finding, seq, part)) return
  const failed = outcome !== null && outcome.state !== "done"
  const path = fieldOf(part.input, pathKeys)
  const words = path ?? fieldOf(part.input, wordKeys) ?? ""
  const key = `${part.name} ${oneLine(words).slice(0, 200)}`
  if (path !== null) {
    const state = failed ? "failed" : readsOnly.test(part.name) ? "read" : "edited"
    const known = finding.files.get(path)
    finding.files.delete(path)
    const last = state === "read" && known?.state === "edited" ? "edited" : state
    finding.files.set(path, { path: oneLine(path).slice(0, 300), seq, state: last })
  } else if (words !== "") {
    const line = `${part.name}: ${oneLine(words)}`
    const score = 10 + Math.min(12, 2 * namesOfText(words).size)
    finding.runs.set(key, { kind: "run", seq, text: clipLine(line, 40), short: clipLine(line, 14), score })
  }
  const line = failed || !readsOnly.test(part.name) ? errorLine(output, failed) : null
  if (line !== null) finding.errors.push({ seq, key, line, mended: null })
  else for (const error of finding.errors) if (error.key === key) error.mended ??= seq
}

/** The strings of an input, as they are. */
function stringsOf(input: unknown): readonly string[] {
  if (typeof input === "string") return [input]
  if (Array.isArray(input)) return input.flatMap(stringsOf)
  if (typeof input === "object" && input !== null) return Object.values(input).flatMap(stringsOf)
  return input === null || input === undefined ? [] : [String(input)]
}

/** As programs begin or mark a line that says what went wrong; code that only speaks of errors does not look so. */
const errorLike =
  /(?:^|[\s(:\]])(?:[A-Z]\w*(?:Error|Exception)|[Ee]rror(?: [A-Z]+\d+|\[\w+\])?|ERR!|fatal|panic|FAIL(?:ED)?|Traceback)(?:[:!]| \(|$)|^--- FAIL|command not found|No such file/

/** The line that says what went wrong; null where nothing does. */
function errorLine(output: string, failed: boolean): string | null {
  const lines = scanned(output)
    .slice(0, errorUnitsMax)
    .split("\n")
    .map((line) => line.slice(0, errorLineUnitsMax).trim())
  const found = lines.find((line) => errorLike.test(line))
  const line = found ?? (failed ? lines.find((one) => one !== "") : undefined)
  return line === undefined ? null : oneLine(line)
}

const errorUnitsMax = 8_000
const errorLineUnitsMax = 400

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
