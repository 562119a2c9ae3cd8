/** What the two threads of a store say to each other. Plain data; order is the order of posting. */
import type { FailureFields } from "../failure.ts"
import type { Command } from "../port.ts"
import type { Advance, Reply } from "../sqlite/driver.ts"

export interface Numbered {
  readonly id: number
  readonly command: Command
}

export type ToWriter =
  /** The first; a thread may be started before it is known what it opens. */
  | { readonly kind: "open"; readonly options: WriterOptions }
  | { readonly kind: "commands"; readonly commands: readonly Numbered[] }
  | { readonly kind: "close" }

export type FromWriter =
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly failure: FailureFields }
  /** One transaction: its replies by number, after the sync. */
  | {
      readonly kind: "committed"
      readonly replies: readonly (readonly [id: number, reply: Reply])[]
      readonly advances: readonly Advance[]
    }
  | { readonly kind: "closed"; readonly failure: FailureFields | null }

export interface WriterOptions {
  readonly file: string
  readonly busyMs: number
}
