/**
 * `rebuild`: the compartments of a Session made anew from its messages, a range at a time (HI7).
 *
 * Each range is one record, so that a crash leaves whole ranges; a repeat passes over what is done. Where a model is
 * configured for the historian, it writes them; a range that it cannot write, and archives, are made without one. It writes
 * no facts and touches no memory. Until the next request the window shows the old ones.
 */
import { Effect } from "effect"
import {
  isRebuilt,
  needsModel,
  prepareTask,
  rebuildRange,
  type RebuildRange,
  rebuildRanges,
} from "@holdfast/recall"
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { SessionNotFound, StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { RebuildResult } from "@holdfast/schema/instance/window"
import type { Message } from "@holdfast/schema/message"
import type { Reason } from "@holdfast/schema/turn"
import type { JobRequest } from "../jobs/runner.ts"
import { timeoutCode } from "../jobs/verdict.ts"
import { contribute } from "../session/contribute.ts"
import { type Coordinator, sessionNotFound } from "../session/coordinator/coordinator.ts"
import type { RuntimePorts } from "../session/ports.ts"
import { askHistorian, type HistorianModels, smallestWindow } from "./ask.ts"
import { storedMessages } from "./stored-messages.ts"

export interface RebuildSpan {
  readonly fromSeq?: number | undefined
  readonly toSeq?: number | undefined
}

export const rebuildHistory = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  coordinator: Pick<Coordinator, "resume" | "answered">,
  session: SessionId,
  { fromSeq = 0, toSeq = Number.MAX_SAFE_INTEGER }: RebuildSpan,
  models: HistorianModels | null = null,
): Effect.fn.Return<RebuildResult, SessionNotFound | StoreFailure> {
  const window = yield* ports.store.window(session)
  if (window === null) return yield* sessionNotFound(session)
  const { items, frozen } = window.state
  const ranges = rebuildRanges([...items.compartments.values()], { fromSeq, toSeq }, frozen)
  const done = { ranges: 0, unchanged: 0, overtaken: 0, compartmentsAfter: 0, messages: 0 }
  const asking = new Asking()
  for (const range of ranges) {
    const messages = yield* storedMessages(ports, session, range, items)
    const asked = models === null || !needsModel(range) ? null : models
    if (asked !== null && isRebuilt(range, messages, "model")) {
      done.unchanged += 1
      done.compartmentsAfter += range.replaces.length
      continue
    }
    const before = [...items.compartments.values()]
    const written =
      asked === null
        ? null
        : asking.ended(
            asking.stalled ??
              (yield* writeRange(ports, asked, session, { range, messages, before }, asking.settled)),
          )
    const fact = rebuildRange(range, messages, written)
    const outcome = fact === null ? null : yield* contribute(ports, coordinator, session, fact)
    const published = outcome?.kind === "contributed"
    done.ranges += published ? 1 : 0
    done.unchanged += fact === null ? 1 : 0
    done.overtaken += outcome?.kind === "refused" ? 1 : 0
    done.messages += published ? messages.length : 0
    done.compartmentsAfter += published ? (fact?.compartments.length ?? 0) : range.replaces.length
  }
  const compartmentsBefore = ranges.reduce((sum, { replaces }) => sum + replaces.length, 0)
  return { ...done, compartmentsBefore, ...asking.told() }
})

type Written = readonly Compartment[] | Reason

/** What became of the ranges that the model was asked for, and what that cost. */
class Asking {
  private byModel = 0
  private readonly without = new Map<string, Reason & { readonly ranges: number }>()
  private cost: number | null = 0
  /** Once it ran out of time it is asked no more: else every range would wait as long. */
  stalled: Reason | null = null

  readonly settled: NonNullable<JobRequest<unknown>["onSettled"]> = ({ cost }) => {
    this.cost = this.cost === null || cost === null ? null : this.cost + cost
  }

  /** The compartments, or null where the model gave none. */
  ended(written: Written): readonly Compartment[] | null {
    if (!("code" in written)) {
      this.byModel += 1
      return written
    }
    if (written.code === timeoutCode && this.stalled === null)
      this.stalled = {
        ...written,
        message: `${written.message} It was not asked for the ranges behind that.`,
      }
    const known = this.without.get(written.code)
    const reason = written === this.stalled ? written : (known ?? written)
    this.without.set(written.code, { ...reason, ranges: (known?.ranges ?? 0) + 1 })
    return null
  }

  told(): Pick<RebuildResult, "byModel" | "withoutModel" | "cost"> {
    return { byModel: this.byModel, withoutModel: [...this.without.values()], cost: this.cost }
  }
}

/** Requests for one range; what is left then is written without a model, with all of it. */
const chunksMax = 32

interface Rewriting {
  readonly range: RebuildRange
  readonly messages: readonly Message[]
  /** All that stand; a historian reads those before its range. */
  readonly before: readonly Compartment[]
}

/** Compartments of the whole range, a chunk at a time, or why the models could not write all of it. */
const writeRange = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  models: HistorianModels,
  session: SessionId,
  { range, messages, before }: Rewriting,
  onSettled: JobRequest<unknown>["onSettled"],
): Effect.fn.Return<Written, StoreFailure> {
  const contextTokens = yield* smallestWindow(ports, models.settings)
  if (contextTokens === 0) return yield* unreachable(ports, models)
  const written: Compartment[] = []
  for (let chunks = 0; chunks < chunksMax; chunks++) {
    const fromSeq = (written.at(-1)?.toSeq ?? range.fromSeq - 1) + 1
    if (fromSeq > range.toSeq) return written
    const task = prepareTask({
      session,
      // Nothing is put off: the range is all that there is to write.
      triggered: { reason: "length", ...range, fromSeq, messages: from(messages, fromSeq), emergency: true },
      contextTokens,
      compartments: [...before.filter(({ toSeq }) => toSeq < range.fromSeq), ...written],
      memory: [],
      history: messages,
    })
    // Nobody said anything in the rest: it belongs to what came before it.
    if (task === null) return closed(written, range.toSeq)
    const end = yield* askHistorian(models, session, task, onSettled)
    if (end.kind === "elsewhere") return elsewhere
    if (end.kind !== "done") return end.reason
    written.push(...end.value.compartments)
  }
  return tooMany
})

/** Why the first of its models cannot be asked, where none of them can. */
const unreachable = ({ model }: RuntimePorts, { settings: { models } }: HistorianModels) =>
  Effect.match(model(models[0] ?? null), {
    onSuccess: (): Reason => ({ code: "no_model", message: "No model is configured for it." }),
    onFailure: ({ message }): Reason => ({ code: "model_not_found", message }),
  })

const elsewhere: Reason = { code: "job_elsewhere", message: "Another process has it written." }
const tooMany: Reason = {
  code: "job_requests",
  message: `The model had not written all of it after ${chunksMax} requests.`,
}
const nothingSaid: Reason = {
  code: "nothing_said",
  message: "No message that is left in it can be summed up.",
}

const from = (messages: readonly Message[], fromSeq: number): readonly Message[] =>
  messages.filter(({ seq }) => seq >= fromSeq)

function closed(written: readonly Compartment[], toSeq: number): Written {
  const last = written.at(-1)
  return last === undefined
    ? nothingSaid
    : [
        ...written.slice(0, -1),
        { ...last, id: `c${last.fromSeq}-${toSeq}`, toSeq: toSeq as typeof last.toSeq },
      ]
}
