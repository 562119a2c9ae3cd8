/**
 * The holder of terminals: one process beside the runtime, started with the first terminal and
 * stopped with the last, and what it tells of each.
 *
 * If it dies, its terminals are over: they say so, and the runtime ends what they have started. The
 * next terminal gets another one.
 */
import type { PtyId } from "@holdfast/schema/id"
import type { PtyExit } from "@holdfast/schema/pty/pty"
import { chooseContainment } from "../tools/containment.ts"
import { makeGroup } from "../tools/control-groups.ts"
import { removeGroup } from "../tools/group-members.ts"
import { type HostLink, startHost } from "./host-link.ts"
import type { FromHost, SerialisedScreen, StartTerminal, ToHost, TreeRoot } from "./messages.ts"
import { endTree, treeLimits } from "./process-tree.ts"
import { type NewTerminal, Terminal } from "./terminal.ts"

/** Why there is no terminal, for people. */
export class StartFailure extends Error {
  override readonly name = "StartFailure"
}

/** Beyond what ending may take by its own limits. */
const answerMaxMs = treeLimits.stopAfterMs + 3_000

const diedWithoutExit = { code: null, signal: null } as const

interface Starting {
  readonly made: NewTerminal
  readonly answer: (started: Terminal | StartFailure) => void
}

/** What becomes of a terminal, for whoever watches this instance (EV5). */
type TellTerminal = (type: "pty-opened" | "pty-exited" | "pty-closed", pty: PtyId) => void

export class Holder {
  /** By id, in the order in which they were made. */
  readonly terminals = new Map<string, Terminal>()
  readonly #starting = new Map<string, Starting>()
  readonly #screens = new Map<number, (screen: SerialisedScreen | null) => void>()
  readonly #ends = new Map<string, () => void>()
  readonly #ending = new Map<string, Promise<void>>()
  #opening: Promise<HostLink> | null = null
  #link: HostLink | null = null
  #requests = 0
  #isClosed = false
  readonly #tell: TellTerminal

  constructor(tell: TellTerminal) {
    this.#tell = tell
  }

  /** It is one of the terminals when this answers; rejects with a StartFailure. */
  async start(request: Omit<StartTerminal, "group">, made: NewTerminal): Promise<Terminal> {
    const group = await groupFor(request.id)
    const { promise, resolve } = Promise.withResolvers<Terminal | StartFailure>()
    this.#starting.set(request.id, { made, answer: resolve })
    try {
      const link = await this.#connect()
      link.send({ ...request, group })
      const started = await promise
      if (started instanceof Terminal) return started
      throw started
    } catch (failure) {
      if (group !== null) await removeGroup(group)
      throw failure
    } finally {
      this.#starting.delete(request.id)
      await this.#stopIfIdle()
    }
  }

  send(message: ToHost): void {
    this.#link?.send(message)
  }

