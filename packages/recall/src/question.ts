/** What the planner is asked, and what it answers. */
import type { Block, Encoded } from "@holdfast/llm/wire"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { SignalRaised } from "@holdfast/schema/fact/recall"
import type { Todo } from "@holdfast/schema/fact/todo"
import type { SignalId } from "@holdfast/schema/id"
import type { Frozen } from "@holdfast/schema/state/frozen"
import type { Break, PassKind } from "@holdfast/schema/turn"
import type { BreakCauses } from "./break.ts"
import type { FloorItem, WindowLimits } from "./cut.ts"
import type { Mode } from "./decide.ts"
import type { KnownHistory } from "./history/publish.ts"
import type { SizeRefusal } from "./learned-window.ts"
import type { HistoryView } from "./render.ts"

/** A history that the next request could show, and its bytes. */
export interface Candidate {
  readonly view: HistoryView
  readonly encode: (view: HistoryView) => Encoded
}

export interface PassQuestion {
  readonly asIs: Candidate
  /** The same with the Epoch ended here; null where a replacement is blocked (EP8). */
  readonly compacted: () => Candidate | null
  readonly limits: WindowLimits
  readonly history: KnownHistory
  readonly historian: HistorianState
  readonly mode: Mode
  /** Since the last request, and how long its cache lives at most. */
  readonly idle: Idle
  /** The provider said that the last request was too long: this one is cut whatever the estimate says. */
  readonly refusal: SizeRefusal | null
  /** All that wait for a pass. */
  readonly signals: readonly SignalRaised[]
  /** Sequence of the pass that executed last, 0 if none did. */
  readonly executedSeq: number
  /** The newest list of steps. */
  readonly todos: readonly Todo[]
  /** Whether old answers are told in fewer words: set by somebody, and the model cannot drop by itself (TG5). */
  readonly shortens?: boolean
  /** The id of a signal that this pass raises. */
  readonly newSignal: () => SignalId
  /** Blocks of the previous request; null if it is not known or there was none. */
  readonly previous: readonly Block[] | null
  readonly causes: PassCauses
}

/** Who writes compartments of what leaves the window. */
export interface HistorianState {
  /** No job does: the extractive one writes them with the pass (HI1). */
  readonly inline: boolean
  /** A job is at work on this Session. */
  readonly running: boolean
  /** The turn has waited for it already. */
  readonly waited: boolean
}

export const inlineHistorian: HistorianState = { inline: true, running: false, waited: false }

export interface Idle {
  /** Null where no request was made yet. */
  readonly ms: number | null
  readonly lifetimeMs: number
}

export const notIdle: Idle = { ms: 0, lifetimeMs: 0 }

/** What changed since the previous request, as far as it is known before anything is rendered. */
export interface PassCauses extends Omit<BreakCauses, "paramsChanged" | "cut" | "work"> {
  /** There is no previous request. */
  readonly first: boolean
  /** Hash of the settings of the previous request; null if there was none. */
  readonly previousParams: string | null
}

/** What would be sent if a pass did nothing. */
export interface Otherwise {
  readonly encoded: Encoded
  readonly break: Break | null
}

/** `otherwise` is null where the pass does nothing, or where nothing else could be sent. */
export type PlannedPass = Pass & { readonly otherwise: Otherwise | null }

export type Pass =
  | {
      readonly kind: PassKind
      readonly encoded: Encoded
      readonly frozen: Frozen
      /** The record of it; null for a Hold. */
      readonly applied: FactOf<"pass.applied"> | null
      /** All that is stored with it: compartments of what leaves, the record itself, or a signal for a later pass. */
      readonly records: readonly Fact[]
      /** Whether the Epoch ends with it (EP7). */
      readonly endsEpoch: boolean
      /** The window to believe in from now on; null if nothing was learned (TU5). */
      readonly learned: number | null
      readonly break: Break | null
      /** A historian is at work, and what it publishes would spare this cut: to be planned again behind it (EG1). */
      readonly waits: boolean
    }
  | {
      readonly kind: "stuck"
      readonly encoded: Encoded
      readonly applied: null
      readonly records: readonly []
      readonly learned: null
      /** What cannot be reduced. */
      readonly floor: readonly FloorItem[]
      readonly break: Break | null
      readonly waits: boolean
    }
