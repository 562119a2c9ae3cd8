/**
 * A message as a person reads it afterwards: its number, its id, who spoke, its words, its calls in a line each.
 *
 * System messages are listed only where they are asked for (EP11), and so is reasoning.
 */
import type { CallPart, Message, Part } from "@holdfast/sdk"
import { imageLine } from "../images/image-line.ts"
import { printable, type Terminal } from "../terminal.ts"
import { wrap } from "../text-width.ts"
import { callLine, openCallLine } from "./call-line.ts"

export interface MessageView {
  readonly terminal: Pick<Terminal, "paint" | "columns" | "interactive">
  readonly reasoning: boolean
}

/** Ends with a blank line. */
export function messageLines(message: Message, view: MessageView): readonly string[] {
  const { paint } = view.terminal
  const out = "quarantined" in message ? " · quarantined, models do not read it" : ""
  const head = paint("dim", `── #${message.seq} · ${message.id} · ${speakerOf(message)}${out}`)
  return [head, ...bodyOf(message, view), ""]
}

function speakerOf(message: Message): string {
  switch (message.kind) {
    case "user":
      return "you"
    case "assistant":
      return "model"
    case "system":
      return `system (${message.keys.join(", ")})`
    case "notice":
      return `notice (${message.source.kind})`
  }
}

function bodyOf(message: Message, view: MessageView): readonly string[] {
  const { paint } = view.terminal
  if (message.kind === "assistant")
    return message.parts.length === 0
      ? [paint("dim", "[no answer]")]
      : message.parts.flatMap(({ part }) => partLines(part, view))
  const images = message.kind === "user" ? (message.images ?? []) : []
  return [...textLines(message.text, view), ...images.map((image) => paint("dim", imageLine(image)))]
}

function partLines(part: Part, view: MessageView): readonly string[] {
  const { paint } = view.terminal
  switch (part.type) {
    case "text":
      return [...textLines(part.text, view), ...(part.interrupted ? [paint("dim", "[interrupted]")] : [])]
    case "reasoning":
      return view.reasoning && part.text.trim() !== ""
        ? textLines(`(thinking) ${part.text}`, view).map((line) => paint("dim", line))
        : []
    case "hosted":
      return [`· ${paint("bold", printable(part.name))}${paint("dim", " · run by the provider")}`]
    case "call":
      return callLines(part, view)
  }
}

function callLines(part: CallPart, { terminal }: MessageView): readonly string[] {
  if (part.outcome === null) return [openCallLine(terminal, part, part.state)]
  const images = part.outcome.images ?? []
  const shown = images.map((image) => terminal.paint("dim", imageLine(image)))
  return [callLine(terminal, part, part.outcome), ...shown]
}

/** Broken between words on a terminal; whoever reads it from a pipe gets the lines as they are. */
function textLines(text: string, { terminal }: MessageView): readonly string[] {
  const safe = printable(text.trim())
  if (safe === "") return []
  return terminal.interactive ? wrap(safe, terminal.columns) : safe.split("\n")
}
