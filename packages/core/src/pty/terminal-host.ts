/**
 * The process that holds terminals, started by the runtime with its first terminal.
 *
 * A crash of node-pty ends this process and no other. It ends with the channel to the runtime,
 * whether that was closed or died of SIGKILL, and takes every process of every terminal with it.
 * It loads nothing of the runtime but this folder, so that it starts fast and stays small.
 *
 * A program whose output is not parsed or not sent in time waits with it; nothing is dropped.
 */
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import type { FromHost, StartTerminal, ToHost, TreeRoot } from "./messages.ts"
import { endTree, parseStatus } from "./process-tree.ts"
import { PseudoTerminal, type SpawnPseudoTerminal } from "./pseudo-terminal.ts"
import { Screen } from "./screen.ts"

/** Bytes that wait to be parsed or sent: above the first a program is held, below the second released. */
const backlogBytesMax = 524_288
const backlogBytesLow = 131_072

/** How long the end of a terminal waits for the exit of its program, which is known by then. */
const exitMaxMs = 1_000

interface Held {
  readonly root: TreeRoot
  /** Null once the program has ended, and that has been told. */
  live: Live | null
  readonly exited: Promise<void>
}

interface Live {
  readonly terminal: PseudoTerminal
  readonly screen: Screen
}

const terminals = new Map<string, Held>()

process.on("disconnect", leave)
process.on("SIGTERM", leave)

try {
  const { spawn } = await import("@lydell/node-pty")
  process.on("message", (message: ToHost) => take(message, spawn))
  tell({ kind: "ready" })
} catch (error) {
  tell({ kind: "unusable", detail: detailOf(error) })
}

function take(message: ToHost, spawn: SpawnPseudoTerminal): void {
  switch (message.kind) {
    case "start":
      return start(message, spawn)
    case "input": {
      const live = terminals.get(message.id)?.live
      if (live) live.terminal.write(message.bytes)
      else tell({ kind: "taken", id: message.id, count: message.bytes.length })
      return
    }
    case "resize": {
      const live = terminals.get(message.id)?.live
      live?.screen.resize(message)
      live?.terminal.resize(message)
      return
    }
    case "screen":
      return void tellScreen(message.id, message.request)
    case "end":
      return void end(message.id)
  }
}

function start(request: StartTerminal, spawn: SpawnPseudoTerminal): void {
  const { id, group } = request
  const screen = new Screen(request, (title) => tell({ kind: "title", id, title }))
  const { promise: exited, resolve: tellExited } = Promise.withResolvers<void>()
  let unsent = 0
  let unparsed = 0
  const balance = () => {
    const backlog = Math.max(unsent, unparsed)
    if (backlog > backlogBytesMax) terminal.hold()
    else if (backlog < backlogBytesLow) terminal.release()
  }
  let terminal: PseudoTerminal
  try {
    terminal = new PseudoTerminal(spawn, request, {
      onOutput: (bytes) => {
        unsent += bytes.length
        unparsed += bytes.length
        tell({ kind: "output", id, bytes }, () => {
          unsent -= bytes.length
          balance()
        })
        screen.write(bytes, () => {
          unparsed -= bytes.length
          balance()
        })
        balance()
      },
      onTaken: (count) => tell({ kind: "taken", id, count }),
      onExit: async (exit) => {
        const last = await screen.serialise()
        tell({ kind: "exited", id, exit, screen: last })
        held.live = null
        screen.dispose()
        tellExited()
      },
    })
  } catch (error) {
    screen.dispose()
    return tell({ kind: "refused", id, detail: detailOf(error) })
  }
  const { pid } = terminal
  const held: Held = {
    root: { id, group, leader: { pid, startedAt: startOf(pid) } },
    live: { terminal, screen },
    exited,
  }
  terminals.set(id, held)
  tell({ kind: "started", id, root: held.root })
}

async function tellScreen(id: string, request: number): Promise<void> {
  const live = terminals.get(id)?.live
  tell({ kind: "screen", request, screen: live ? await live.screen.serialise() : null })
}

async function end(id: string): Promise<void> {
  const held = terminals.get(id)
  if (held !== undefined) {
    await endTree(held.root)
    await Promise.race([held.exited, pause(exitMaxMs)])
  }
  terminals.delete(id)
  tell({ kind: "ended", id })
}

function leave(): void {
  void Promise.all([...terminals.keys()].map(end)).finally(() => process.exit(0))
}

/** Off Linux it is not known, nor needed. */
function startOf(pid: number): string {
  try {
    return parseStatus(readFileSync(`/proc/${pid}/stat`, "latin1"))?.startedAt ?? ""
  } catch {
    return ""
  }
}

function tell(message: FromHost, sent: () => void = () => {}): void {
  // Whoever could hear it is gone, and then so is everything here.
  if (process.connected) process.send?.(message, undefined, undefined, sent)
}

function detailOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
