/**
 * The rules of a wire as data, and how its blocks are told (LL3).
 *
 * Marks stand beside each value in the wires: `recorded` in traffic or public reports, `documented` by
 * the provider. What is only assumed is not refused: a provider may well take it.
 */
import type { Fields } from "../json-fields.ts"
import type { ImageRules } from "../image/rules.ts"
import type { Block } from "../wire.ts"
import type { Piece } from "./piece.ts"

/** What may break a request of one target. */
export interface Rules {
  /** On what of the target the rules depend. */
  readonly key: string
  /** Where instructions in time may stand; `unknown` where the provider has no role for them. */
  readonly system: "anywhere" | "before an answer" | "nowhere" | "unknown"
  /** What must stand behind words of the user: any answer, an answer that calls, or nothing. */
  readonly userBefore: "answers" | "calls" | "nothing"
  /** Each block of the model is an answer of its own, in place of all in a row. */
  readonly answerPerBlock: boolean
  /** An answer must stand between a result and words of the user. */
  readonly answersResults: boolean
  readonly callId: RegExp
  readonly toolName: RegExp
  /** How a result finds its call: by its id, or by the name where one of the two has none. */
  readonly pairedBy: "id" | "name"
  /** Where no two calls have one id. */
  readonly callsUniqueIn: "request" | "answer"
  /** The first call of each answer since the user spoke is signed. */
  readonly signsCalls: boolean
  /** Calls in history want a declared tool. */
  readonly callsWantTools: boolean
  /** An answer that paused over the provider's own tool may come last. */
  readonly pausesInHosted: boolean
  /** What may carry a cache marker; reasoning and hosted pieces never do. */
  readonly markable: "all" | "text" | "none"
  readonly takesImages: boolean
  readonly images: ImageRules
}

/** What most providers have in common. */
export const commonRules: Omit<Rules, "images"> = {
  key: "",
  system: "unknown",
  userBefore: "nothing",
  answerPerBlock: false,
  answersResults: false,
  callId: /^[a-zA-Z0-9_-]+$/,
  toolName: /^[a-zA-Z0-9_-]{1,64}$/,
  pairedBy: "id",
  callsUniqueIn: "request",
  signsCalls: false,
  callsWantTools: false,
  pausesInHosted: false,
  markable: "all",
  takesImages: true,
}

/** A declaration as a wire tells it. */
export type Tool =
  /** `schema` is absent where the function takes no input. */
  | {
      readonly kind: "function"
      readonly name: string
      readonly description?: unknown
      readonly schema?: unknown
    }
  /** `fault`: what is wrong with it; null if nothing is. */
  | { readonly kind: "hosted"; readonly name?: string; readonly fault: string | null }

/** What the settings of a request say. */
export interface Settings {
  /** They are those of a stream of this model. */
  readonly isOurs: boolean
  /** The output limit; absent where the provider wants none. */
  readonly output?: unknown
  readonly ranges: readonly (readonly [name: string, value: unknown, min: number, max: number])[]
  readonly stop: unknown
  readonly stopsMax?: number
  /** Name of the tool that must be called. */
  readonly chosen: unknown
  /** A budget of thinking is asked for. */
  readonly budgeted?: boolean
  /** What else is wrong, each with what to change. */
  readonly faults: readonly string[]
}

/** Messages of what is wrong. */
export const wrongIn = (all: readonly (readonly [isWrong: boolean, message: string])[]): readonly string[] =>
  all.flatMap(([isWrong, message]) => (isWrong ? [message] : []))

/** What settings have to fit to. */
export interface Conversation {
  readonly toolNames: ReadonlySet<string>
  readonly functions: number
}

/** The grammar of a wire, for one target. */
export interface Grammar {
  readonly rules: Rules
  readonly piecesOf: (value: Fields, block: Block) => readonly Piece[]
  readonly toolOf: (value: Fields) => Tool
  /** What else a function's schema must be; a fault, or null. */
  readonly schemaFault: (schema: Fields) => string | null
  /** The block brings a cache marker of its own. */
  readonly isMarked?: (value: Fields) => boolean
  readonly settingsOf: (params: Fields, said: Conversation) => Settings
  /** The provider runs tools of its own. */
  readonly hostsTools: boolean
}