  async readScreen(terminal: Terminal): Promise<SerialisedScreen> {
    const { promise, resolve } = Promise.withResolvers<SerialisedScreen | null>()
    const request = this.#requests++
    this.#screens.set(request, resolve)
    if (terminal.exit !== null || this.#link === null) resolve(null)
    else this.#link.send({ kind: "screen", id: terminal.id, request })
    const screen = await promise
    this.#screens.delete(request)
    return screen ?? terminal.lastScreen ?? blank(terminal)
  }

  /** Ends every process of it; then it is none of the terminals any more. A repeat is safe. */
  end(terminal: Terminal): Promise<void> {
    const known = this.#ending.get(terminal.id)
    if (known !== undefined) return known
    const run = this.#end(terminal).finally(() => this.#ending.delete(terminal.id))
    this.#ending.set(terminal.id, run)
    return run
  }

  get isUnused(): boolean {
    return this.#opening === null && this.#starting.size === 0 && this.terminals.size === 0
  }

  /** Ends all of them; nothing can be started any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.terminals.values()].map((terminal) => this.end(terminal)))
    const last = await this.#opening?.catch(() => null)
    await last?.stop()
  }

  async #connect(): Promise<HostLink> {
    if (this.#isClosed) throw new StartFailure("Holdfast is closing.")
    const opening = (this.#opening ??= this.#open())
    try {
      this.#link = await opening
      return this.#link
    } catch (error) {
      if (this.#opening === opening) this.#opening = null
      throw new StartFailure((error as Error).message)
    }
  }

  #open(): Promise<HostLink> {
    const opening: Promise<HostLink> = startHost({
      onMessage: (message) => this.#hear(message),
      // One that was stopped has none of the terminals any more.
      onGone: () => this.#opening === opening && this.#lose(),
    })
    return opening
  }

  async #stopIfIdle(): Promise<void> {
    const link = this.#link
    if (link === null || this.terminals.size + this.#starting.size > 0) return
    this.#opening = null
    this.#link = null
    await link.stop()
  }

  async #end(terminal: Terminal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ends.set(terminal.id, resolve)
    const timer = setTimeout(resolve, answerMaxMs)
    if (this.#link === null) resolve()
    else this.#link.send({ kind: "end", id: terminal.id })
    await promise
    clearTimeout(timer)
    this.#ends.delete(terminal.id)
    // Its holder may be gone or stuck. What was ended already is found no more.
    await endTree(terminal.root)
    terminal.finish(diedWithoutExit, null)
    this.terminals.delete(terminal.id)
    this.#tell("pty-closed", terminal.id)
    await this.#stopIfIdle()
  }

  #lose(): void {
    this.#opening = null
    this.#link = null
    const failure = new StartFailure("The process for terminals ended.")
    for (const { answer } of this.#starting.values()) answer(failure)
    for (const answer of this.#screens.values()) answer(null)
    for (const answer of this.#ends.values()) answer()
    for (const terminal of this.terminals.values()) {
      if (terminal.exit !== null) continue
      this.#finish(terminal, diedWithoutExit, null)
      // What it had started has lost its terminal, which not every process heeds.
      void endTree(terminal.root)
    }
  }

  #hear(message: FromHost): void {
    switch (message.kind) {
      case "ready":
      case "unusable":
        return
      case "started":
        return this.#begin(message.id, message.root)
      case "refused":
        return this.#starting.get(message.id)?.answer(new StartFailure(message.detail))
      case "screen":
        return this.#screens.get(message.request)?.(message.screen)
      case "ended":
        return this.#ends.get(message.id)?.()
      case "output":
        return this.terminals.get(message.id)?.put(message.bytes)
      case "taken":
        return this.terminals.get(message.id)?.took(message.count)
      case "title":
        return this.terminals.get(message.id)?.entitle(message.title)
      case "exited":
        return this.#finish(this.terminals.get(message.id), message.exit, message.screen)
    }
  }

  #finish(terminal: Terminal | undefined, exit: PtyExit, screen: SerialisedScreen | null): void {
    if (terminal === undefined) return
    terminal.finish(exit, screen)
    this.#tell("pty-exited", terminal.id)
  }

  /** At once, since its first output is behind this message. */
  #begin(id: string, root: TreeRoot): void {
    const starting = this.#starting.get(id)
    if (starting === undefined) return
    const terminal = new Terminal(starting.made, root)
    this.terminals.set(id, terminal)
    this.#tell("pty-opened", terminal.id)
    starting.answer(terminal)
  }
}

/** Where no screen can be had any more, all output that is kept comes in its place. */
const blank = ({ output, size }: Terminal): SerialisedScreen => ({ cursor: output.start, ...size, text: "" })

async function groupFor(id: string): Promise<string | null> {
  const way = await chooseContainment()
  if (way.kind !== "group") return null
  try {
    return makeGroup(way.parent, id)
  } catch {
    return null // the rights of the runtime were taken since it looked: session and mark remain
  }
}
