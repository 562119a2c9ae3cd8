/**
 * The parts of a Chat answer while it streams (TU3).
 *
 * Text and reasoning are open one at a time; calls are open beside each other until the finish. At
 * its end each part gives the whole of itself, so that a reader of `*-end` events needs no other.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import type { ReasoningOpaque } from "./native.ts"

interface OpenText {
  readonly kind: "text" | "reasoning"
  readonly index: number
  text: string
  field: ReasoningOpaque["field"]
  readonly details: Map<string, JsonObject>
}

interface OpenCall {
  readonly index: number
  nativeId: string
  name: string
  raw: string
  extra: JsonObject
}

export class OpenParts {
  calls = 0
  refused = false
  #next = 0
  #open: OpenText | null = null
  /** By the place that the server gives them. */
  readonly #calls = new Map<number, OpenCall>()
  #lastPlace = -1

  /** False if a piece belongs to nothing. */
  add(delta: Fields, events: StreamEvent[]): boolean {
    const details = listOf(delta["reasoning_details"]).filter(isFields)
    for (const field of ["reasoning_content", "reasoning"] as const) {
      this.#reasoning(textOf(delta[field]), field, events)
    }
    if (details.length > 0) this.#details(details, events)
    this.#content(delta["content"], events)
    const refusal = textOf(delta["refusal"])
    if (refusal !== "") {
      this.refused = true
      this.#text(refusal, events)
    }
    return listOf(delta["tool_calls"]).every((piece) => this.#call(fieldsOf(piece), events))
  }

  /** More of the text or reasoning that is open. */
  more(words: string, events: StreamEvent[]): void {
    if (this.#open?.kind === "text") this.#text(words, events)
    else if (this.#open !== null) this.#reasoning(words, this.#open.field, events)
  }

  /** Whether details belong to what is open. */
  get detailed(): boolean {
    return this.#open !== null && this.#open.details.size > 0
  }

  close(events: StreamEvent[]): void {
    this.#closeText(events)
    for (const call of this.#calls.values()) {
      const given = call.raw.trim() === "" ? "{}" : call.raw
      const opaque =
        Object.keys(call.extra).length === 0 ? {} : { opaque: { type: "call", extra: call.extra } }
      const { index, nativeId, name, raw } = call
      events.push({ type: "call-end", index, nativeId, name, input: parseInput(given), raw, ...opaque })
    }
    this.#calls.clear()
  }

  /** recorded: Mistral sends a list of parts, of which some are reasoning. */
  #content(content: unknown, events: StreamEvent[]): void {
    if (typeof content === "string") return this.#text(content, events)
    for (const part of listOf(content).map(fieldsOf)) {
      if (part["type"] === "thinking") {
        for (const piece of listOf(part["thinking"])) {
          this.#reasoning(textOf(fieldsOf(piece)["text"]), "reasoning", events)
        }
      } else {
        this.#text(textOf(part["text"]), events)
      }
    }
  }

  #text(more: string, events: StreamEvent[]): void {
    if (more === "") return
    const open = this.#openAs("text", events)
    open.text += more
    events.push({ type: "text-delta", index: open.index, text: more })
  }

  #reasoning(more: string, field: ReasoningOpaque["field"], events: StreamEvent[]): void {
    if (more === "") return
    const open = this.#openAs("reasoning", events)
    open.field = field
    open.text += more
    events.push({ type: "reasoning-delta", index: open.index, text: more })
  }

  /** documented: details come in pieces that belong together by their index. */
  #details(details: readonly Fields[], events: StreamEvent[]): void {
    const open = this.#openAs("reasoning", events)
    for (const detail of details) {
      const key = JSON.stringify([detail["type"], detail["index"] ?? open.details.size])
      open.details.set(key, mergeDetail(open.details.get(key), detail as JsonObject))
    }
  }

  #openAs(kind: OpenText["kind"], events: StreamEvent[]): OpenText {
    if (this.#open?.kind === kind) return this.#open
    this.#closeText(events)
    const open: OpenText = {
      kind,
      index: this.#take(),
      text: "",
      field: "reasoning_content",
      details: new Map(),
    }
    this.#open = open
    events.push({ type: kind === "text" ? "text-start" : "reasoning-start", index: open.index })
    return open
  }

  #closeText(events: StreamEvent[]): void {
    const open = this.#open
    this.#open = null
    if (open === null) return
    const { index, text, field } = open
    if (open.kind === "text") {
      events.push({ type: "text-end", index, text })
      return
    }
    const opaque = { type: "reasoning", field, text, details: [...open.details.values()] }
    events.push({ type: "reasoning-end", index, text, opaque })
  }

  #call(piece: Fields, events: StreamEvent[]): boolean {
    const id = textOf(piece["id"])
    const named = fieldsOf(piece["function"])
    const name = textOf(named["name"])
    const place = this.#placeOf(piece["index"], id, name)
    let call = this.#calls.get(place)
    if (call === undefined) {
      if (name === "") return false
      this.#closeText(events)
      call = { index: this.#take(), nativeId: id, name, raw: "", extra: {} }
      this.#calls.set(place, call)
      this.calls += 1
      events.push({ type: "call-start", index: call.index, nativeId: id, name })
    }
    if (call.nativeId === "") call.nativeId = id
    if (isFields(piece["extra_content"])) call.extra = { extra_content: piece["extra_content"] as Json }
    const given = named["arguments"]
    const more = typeof given === "string" ? given : isFields(given) ? JSON.stringify(given) : ""
    call.raw += more
    if (more !== "") events.push({ type: "call-delta", index: call.index, bytes: Buffer.byteLength(more) })
    return true
  }

  /** recorded: some leave the place out or give every call the same; a new id with a name is a new call. */
  #placeOf(given: unknown, id: string, name: string): number {
    const place = Number.isSafeInteger(given) ? (given as number) : this.#lastPlace
    const open = this.#calls.get(place)
    const other =
      open !== undefined && id !== "" && name !== "" && open.nativeId !== "" && open.nativeId !== id
    this.#lastPlace = other || (open === undefined && place < 0) ? this.#freePlace() : place
    return this.#lastPlace
  }

  #freePlace(): number {
    return Math.max(-1, ...this.#calls.keys()) + 1
  }

  #take(): number {
    return this.#next++
  }
}

/** Texts of a detail grow, everything else is what it was last said to be. */
function mergeDetail(before: JsonObject | undefined, more: JsonObject): JsonObject {
  if (before === undefined) return more
  const grown = ["text", "summary", "data"].flatMap((field) => {
    const [a, b] = [before[field], more[field]]
    return typeof a === "string" && typeof b === "string" ? [[field, a + b] as const] : []
  })
  return { ...before, ...more, ...Object.fromEntries(grown) }
}
