/**
 * Calls that a prompt brings with it: files that somebody named, commands of a command (TL6).
 *
 * They are made in a turn of their own, before a model is asked, in place of its answer: judged, asked
 * for, recorded and settled like those of a model. One whose result came with the prompt is settled by
 * it, and nothing runs. What is due follows from the log, so that a crash neither loses a call nor makes
 * one twice (TU2).
 */
import { Effect } from "effect"
import type { StreamEvent } from "@holdfast/llm/wire"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Json } from "@holdfast/schema/json"
import { usageNone } from "@holdfast/schema/model"
import type { AdmittedCall } from "@holdfast/schema/prompt"
import { type Answer, takeCall, takeEvents } from "../answer.ts"
import { storedContent } from "./prompt-content.ts"

export { dueCalls } from "./due-calls.ts"

/** Nothing is sent: the turn has no attempt, and costs nothing. */
export const makeDueCalls = Effect.fnUntraced(function* (
  answer: Answer,
  due: readonly AdmittedCall[],
): Effect.fn.Return<{ readonly kind: "answered" }, StoreFailure | LeaseLost> {
  const contents = yield* Effect.forEach(due, (call) => storedContent(answer.lead.ports.store, call))
  if (answer.lead.fence.raised !== null) return yield* Effect.never
  const toMake = due.flatMap((call, index): StreamEvent[] => {
    const event = {
      type: "call-end",
      index,
      nativeId: "prompt",
      name: call.tool,
      input: inputOf(call),
      raw: "",
    } as const
    const content = contents[index] ?? null
    if (content === null) return [event]
    takeCall(answer, event, content)
    return []
  })
  const finish: StreamEvent = { type: "finish", reason: "calls", nativeReason: "prompt", usage: usageNone }
  yield* takeEvents(answer, [...toMake, finish])
  return { kind: "answered" }
})

const inputOf = ({ tool, argument }: AdmittedCall): Json =>
  tool === "read" ? { path: argument } : { command: argument }
