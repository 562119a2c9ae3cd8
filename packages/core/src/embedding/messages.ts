/** What a runtime and its worker say to each other. */
import type { EmbedderChoice } from "./embedder.ts"

export type ToWorker =
  /** The first. */
  | { readonly kind: "open"; readonly file: string; readonly choices: readonly EmbedderChoice[] }
  | { readonly kind: "question"; readonly id: number; readonly model: string; readonly text: string }
  /** There is something in the queue. */
  | { readonly kind: "due" }
  /** Asked now and then, so that one that is wedged is found out by itself. */
  | { readonly kind: "beat" }

export type FromWorker =
  | { readonly kind: "ready" }
  /** `vector` is null where the model fails; `cause` says why. */
  | {
      readonly kind: "answer"
      readonly id: number
      readonly vector: Float32Array | null
      readonly cause?: string
    }
  /** Told after each step; null once it works again. */
  | { readonly kind: "trouble"; readonly cause: string | null }
  /** To each beat: steps that were begun, and whether one is under way. */
  | { readonly kind: "beat"; readonly steps: number; readonly embeds: boolean }
  /** The queue is empty, or another process works on it. */
  | { readonly kind: "rests" }
