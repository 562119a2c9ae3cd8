/** What the store is asked about vectors of units and commits of projects, and what it answers (SE3, SE4). */
import type { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { HeldName } from "../lease/named.ts"
import type { QuestionMeaning } from "./units.ts"

/** By which model, and how long the pieces of a compartment are. */
export interface EmbeddingChoice {
  readonly model: string
  readonly chunkCharacters: number
}

/** Puts Sessions into the queue: one, those of a project, or all, and the memories and commits of their project. A repeat is safe. */
export interface AskEmbedding extends EmbeddingChoice {
  readonly kind: "ask-embedding"
  readonly of: { readonly session: SessionId } | { readonly projectRoot: string | null }
}

export interface UnitVector {
  readonly unit: number
  /** Place of the piece in its unit; 0 for all but compartments. */
  readonly chunk: number
  readonly vector: Float32Array
}

/** Only while its sender holds the lease, and only if the Session still asks for this model. */
export interface WriteVectors extends HeldName {
  readonly kind: "write-vectors"
  readonly step: Pick<EmbeddingStep, "key" | "choice" | "kind" | "through">
  readonly vectors: readonly UnitVector[]
}

/** All of the commits that a project has; those that are gone from it leave. */
export interface WriteCommits {
  readonly kind: "write-commits"
  readonly root: string
  readonly commits: readonly GitCommit[]
  /** Hashes to take away. */
  readonly gone: readonly string[]
}

export interface GitCommit {
  readonly hash: string
  readonly time: number
  /** Subject and body. */
  readonly text: string
}

export interface FoundCommit extends GitCommit {
  readonly root: string
}

/** How like a question it is, by the cosine of both vectors. */
export type NearOther =
  | { readonly kind: "memory"; readonly project: number; readonly id: string; readonly likeness: number }
  | { readonly kind: "commit"; readonly commit: FoundCommit; readonly likeness: number }

export type EmbeddingCommand = AskEmbedding | WriteVectors | WriteCommits

export interface EmbeddingOutcomes {
  "ask-embedding": { readonly kind: "asked"; readonly sessions: number }
  "write-vectors": { readonly kind: "written" | "lost" }
  "write-commits": { readonly kind: "written" }
}

/** The next units of the queue: messages of a Session with the one before them, compartments, or memories and commits. */
export interface EmbeddingStep {
  readonly key: number
  readonly choice: EmbeddingChoice
  readonly kind: "messages" | "compartments" | "others"
  /** Up to here the Session is done with it. */
  readonly through: number
  readonly units: readonly { readonly unit: number; readonly text: string }[]
  /** The text before the first; null where there is none. */
  readonly before: string | null
}

export interface EmbeddingProgress {
  /** Units with a vector of the model, and those that the queue still holds. */
  readonly done: number
  readonly due: number
}

export interface EmbeddingReads {
  readonly hasVectors: (model: string) => Effect.Effect<boolean, StoreFailure>
  /** Of Sessions that ask for one of these models; null where the queue holds none of them. */
  readonly embeddingStep: (models: readonly string[]) => Effect.Effect<EmbeddingStep | null, StoreFailure>
  readonly embeddingProgress: (model: string) => Effect.Effect<EmbeddingProgress, StoreFailure>
  /** Reads some more of the vectors into memory; true if there are more. A search does it too. */
  readonly loadVectors: (model: string) => Effect.Effect<boolean, StoreFailure>
  /** Hashes of the commits of a project that are indexed. */
  readonly commitHashes: (root: string) => Effect.Effect<readonly string[], StoreFailure>
  /** Commits of a root, or of all, whose words match, best first. */
  readonly searchCommits: (
    root: string | null,
    words: readonly string[],
    limit: number,
  ) => Effect.Effect<readonly FoundCommit[], StoreFailure>
  /** Memories of these projects, by their keys, and commits of these roots, or all: those nearest to a question. */
  readonly nearOthers: (
    meaning: QuestionMeaning,
    places: { readonly projects: readonly number[]; readonly roots: readonly string[] } | null,
  ) => Effect.Effect<readonly NearOther[], StoreFailure>
}
