/**
 * The look at a boundary: everything that a turn takes from outside its log, sampled once (DR2).
 *
 * Model, agent, tools and sources are asked for here and nowhere else, by the turn that is about
 * to run and by a preview alike, so that the two cannot see different things.
 *
 * Sources take time, mostly that of a disk. Where a commit comes right before the boundary, they are
 * asked while it is on its way (`lookAhead`): everything that the turn must see has happened by then.
 */
import { Clock, Effect, Fiber, type Result, type Scope } from "effect"
import type { KnownMemory, ProjectDoc } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { SessionState } from "@holdfast/schema/state/state"
import type { ModelRef } from "@holdfast/schema/model"
import type { Reason } from "@holdfast/schema/turn"
import type { Location } from "@holdfast/schema/location"
import { nobody } from "../agent/find.ts"
import { ContextDefect, empty, type Observation, observe, type SystemContext } from "../context/index.ts"
import { describeThrown } from "../context/observation.ts"
import { uncoveredMessages } from "../historian/stored-messages.ts"
import { knownMemory } from "../memory/known.ts"
import { metPaths } from "../instructions/nested.ts"
import { defectReason } from "./request/context-facts.ts"
import { chooseModel } from "./fallback.ts"
import type { Agent, ModelSetup, RuntimePorts, Sample } from "./ports.ts"
import { type Selection, selectionFor } from "./request/request.ts"
import { createToolRegistry } from "../tools/index.ts"

export interface Selected {
  readonly setup: ModelSetup
  readonly sample: Sample
  readonly selection: Selection
}

export type Look =
  | {
      readonly kind: "seen"
      readonly selected: Selected
      readonly observation: Observation
      /** What is known of the project beside its sources. */
      readonly known: {
        readonly memory: KnownMemory | null
        readonly docs: readonly ProjectDoc[]
        /** What left the window before it came here. */
        readonly uncovered: readonly Message[]
      }
    }
  /** `selected` is null where there is no model to speak to. */
  | { readonly kind: "blocked"; readonly reason: Reason; readonly selected: Selected | null }

/** What the sources of a composition say, and whether its Location is there. */
interface Sight {
  readonly there: boolean
  readonly observed: Result.Result<Observation, ContextDefect>
}

/** A look that began before its boundary, for a Session at this place with this agent. */
export interface Ahead {
  readonly location: Location
  readonly agent: string
  readonly met: readonly string[]
  readonly sampling: Fiber.Fiber<Sample>
  readonly sight: Fiber.Fiber<Sight>
}

/**
 * A sample that throws stops the turns that ask for it, and no more: each is told why, as of a loader that
 * throws (SC15), and nothing can be called or sent meanwhile.
 */
export const soundSample =
  (sample: RuntimePorts["sample"]): RuntimePorts["sample"] =>
  (location, agent, met) =>
    Effect.catchDefect(
      Effect.suspend(() => sample(location, agent, met)),
      (thrown) =>
        Effect.succeed({
          agent: nobody(agent),
          tools: noTools,
          context: empty,
          obstacle: defectReason({
            message: `What a turn works with could not be put together: ${describeThrown(thrown)}`,
          }),
        }),
    )

const noTools = createToolRegistry([])

/** Begins to sample a Session and to look at its sources; whoever calls it waits for neither. */
export const lookAhead = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  state: SessionState,
  scope: Scope.Scope,
): Effect.fn.Return<Ahead> {
  const { location, agent } = state.summary
  const met = metPaths(state)
  // Not at once: the commit that it goes beside leaves with the end of this tick.
  const sampling = yield* Effect.forkIn(ports.sample(location, agent, met), scope)
  const seeing = Effect.flatMap(Fiber.join(sampling), ({ context }) => see(ports, location, context))
  const sight = yield* Effect.forkIn(seeing, scope)
  return { location, agent, met, sampling, sight }
})

/** Side by side: both wait for the disk, and whoever waits for an answer waits for them. */
const see = (ports: RuntimePorts, location: Location, context: SystemContext): Effect.Effect<Sight> =>
  Effect.map(
    Effect.all([ports.locationExists(location), Effect.result(observe(context))], {
      concurrency: "unbounded",
    }),
    ([there, observed]) => ({ there, observed }),
  )

/** Without a purpose nothing will be sent. */
export const lookAt = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  session: SessionId,
  state: SessionState,
  purpose?: "speak",
  ahead: Ahead | null = null,
): Effect.fn.Return<Look, StoreFailure> {
  const { location, agent } = state.summary
  const met = metPaths(state)
  const begun = ahead !== null && isFor(ahead, state.summary, met) ? ahead : null
  const sample = yield* begun === null ? ports.sample(location, agent, met) : Fiber.join(begun.sampling)
  if (sample.obstacle !== undefined) return { kind: "blocked", reason: sample.obstacle, selected: null }
  const chosen = yield* Effect.result(
    chooseModel(ports, session, askedModel(state.summary, sample.agent), sample, purpose),
  )
  if (chosen._tag === "Failure") {
    if (chosen.failure._tag !== "ModelNotFound") return yield* chosen.failure
    const { code = "model_not_found", message } = chosen.failure
    return { kind: "blocked", reason: { code, message }, selected: null }
  }
  const { setup } = chosen.success
  const known = selectionFor(setup, sample, state.lastTurn)
  const contextTokens = yield* believedWindow(ports, setup)
  const selection = { ...known, contextTokens }
  const selected = { setup, sample, selection }
  const { there, observed } = yield* begun === null
    ? see(ports, location, sample.context)
    : Fiber.join(begun.sight)
  if (!there) return { kind: "blocked", reason: locationMissing(location.directory), selected }
  if (observed._tag === "Success") {
    const memory = yield* knownMemory(ports, state)
    const docs =
      state.summary.kind === "primary" ? yield* ports.projectDocs?.(location, sample.docs) ?? noDocs : []
    const uncovered = yield* uncoveredMessages(ports, session, state)
    return { kind: "seen", selected, observation: observed.success, known: { memory, docs, uncovered } }
  }
  const { key, message } = observed.failure
  return { kind: "blocked", reason: defectReason(new ContextDefect({ key, message })), selected }
})

const noDocs: Effect.Effect<readonly ProjectDoc[]> = Effect.succeed([])

/** What the Session names itself, else what its agent does; null asks for the default (CA3). */
export const askedModel = (
  { model }: Pick<SessionState["summary"], "model">,
  agent: Agent,
): ModelRef | null => model ?? agent.model ?? null

const isFor = (ahead: Ahead, { location, agent }: SessionState["summary"], met: readonly string[]): boolean =>
  ahead.location.directory === location.directory &&
  ahead.location.projectRoot === location.projectRoot &&
  ahead.agent === agent &&
  (ahead.met === met || ahead.met.join("\n") === met.join("\n"))

/** How long what another Session learned of a model is believed: providers change their limits. */
const learnedMsMax = 30 * 24 * 3_600_000

/** What is known of the model's window, with what any Session learned of it (TU5). */
const believedWindow = Effect.fnUntraced(function* (
  { store }: RuntimePorts,
  { target, contextTokens }: ModelSetup,
): Effect.fn.Return<number, StoreFailure> {
  const since = (yield* Clock.currentTimeMillis) - learnedMsMax
  return Math.min(contextTokens, (yield* store.learnedWindow(target, since)) ?? contextTokens)
})

const locationMissing = (directory: string): Reason => ({
  code: "location_missing",
  message: `The directory ${directory} is gone. The prompt is kept; restore the directory, or move the Session to another with holdfast move, then resume.`,
})
