/**
 * Output items while they stream: each kind collects its own parts and, at its end, gives the whole
 * of them, so that a reader of `*-end` events needs no other (TU3).
 *
 * The end of an item repeats it. What was streamed counts; what the end says is used where nothing
 * was streamed, and for what is only told there: ids, phase, sealed reasoning (LL4).
 */
import type { Json } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import { isHostedItem, reasoningOpaque } from "./native.ts"

export interface OpenItem {
  /** Type of the item, as events name it. */
  readonly kind: string
  readonly opened: (events: StreamEvent[]) => void
  readonly delta: (text: string, events: StreamEvent[]) => void
  /** `bound`: reasoning before it will come back, so that it may be named by its id (LL4). */
  readonly closed: (item: Fields, events: StreamEvent[], bound: boolean) => void
}

export function openItem(index: number, item: Fields): OpenItem {
  const kind = textOf(item["type"])
  switch (kind) {
    case "message":
      return messageItem(index, item)
    case "reasoning":
      return reasoningItem(index)
    case "function_call":
      return callItem(index, item)
    default:
      return otherItem(index, kind)
  }
}

/** The texts of a list of parts, whatever they are called. */
const textsOf = (parts: unknown): readonly string[] =>
  listOf(parts).map((part) => textOf(fieldsOf(part)["text"]) || textOf(fieldsOf(part)["refusal"]))

function messageItem(index: number, announced: Fields): OpenItem {
  let text = ""
  const add = (more: string, events: StreamEvent[]) => {
    if (more === "") return
    text += more
    events.push({ type: "text-delta", index, text: more })
  }
  return {
    kind: "message",
    opened: (events) => events.push({ type: "text-start", index }),
    delta: add,
    closed: (item, events, bound) => {
      if (text === "") add(textsOf(item["content"]).join(""), events)
      const id = bound ? textOf(item["id"]) || textOf(announced["id"]) : ""
      const phase = textOf(item["phase"]) || textOf(announced["phase"])
      const opaque = { type: "message", ...(id === "" ? {} : { id }), ...(phase === "" ? {} : { phase }) }
      const native = id === "" && phase === "" ? {} : { opaque }
      events.push({ type: "text-end", index, text, ...native })
    },
  }
}

function reasoningItem(index: number): OpenItem {
  let text = ""
  const add = (more: string, events: StreamEvent[]) => {
    if (more === "") return
    text += more
    events.push({ type: "reasoning-delta", index, text: more })
  }
  return {
    kind: "reasoning",
    opened: (events) => events.push({ type: "reasoning-start", index }),
    delta: add,
    closed: (item, events) => {
      if (text === "") add([...textsOf(item["summary"]), ...textsOf(item["content"])].join("\n\n"), events)
      events.push({ type: "reasoning-end", index, text, opaque: wholeReasoning(item) })
    },
  }
}

/** An item that the end leaves out, or that was cut, was never whole. */
export const wholeReasoning = (item: Fields): Json | null =>
  item["status"] === "incomplete" ? null : reasoningOpaque(item as Json)

function callItem(index: number, announced: Fields): OpenItem {
  let raw = ""
  const told = (item: Fields, field: string) => textOf(item[field]) || textOf(announced[field])
  return {
    kind: "function_call",
    opened: (events) =>
      events.push({
        type: "call-start",
        index,
        nativeId: textOf(announced["call_id"]),
        name: textOf(announced["name"]),
      }),
    delta: (more, events) => {
      if (more === "") return
      raw += more
      events.push({ type: "call-delta", index, bytes: Buffer.byteLength(more) })
    },
    closed: (item, events, bound) => {
      const given = told(item, "arguments") || raw
      const id = bound ? told(item, "id") : ""
      // Arguments that were cut may still read as JSON; they are not what the model meant.
      const cut = item["status"] === "incomplete"
      events.push({
        type: "call-end",
        index,
        nativeId: told(item, "call_id"),
        name: told(item, "name"),
        input: cut ? null : parseInput(given.trim() === "" ? "{}" : given),
        raw: given,
        ...(id === "" ? {} : { opaque: { type: "function_call", id } }),
      })
    },
  }
}

/** The provider's own tool is told as a whole when it has ended (LL8); anything else says nothing (LL6). */
function otherItem(index: number, kind: string): OpenItem {
  return {
    kind,
    opened: () => {},
    delta: () => {},
    closed: (item, events) => {
      if (!isHostedItem(textOf(item["type"])) || item["status"] === "incomplete") return
      events.push({ type: "hosted", index, name: textOf(item["type"]), opaque: item as Json })
    },
  }
}
