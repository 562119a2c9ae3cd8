/**
 * What a compartment stands for, as it was: messages of a range in pages (TG4). What a pass dropped or
 * cut is shown as it is stored; what was quarantined is not.
 */
import type { AssistantMessage, Message } from "@holdfast/schema/message"
import { quarantineNotice } from "./render.ts"

export interface ExpandRange {
  readonly fromSeq: number
  readonly toSeq: number
}

/** A part (`c12-310`), a message (`#12`), a tag (`§12§`, of an image `§12.01§`) or a range of them (`#12-#310`); null if it is none of these. */
export function readRange(part: string): ExpandRange | null {
  const found = /^\s*[c#]?(\d{1,12})(?:\.\d{1,2})?(?:\s*[-–]\s*#?(\d{1,12})(?:r[0-9a-f]{8})?)?\s*$/i.exec(
    part.replaceAll("§", ""),
  )
  if (found === null) return null
  const [from, to] = [Number(found[1]), Number(found[2] ?? found[1])]
  return from <= to ? { fromSeq: from, toSeq: to } : null
}

/** An answer with nothing but the call of this tag; null if it holds none. */
export function callAlone(message: Message | undefined, tag: number): Message | null {
  if (message?.kind !== "assistant") return null
  const parts = message.parts.filter(({ part }) => part.type === "call" && part.seq === tag)
  return parts.length === 0 ? null : { ...message, parts }
}

/** Below what one settlement may hold, so that nothing of a page is cut again (TO1); less where a window has no room for it. */
export const pageBytesMax = 40_000
export const pageLinesMax = 1_600

export interface ExpandedPage {
  readonly text: string
  /** How many messages it holds, the last perhaps not whole. */
  readonly messages: number
  /** Where the next page begins; null if this one ends with the last of the messages given. */
  readonly next: { readonly seq: number; readonly offset: number } | null
}

/** From an offset in the first of them on. */
export function expandPage(
  messages: readonly Message[],
  offset = 0,
  bytesMax: number = pageBytesMax,
): ExpandedPage {
  const texts: string[] = []
  let bytes = 0
  let lines = 0
  for (const [at, message] of messages.entries()) {
    const skipped = at === 0 ? offset : 0
    const whole = expandedText(message)
    const body = whole.slice(skipped)
    const head = `#${message.seq} ${speakerOf(message)}`
    if (skipped > 0 && body === "") {
      const past = `${head} ends at character ${whole.length}: nothing of it stands from character ${skipped} on.`
      texts.push(past)
      bytes += Buffer.byteLength(past) + 2
      lines += 2
      continue
    }
    const text = `${head}${skipped === 0 ? "" : `, from character ${skipped}`}\n${body}`
    const fitting = fittingPart(text, bytesMax - bytes, pageLinesMax - lines)
    if (fitting === text) {
      texts.push(text)
      bytes += Buffer.byteLength(text) + 2
      lines += text.split("\n").length + 1
      continue
    }
    const shown = Math.max(0, fitting.length - (text.length - body.length))
    // A little of the next one is worth less than all of it on the next page.
    if (texts.length > 0 && shown < body.length / 4) return page(texts, { seq: message.seq, offset: 0 })
    return page([...texts, fitting], { seq: message.seq, offset: skipped + shown })
  }
  return page(texts, null)
}

const page = (texts: readonly string[], next: ExpandedPage["next"]): ExpandedPage => ({
  text: texts.join("\n\n"),
  messages: texts.length,
  next,
})

/** As much of a text as has room, whole code points. */
function fittingPart(text: string, bytesMax: number, linesMax: number): string {
  const lines = text.split("\n")
  const short = lines.length <= linesMax ? text : lines.slice(0, Math.max(0, linesMax)).join("\n")
  if (Buffer.byteLength(short) <= bytesMax) return short
  const cut = Buffer.from(short).subarray(0, Math.max(0, bytesMax)).toString("utf8")
  return cut.endsWith("\uFFFD") ? cut.slice(0, -1) : cut
}

const speakerOf = ({ kind }: Message): string =>
  kind === "user" ? "the user" : kind === "assistant" ? "you" : kind === "notice" ? "a notice" : "the context"

function expandedText(message: Message): string {
  if (message.kind === "system") return message.text
  if (message.quarantined !== undefined) return quarantineNotice
  return message.kind === "assistant" ? answerText(message) : message.text
}

/** What was said and called, with results as they were recorded. */
function answerText({ parts }: AssistantMessage): string {
  const texts = parts.flatMap(({ part }) => {
    if (part.type === "text") return [part.text]
    if (part.type !== "call") return []
    const end = part.outcome === null ? part.state : part.outcome.state
    return [`[${part.name} ${JSON.stringify(part.input)}: ${end}]`, part.outcome?.output ?? ""]
  })
  return texts.filter((text) => text !== "").join("\n") || "(nothing)"
}
