/** Terminals without a runtime around them, and short ways to read them to their end. */
import { randomBytes } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { Effect, Exit, Scope } from "effect"
import { idFromBytes } from "@holdfast/schema/id"
import type { PtyItem } from "@holdfast/schema/pty/item"
import type { Attachment } from "../../src/pty/attachment.ts"
import { type CreateTerminal, makeTerminals, type Terminals } from "../../src/pty/terminals.ts"

export interface OpenedTerminals extends AsyncDisposable {
  readonly terminals: Terminals
  /** A terminal that runs this in a shell. */
  readonly shell: (command: string, input?: Partial<CreateTerminal>) => Promise<string>
  readonly attach: (id: string, from: number | null) => Promise<Attachment>
  readonly close: () => Promise<void>
}

export const noOverlay = () => Effect.succeed({})

export async function openTerminals(environment: NodeJS.ProcessEnv = process.env): Promise<OpenedTerminals> {
  const scope = Scope.makeUnsafe()
  const made = makeTerminals({
    newId: (prefix) => idFromBytes(prefix, randomBytes(20)),
    locate: (directory) => Effect.succeed({ directory, projectRoot: directory }),
    environment,
  })
  const terminals = await Effect.runPromise(Scope.provide(made, scope))
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return {
    terminals,
    shell: async (command, input) => {
      const argv = ["/bin/sh", "-c", command] as const
      const create = terminals.create({ directory: tmpdir(), argv, ...input }, noOverlay)
      return (await Effect.runPromise(create)).id
    },
    attach: (id, from) => Effect.runPromise(terminals.attach(id, from)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Longer than any wait in these tests. */
const waitMs = 60_000

export async function nextItem(attachment: Attachment): Promise<PtyItem> {
  const item = await attachment.next(waitMs)
  if (item === null || item === "quiet") throw new Error(`An item was expected, not ${item}.`)
  return item
}

export interface ReadToEnd {
  readonly text: string
  readonly last: PtyItem
}

export async function readToEnd(attachment: Attachment): Promise<ReadToEnd> {
  const pieces: Uint8Array[] = []
  for (;;) {
    const item = await nextItem(attachment)
    if (item.type === "output") pieces.push(item.data)
    if (item.type === "exit" || item.type === "cut-off")
      return { text: Buffer.concat(pieces).toString(), last: item }
  }
}

/** Reads until the output holds the text. */
export async function readUntil(attachment: Attachment, wanted: string): Promise<string> {
  for (let text = ""; ;) {
    const item = await nextItem(attachment)
    if (item.type === "exit") throw new Error(`The program ended before it said ${wanted}: ${text}`)
    if (item.type === "output") text += Buffer.from(item.data).toString()
    if (text.includes(wanted)) return text
  }
}

/** Pids of processes with this word in their command line. */
export async function pidsOf(word: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger)
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")))
  return pids.filter((pid, at) => pid !== process.pid && lines[at]?.includes(word))
}

/** Pids of the processes that hold terminals for this one. */
export async function holdersOf(parent: number): Promise<readonly number[]> {
  const pids = await pidsOf("terminal-host")
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")))
  return pids.filter((_, at) => Number(/\) . (\d+) /.exec(stats[at] ?? "")?.[1]) === parent)
}
