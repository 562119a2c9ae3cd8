/**
 * The look at a boundary: everything that a turn takes from outside its log, sampled once (DR2).
 *
 * Model, agent, tools and sources are asked for here and nowhere else, by the turn that is about
 * to run and by a preview alike, so that the two cannot see different things.
 */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Reason } from "@holdfast/schema/turn"
import { ContextDefect, type Observation, observe } from "../context/index.ts"
import { defectReason } from "./boundary.ts"
import { chooseModel } from "./fallback.ts"
import type { ModelSetup, RuntimePorts, Sample } from "./ports.ts"
import { type Selection, selectionFor } from "./request/request.ts"

export interface Selected {
  readonly setup: ModelSetup
  readonly sample: Sample
  readonly selection: Selection
}

export type Look =
  | { readonly kind: "seen"; readonly selected: Selected; readonly observation: Observation }
  /** `selected` is null where there is no model to speak to. */
  | { readonly kind: "blocked"; readonly reason: Reason; readonly selected: Selected | null }

/** Without a purpose nothing will be sent. */
export const lookAt = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  session: SessionId,
  state: SessionState,
  purpose?: "speak",
): Effect.fn.Return<Look, StoreFailure> {
  const { location, model, agent } = state.summary
  const setup = yield* Effect.result(chooseModel(ports, session, model, purpose))
  if (setup._tag === "Failure") {
    if (setup.failure._tag !== "ModelNotFound") return yield* setup.failure
    const { code = "model_not_found", message } = setup.failure
    return { kind: "blocked", reason: { code, message }, selected: null }
  }
  const sample = yield* ports.sample(location, agent)
  const selection = selectionFor(setup.success, sample, state.lastTurn)
  const selected = { setup: setup.success, sample, selection }
  // Side by side: both wait for the disk, and whoever waits for an answer waits for them.
  const [there, observed] = yield* Effect.all(
    [ports.locationExists(location), Effect.result(observe(sample.context))],
    { concurrency: "unbounded" },
  )
  if (!there) return { kind: "blocked", reason: locationMissing(location.directory), selected }
  if (observed._tag === "Success") return { kind: "seen", selected, observation: observed.success }
  const { key, message } = observed.failure
  return { kind: "blocked", reason: defectReason(new ContextDefect({ key, message })), selected }
})

const locationMissing = (directory: string): Reason => ({
  code: "location_missing",
  message: `The directory ${directory} is gone. The prompt is kept; restore the directory, then resume.`,
})
