/** What the store answers to a search: units with their scores, and their texts. */
import type { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { Phrase } from "@holdfast/schema/search/phrase"
import type { Frozen } from "@holdfast/schema/state/frozen"
import type { EmbeddingCommand, EmbeddingOutcomes } from "./embedding.ts"

/** Whose words a unit is; `summary` is a compartment that a historian wrote. */
export type UnitAuthor = "user" | "assistant" | "call" | "output" | "summary"

/** A unit by its place in the log. */
export interface UnitPlace {
  readonly session: SessionId
  readonly seq: number
  readonly idx: number
}

/** Messages by their sequences, both ends included. */
export interface UnitRange {
  readonly fromSeq: number
  readonly toSeq: number
}

export interface UnitHit extends UnitPlace {
  /** A number of this store's own, for comparing hits with their neighbours. */
  readonly unit: number
  readonly messageSeq: number
  readonly author: UnitAuthor
  /** How well it matches; more is better. */
  readonly score: number
  /** How near its meaning is, from 0 to 1; 0 without a vector of the question. */
  readonly meaning: number
  /** It holds one of the phrases, word for word. */
  readonly exact: boolean
  /** The unit behind it and the one behind that, as numbers; null where there is none. */
  readonly after: number | null
  readonly secondAfter: number | null
  /** What it says, where that was read to look for a phrase. */
  readonly said?: UnitSaid
}

export interface SearchQuestion {
  /** By `searchWords`; any of them may match. */
  readonly words: readonly string[]
  readonly phrases: readonly Phrase[]
  /** Sessions of the project at this root, and of directories that share it; null for all. */
  readonly projectRoot: string | null
  /** Only this one. */
  readonly session?: SessionId
  /** Leaves out what the window of a Session shows, but for messages of which something was dropped. */
  readonly unless?: {
    readonly session: SessionId
    readonly shown: Pick<Frozen, "from" | "kept">
    readonly dropped?: ReadonlySet<number>
  }
  /** Words are looked up while it is made; only they count where it comes to null. */
  readonly meaning?: Effect.Effect<QuestionMeaning | null>
  readonly limit: number
}

/** Of a question, by the model that the vectors of units were made by. */
export interface QuestionMeaning {
  readonly model: string
  /** Its length is 1. */
  readonly vector: Float32Array
  /** The cosine that the nearest text must have for any to be found that shares no word with the question. */
  readonly floor: number
}

export interface SearchAnswer {
  /** Best first; behind them, with no score, units in front of the best. */
  readonly hits: readonly UnitHit[]
  /** Events of older stores that are not indexed yet. */
  readonly unindexed: number
}

export interface UnitSaid {
  readonly text: string
  readonly time: number
  /** Of a compartment, the messages that it stands for. */
  readonly range?: UnitRange
}

export interface UnitRecord extends UnitPlace, UnitSaid {}

/** Reads a piece of what was said since into the index; `anew` where the index cannot be read. A repeat is safe. */
export interface IndexWords {
  readonly kind: "index-words"
  readonly anew: boolean
}

export type SearchCommand = IndexWords | EmbeddingCommand

export interface SearchOutcomes extends EmbeddingOutcomes {
  /** Whether that was all. */
  "index-words": { readonly kind: "indexed"; readonly all: boolean }
}

/** The reads of the store that search goes by. */
export interface SearchReads {
  /** Units whose words match, best first; a commit's own are found as soon as it has resolved (SE2). */
  readonly search: (question: SearchQuestion) => Effect.Effect<SearchAnswer, StoreFailure>
  /** Texts of units as they were recorded; one that is gone or damaged is left out. */
  readonly units: (places: readonly UnitPlace[]) => Effect.Effect<readonly UnitRecord[], StoreFailure>
}
