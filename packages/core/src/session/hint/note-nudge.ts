/** Tells the model beside the next words of a person that it has open notes (ND1). */
import { Clock, Effect } from "effect"
import { noteNudgeFor, noteToolName } from "@holdfast/recall"
import type { BesideMaker } from "./beside.ts"

export const noteNudge: BesideMaker = {
  name: "A reminder of notes",
  applies: ({ sample }) => sample.tools.get(noteToolName) !== undefined,
  make: ({ lead }) =>
    Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const { items, messages } = lead.loaded.state
      return noteNudgeFor({ items, messages, nowMs })
    }),
}
