/**
 * Calls that a prompt brings with it: files that somebody named, commands of a command (TL6).
 *
 * They are made in a turn of their own, before a model is asked, in place of its answer: judged, asked
 * for, recorded and settled like those of a model. What is due follows from the log, so that a crash
 * neither loses a call nor makes one twice (TU2).
 */
import { Effect } from "effect"
import type { StreamEvent } from "@holdfast/llm/wire"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Json } from "@holdfast/schema/json"
import { usageNone } from "@holdfast/schema/model"
import type { PromptCall } from "@holdfast/schema/prompt"
import { type Answer, takeEvents } from "../answer.ts"

export { dueCalls } from "./due-calls.ts"

/** Nothing is sent: the turn has no attempt, and costs nothing. */
export const makeDueCalls = (
  answer: Answer,
  due: readonly PromptCall[],
): Effect.Effect<{ readonly kind: "answered" }, StoreFailure | LeaseLost> =>
  Effect.suspend(() => {
    if (answer.lead.fence.raised !== null) return Effect.never
    const calls = due.map((call, index): StreamEvent => {
      const { tool: name } = call
      return { type: "call-end", index, nativeId: "prompt", name, input: inputOf(call), raw: "" }
    })
    const finish: StreamEvent = { type: "finish", reason: "calls", nativeReason: "prompt", usage: usageNone }
    return Effect.as(takeEvents(answer, [...calls, finish]), { kind: "answered" } as const)
  })

const inputOf = ({ tool, argument }: PromptCall): Json =>
  tool === "read" ? { path: argument } : { command: argument }
