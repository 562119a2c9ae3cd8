/**
 * What the runtime keeps of an answer: the parts that its events complete, and those that broke off.
 *
 * The rules are those of the session that reads a stream (TU3): a part is recorded at its end, what
 * is still open when the stream breaks off is kept without anything native, and a call that did not
 * come to its end was never made.
 */
import type { StreamEvent } from "@holdfast/llm/wire"
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import type { CallOutcome, IndexedPart, Native, Part } from "@holdfast/schema/message"

export interface Recorder {
  readonly tag: Omit<Native, "opaque">
  readonly newCall: () => CallId
  /** Null where nobody can say what came of a call. */
  readonly settle: () => CallOutcome | null
}

export function recordParts(events: readonly StreamEvent[], recorder: Recorder): readonly IndexedPart[] {
  const parts: IndexedPart[] = []
  const open = new Map<number, Extract<Part, { type: "text" | "reasoning" }>>()
  const native = (opaque: Json | undefined) =>
    opaque === undefined ? {} : { native: { ...recorder.tag, opaque } }
  const add = (index: number, part: Part) => {
    open.delete(index)
    parts.push({ index, part })
  }
  for (const event of events) {
    switch (event.type) {
      case "text-start":
        open.set(event.index, { type: "text", text: "", interrupted: true })
        break
      case "reasoning-start":
        open.set(event.index, { type: "reasoning", text: "", native: null, interrupted: true })
        break
      case "text-delta":
      case "reasoning-delta": {
        const part = open.get(event.index)
        if (part !== undefined) open.set(event.index, { ...part, text: part.text + event.text })
        break
      }
      case "text-end": {
        const { index, text, opaque } = event
        if (text === "") open.delete(index)
        else add(index, { type: "text", text, interrupted: false, ...native(opaque) })
        break
      }
      case "reasoning-end": {
        const { index, text, opaque } = event
        const whole = opaque === null ? null : { ...recorder.tag, opaque }
        add(index, { type: "reasoning", text, native: whole, interrupted: false })
        break
      }
      case "call-end":
        add(event.index, callPart(event, recorder))
        break
      case "hosted":
        add(event.index, {
          type: "hosted",
          name: event.name,
          native: { ...recorder.tag, opaque: event.opaque },
        })
        break
      case "start":
      case "call-start":
      case "call-delta":
      case "finish":
      case "failure":
    }
  }
  for (const [index, part] of open) if (part.text !== "") parts.push({ index, part })
  return parts.sort((a, b) => a.index - b.index)
}

function callPart(event: Extract<StreamEvent, { type: "call-end" }>, recorder: Recorder): Part {
  const { name, nativeId, input, raw, opaque } = event
  const outcome = input === null ? unreadable : recorder.settle()
  return {
    type: "call",
    call: recorder.newCall(),
    nativeId,
    name,
    input: input ?? { unreadable: raw },
    state: outcome?.state ?? "running",
    outcome,
    ...(opaque === undefined ? {} : { native: { ...recorder.tag, opaque } }),
  }
}

const unreadable: CallOutcome = {
  state: "failed",
  output: "The arguments of this call are not valid JSON, so it was not run.",
  truncated: null,
  errorCode: "invalid_input",
}
