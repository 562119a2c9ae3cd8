/** Tools for the stage: they take virtual time and note in the journal when they really start. */
import { Effect } from "effect"
import { type Tool, ToolFailure } from "@holdfast/core/tools/index"

export interface WorkSettings {
  readonly name?: string
  readonly repeatable?: boolean
  readonly readOnly?: boolean
  /** How long it works after its first output. */
  readonly ms?: number
  readonly output?: string
  readonly text?: string
  readonly fails?: boolean
}

/** Writes some output at once, works, then answers. `note` gets `start` and `end` lines. */
export function workTool(note: (line: string) => void, settings: WorkSettings = {}): Tool {
  const {
    name = "work",
    repeatable = false,
    readOnly = false,
    ms = 0,
    output = "halfway\n",
    text = "worked",
    fails = false,
  } = settings
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: {} },
    repeatable,
    readOnly,
    run: (_input, context) =>
      Effect.gen(function* () {
        note(`start ${name} ${context.callId}`)
        context.output.write(output)
        yield* Effect.sleep(ms)
        note(`end ${name}`)
        if (fails) return yield* new ToolFailure({ code: "work_failed", message: "It did not work." })
        return { text }
      }),
  }
}
