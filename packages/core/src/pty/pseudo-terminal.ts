/**
 * One pseudo-terminal of node-pty, without its three traps. Each needs something that the package
 * has and does not declare, so its version is pinned and this is the only file that knows of it.
 *
 *   output  node-pty closes the terminal 200 ms after the program's end. What was not read by then is
 *           lost: while we hold back, and on a machine that is too busy. So closing waits for us.
 *   input   Its writes try again without a rest as long as the program reads nothing, and with them
 *           stands every other terminal. So input is queued here, and written when there is room.
 *   text    It decodes; a character that is cut in two would be damaged. So it is asked for bytes.
 */
import { writeSync } from "node:fs"
import type { Socket } from "node:net"
import { constants } from "node:os"
import type { IPty, spawn } from "@lydell/node-pty"
import type { PtyExit } from "@holdfast/schema/pty/pty"
import type { StartTerminal, TerminalSize } from "./messages.ts"

export type SpawnPseudoTerminal = typeof spawn

export interface PseudoTerminalEvents {
  readonly onOutput: (bytes: Uint8Array) => void
  /** So many bytes of input were taken, or can never be. */
  readonly onTaken: (count: number) => void
  /** All output came before. */
  readonly onExit: (exit: PtyExit) => void
}

interface Undeclared {
  readonly fd: number
  readonly _socket: Socket
}

const inputRetryMs = 10
const drainMs = 200

export class PseudoTerminal {
  readonly #pty: IPty
  readonly #fd: number
  readonly #socket: Socket
  readonly #events: PseudoTerminalEvents
  readonly #input: Uint8Array[] = []
  #inputTimer: NodeJS.Timeout | null = null
  #held = false
  #closeWaits = false
  #over = false

  /** It throws where no terminal can be had. */
  constructor(spawnTerminal: SpawnPseudoTerminal, request: StartTerminal, events: PseudoTerminalEvents) {
    const [program, ...args] = inGroup(request)
    this.#events = events
    this.#pty = spawnTerminal(program, args, {
      name: request.environment["TERM"] ?? "",
      cols: request.columns,
      rows: request.rows,
      cwd: request.directory,
      env: { ...request.environment },
      encoding: null,
    })
    const { fd, _socket } = this.#pty as unknown as Undeclared
    this.#fd = fd
    this.#socket = _socket
    this.#deferClosing()
    this.#pty.onData((data) => events.onOutput(data as unknown as Uint8Array))
    this.#pty.onExit(({ exitCode, signal = 0 }) => {
      this.#over = true
      this.#dropInput()
      events.onExit(signal === 0 ? { code: exitCode, signal: null } : { code: null, signal: nameOf(signal) })
    })
  }

  get pid(): number {
    return this.#pty.pid
  }

  write(bytes: Uint8Array): void {
    if (this.#over) return this.#events.onTaken(bytes.length)
    this.#input.push(bytes)
    if (this.#inputTimer === null) this.#pump()
  }

  resize({ columns, rows }: TerminalSize): void {
    if (!this.#over) this.#pty.resize(columns, rows)
  }

  /** The program waits with its output until it is released. */
  hold(): void {
    if (this.#held) return
    this.#held = true
    this.#pty.pause()
  }

  release(): void {
    if (!this.#held) return
    this.#held = false
    this.#pty.resume()
    if (!this.#closeWaits) return
    this.#closeWaits = false
    setTimeout(() => this.#socket.destroy(), drainMs)
  }

  #deferClosing(): void {
    const socket = this.#socket
    const destroy = socket.destroy.bind(socket)
    socket.destroy = (error?: Error) => {
      if (error !== undefined) return destroy(error)
      if (this.#held) this.#closeWaits = true
      // A timer that is late comes before the reading; this comes after it.
      else setImmediate(destroy)
      return socket
    }
  }

  #pump(): void {
    this.#inputTimer = null
    for (let [first] = this.#input; first !== undefined && !this.#over; [first] = this.#input) {
      const written = this.#writeSome(first)
      if (written === null) return this.#dropInput()
      if (written === 0) {
        this.#inputTimer = setTimeout(() => this.#pump(), inputRetryMs)
        return
      }
      this.#events.onTaken(written)
      if (written === first.length) this.#input.shift()
      else this.#input[0] = first.subarray(written)
    }
  }

  /** How much of it there was room for; null where the terminal takes nothing any more. */
  #writeSome(bytes: Uint8Array): number | null {
    try {
      // Not queued anywhere: the number of the file may be another's by the time it were written.
      return writeSync(this.#fd, bytes)
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EAGAIN" ? 0 : null
    }
  }

  #dropInput(): void {
    if (this.#inputTimer !== null) clearTimeout(this.#inputTimer)
    this.#inputTimer = null
    for (const { length } of this.#input.splice(0)) this.#events.onTaken(length)
  }
}

/** The program enters the control group before it begins; where it may not, it goes on without. */
const inGroup = ({ argv, group }: StartTerminal): readonly [string, ...string[]] =>
  group === null ? argv : ["/bin/sh", "-c", enterGroup, group, ...argv]

const enterGroup = '{ echo 0 >"$0/cgroup.procs"; } 2>/dev/null; exec "$@"'

const nameOf = (signal: number): string =>
  Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? `signal ${signal}`
