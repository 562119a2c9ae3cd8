/**
 * What the runtime and the process that holds its terminals say to each other, in order and over
 * one channel. The end of the channel is the end of all terminals.
 */
import type { PtyExit } from "@holdfast/schema/pty/pty"

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** By what the processes of a terminal are found. */
export interface TreeRoot {
  readonly id: string
  /** The first process, which leads their session; null where it could not be started. */
  readonly leader: { readonly pid: number; readonly startedAt: string } | null
  /** Control group of their own, if the machine allows one. */
  readonly group: string | null
}

/** A screen as text that draws it on a blank terminal of this size, and the cursor that it shows. */
export interface SerialisedScreen extends TerminalSize {
  readonly cursor: number
  readonly text: string
}

export interface StartTerminal extends TerminalSize {
  readonly kind: "start"
  readonly id: string
  /** The first is the absolute path of a program. */
  readonly argv: readonly [string, ...string[]]
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  readonly group: string | null
}

export type ToHost =
  | StartTerminal
  | { readonly kind: "input"; readonly id: string; readonly bytes: Uint8Array }
  | ({ readonly kind: "resize"; readonly id: string } & TerminalSize)
  | { readonly kind: "screen"; readonly id: string; readonly request: number }
  /** All processes are ended; `ended` is the answer. */
  | { readonly kind: "end"; readonly id: string }

export type FromHost =
  | { readonly kind: "ready" }
  | { readonly kind: "unusable"; readonly detail: string }
  | { readonly kind: "started"; readonly id: string; readonly root: TreeRoot }
  | { readonly kind: "refused"; readonly id: string; readonly detail: string }
  | { readonly kind: "output"; readonly id: string; readonly bytes: Uint8Array }
  /** So many bytes of input have reached the terminal, or never will. */
  | { readonly kind: "taken"; readonly id: string; readonly count: number }
  | { readonly kind: "title"; readonly id: string; readonly title: string }
  | { readonly kind: "screen"; readonly request: number; readonly screen: SerialisedScreen | null }
  | {
      readonly kind: "exited"
      readonly id: string
      readonly exit: PtyExit
      readonly screen: SerialisedScreen
    }
  | { readonly kind: "ended"; readonly id: string }
