/**
 * The terminals of a runtime (PT1): made, listed, written to, read, resized and closed.
 *
 * They live in one process beside the runtime (terminal-host.ts), which is there as long as there is
 * a terminal. Here is what callers see of them. A terminal whose program has ended stays until it is
 * closed, so that its output and its exit can still be read; the oldest of too many is closed.
 *
 *   create ─▶ running ─ program ends ─▶ exited ─ close ─▶ gone
 *                └────────────── close ───────────────────┘
 */
import { Effect, Schema, type Scope } from "effect"
import {
  InvalidId,
  LocationMissing,
  PtyEnded,
  PtyNotFound,
  PtyRefused,
  PtyUnavailable,
} from "@holdfast/schema/error"
import { PtyId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { Pty } from "@holdfast/schema/pty/pty"
import { shownLengthMax } from "../caller/given.ts"
import type { LiveHub } from "../session/live.ts"
import { type Attachment, attachTo } from "./attachment.ts"
import { type EnvironmentLayers, terminalEnvironment, type TerminalEnvironment } from "./environment.ts"
import { Holder, type StartFailure } from "./holder.ts"
import type { StartTerminal, TerminalSize } from "./messages.ts"
import { findProgram } from "./program.ts"

export interface CreateTerminal extends Partial<TerminalSize> {
  /** The program and its arguments; the user's shell unless given. */
  readonly argv?: readonly [string, ...string[]]
  readonly directory: string
  readonly title?: string
  readonly env?: TerminalEnvironment
}

/** Values of whoever hosts the runtime, for a terminal in this directory. */
export type EnvironmentOverlay = (directory: string) => Effect.Effect<TerminalEnvironment>

export type KnownPtyFailure = PtyNotFound | InvalidId

export interface ListedPty {
  /** Its place in the order of creation. */
  readonly seq: number
  readonly pty: Pty
}

export interface Terminals {
  readonly create: (
    input: CreateTerminal,
    overlay: EnvironmentOverlay,
  ) => Effect.Effect<Pty, LocationMissing | PtyRefused | PtyUnavailable>
  /** In the order in which they were made. */
  readonly list: () => readonly ListedPty[]
  readonly get: (ptyID: string) => Effect.Effect<Pty, KnownPtyFailure>
  readonly resize: (ptyID: string, size: TerminalSize) => Effect.Effect<Pty, PtyEnded | KnownPtyFailure>
  readonly write: (
    ptyID: string,
    input: Uint8Array,
  ) => Effect.Effect<void, PtyRefused | PtyEnded | KnownPtyFailure>
  /** Output from a cursor on; from the screen on where it is null, or is not kept. */
  readonly attach: (ptyID: string, from: number | null) => Effect.Effect<Attachment, KnownPtyFailure>
  /** Answers when every process of it is gone. */
  readonly close: (ptyID: string) => Effect.Effect<void, KnownPtyFailure>
}

export interface TerminalsOptions {
  readonly newId: (prefix: "pty") => string
  readonly locate: (directory: string) => Effect.Effect<Location | null>
  /** What terminals inherit, before it is filtered. */
  readonly environment: EnvironmentLayers["own"]
  /** Told of each that opens, exits or closes (EV5). */
  readonly live?: Pick<LiveHub, "publish">
}

const terminalsMax = 32
/** Of those whose program has ended. */
const exitedMax = 16
/** Input that a program has not read yet. */
const inputBytesMax = 1_048_576

const sizeDefault: TerminalSize = { columns: 80, rows: 24 }

export const makeTerminals = (options: TerminalsOptions): Effect.Effect<Terminals, never, Scope.Scope> =>
  Effect.gen(function* () {
    const holder = new Holder((type, pty) => options.live?.publish({ type, pty }))
    // Where there never was one there is nothing to wait for.
    yield* Effect.addFinalizer(() => (holder.isUnused ? Effect.void : Effect.promise(() => holder.close())))
    const { terminals } = holder
    let made = 0
    let starting = 0

    const known = Effect.fnUntraced(function* (ptyID: string) {
      if (!isPtyId(ptyID)) return yield* invalidId(ptyID)
      return terminals.get(ptyID) ?? (yield* notFound(ptyID))
    })
    const running = Effect.fnUntraced(function* (ptyID: string) {
      const terminal = yield* known(ptyID)
      return terminal.exit === null ? terminal : yield* ended(ptyID)
    })
    const isFull = () => {
      const count = [...terminals.values()].filter(({ exit }) => exit === null).length
      return count + starting >= terminalsMax
    }
    const closeOldest = async () => {
      const exited = [...terminals.values()].filter(({ exit }) => exit !== null)
      const surplus = exited.slice(0, Math.max(0, exited.length - exitedMax))
      await Promise.all(surplus.map((terminal) => holder.end(terminal)))
    }
    const start = Effect.fnUntraced(function* (input: CreateTerminal, overlay: EnvironmentOverlay) {
      const id = PtyId.make(options.newId("pty"))
      const { directory } = (yield* options.locate(input.directory)) ?? (yield* missing(input.directory))
      const layers = { own: options.environment, given: input.env ?? {}, overlay: yield* overlay(directory) }
      const request = yield* startRequest(id, input, directory, terminalEnvironment(id, layers))
      const { columns, rows } = request
      const { argv = request.argv, title = null } = input
      const terminal = yield* Effect.tryPromise({
        try: () => holder.start(request, { id, seq: ++made, argv, directory, title, columns, rows }),
        catch: (failure) => unavailable(failure as StartFailure),
      })
      yield* Effect.promise(closeOldest)
      return terminal.describe()
    })

    return {
      create: Effect.fnUntraced(function* (input, overlay) {
        if (isFull()) return yield* tooMany()
        starting += 1
        return yield* Effect.ensuring(
          start(input, overlay),
          Effect.sync(() => starting--),
        )
      }),
      list: () =>
        [...terminals.values()].map((terminal) => ({ seq: terminal.seq, pty: terminal.describe() })),
      get: (ptyID) => Effect.map(known(ptyID), (terminal) => terminal.describe()),
      resize: Effect.fnUntraced(function* (ptyID, { columns, rows }) {
        const terminal = yield* running(ptyID)
        holder.send({ kind: "resize", id: terminal.id, columns, rows })
        terminal.resize({ columns, rows })
        return terminal.describe()
      }),
      write: Effect.fnUntraced(function* (ptyID, bytes) {
        const terminal = yield* running(ptyID)
        if (terminal.inputBytes + bytes.length > inputBytesMax) return yield* notRead()
        terminal.give(bytes.length)
        holder.send({ kind: "input", id: terminal.id, bytes })
      }),
      attach: (ptyID, from) =>
        Effect.map(known(ptyID), (terminal) => attachTo(terminal, from, () => holder.readScreen(terminal))),
      close: Effect.fnUntraced(function* (ptyID) {
        const terminal = yield* known(ptyID)
        yield* Effect.promise(() => holder.end(terminal))
      }),
    }
  })

/** What the holder of terminals is asked for, once the program is found. */
const startRequest = Effect.fnUntraced(function* (
  id: PtyId,
  input: CreateTerminal,
  directory: string,
  environment: TerminalEnvironment,
): Effect.fn.Return<Omit<StartTerminal, "group">, PtyRefused> {
  const [name, ...args] = input.argv ?? [environment["SHELL"] ?? "/bin/sh"]
  const program = findProgram(name, directory, environment["PATH"])
  if (program === null) return yield* noProgram(name)
  const { columns = sizeDefault.columns, rows = sizeDefault.rows } = input
  return { kind: "start", id, argv: [program, ...args], directory, environment, columns, rows }
})

const isPtyId = Schema.is(PtyId)

const shown = (text: string): string => JSON.stringify(text.slice(0, shownLengthMax))

const invalidId = (ptyID: string) =>
  Effect.fail(
    new InvalidId({ value: ptyID, message: `${shown(ptyID)} is no id of a terminal. They look like pty_…` }),
  )

const notFound = (pty: string) =>
  Effect.fail(new PtyNotFound({ pty, message: `There is no terminal ${pty} here. It may have been closed.` }))

const ended = (pty: string) =>
  Effect.fail(
    new PtyEnded({ pty, message: `The program of terminal ${pty} has ended. Close it and create another.` }),
  )

const missing = (directory: string) =>
  Effect.fail(
    new LocationMissing({
      directory,
      message: `There is no directory ${directory}. Create it or name another.`,
    }),
  )

const noProgram = (name: string) =>
  Effect.fail(
    new PtyRefused({
      code: "program",
      message: `There is no program ${shown(name)} that can be run. Name one in PATH, or its whole path.`,
    }),
  )

const tooMany = () =>
  Effect.fail(
    new PtyRefused({
      code: "too_many",
      message: `${terminalsMax} terminals are running, and there may be no more. Close one first.`,
    }),
  )

const notRead = () =>
  Effect.fail(
    new PtyRefused({
      code: "input",
      message: `The program has not read the last ${inputBytesMax} bytes of input yet. Wait until it does.`,
    }),
  )

const unavailable = ({ message }: StartFailure): PtyUnavailable =>
  new PtyUnavailable({
    detail: message,
    message: "A terminal could not be made on this machine; `detail` says why.",
  })
