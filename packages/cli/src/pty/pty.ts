/**
 * `holdfast pty`: terminals of a server, and of this process where none runs (PT1).
 *
 *   open ─▶ attach ─┬─ the program ends ─▶ its exit code
 *                   └─ Ctrl-] ─▶ 0; the terminal stays with its server
 */
import { resolve } from "node:path"
import { StringDecoder } from "node:string_decoder"
import type { HoldfastClient, Pty, PtyItem } from "@holdfast/sdk"
import { pasteable } from "../hint.ts"
import { listItems } from "../list-items.ts"
import { type Opened, openForCommand, type SharedOptions } from "../opened.ts"
import { exitCode } from "../outcome/exit-code.ts"
import { UsageError } from "../outcome/outcome.ts"
import { showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface OpenPtyOptions extends SharedOptions {
  readonly dir?: string
  readonly title?: string
}

export async function openPty(
  terminal: Terminal,
  program: readonly string[],
  options: OpenPtyOptions,
): Promise<number> {
  const [first, ...args] = program
  if (first === undefined && !terminal.typed)
    throw new UsageError("A shell waits for somebody who types, and nobody can here. Name a program to run.")
  return withPtys(terminal, options, async (opened) => {
    const { columns, rows } = terminal
    const { ptys, locations } = opened.holdfast
    const { directory } = await locations.open({ directory: resolve(terminal.directory, options.dir ?? ".") })
    const { id } = await ptys.create({
      ...(first !== undefined && { argv: [first, ...args] }),
      directory,
      ...(options.title !== undefined && { title: options.title }),
      ...(terminal.typed && { columns, rows }),
    })
    return attach(terminal, opened, id, options, 0)
  })
}

export const attachPty = (terminal: Terminal, given: string, options: SharedOptions): Promise<number> =>
  withPtys(terminal, options, async (opened) =>
    attach(terminal, opened, await findPty(opened.holdfast, given), options),
  )

export const listPtys = (terminal: Terminal, options: SharedOptions): Promise<number> =>
  withPtys(terminal, options, async ({ holdfast }) => {
    const ptys = await listItems((page) => holdfast.ptys.list(page))
    if (options.json === true) for (const pty of ptys) terminal.write(`${JSON.stringify(pty)}\n`)
    else if (ptys.length === 0) terminal.write("There is no terminal.\n")
    else await showTable(terminal, columnsOfList, ptys.map(rowOf))
    return 0
  })

export const closePty = (terminal: Terminal, given: string, options: SharedOptions): Promise<number> =>
  withPtys(terminal, options, async ({ holdfast }) => {
    const ptyID = await findPty(holdfast, given)
    await holdfast.ptys.close({ ptyID })
    terminal.write(
      options.json === true
        ? `${JSON.stringify({ type: "closed", pty: ptyID })}\n`
        : `Terminal ${ptyID} is closed.\n`,
    )
    return 0
  })

async function withPtys(
  terminal: Terminal,
  options: SharedOptions,
  work: (opened: Opened) => Promise<number>,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}

/** By its id or the beginning of it. */
async function findPty({ ptys }: HoldfastClient, given: string): Promise<string> {
  const known = await listItems((page) => ptys.list(page))
  const fitting = known.filter(({ id }) => id.startsWith(given))
  const [only, another] = fitting.find(({ id }) => id === given) ? [{ id: given }] : fitting
  if (only === undefined) throw new UsageError(`There is no terminal ${given}. List them: holdfast pty list`)
  if (another !== undefined)
    throw new UsageError(`${given} begins several ids of terminals. Write more of it.`)
  return only.id
}

const columnsOfList = [
  { title: "TERMINAL" },
  { title: "STATE" },
  { title: "TITLE", cutTo: 20 },
  { title: "DIRECTORY" },
]

const rowOf = ({ id, exit, title, argv, directory }: Pty): readonly string[] => [
  id,
  exit === null ? "runs" : `ended ${exit.signal ?? exit.code}`,
  printable(title === "" ? argv.join(" ") : title),
  directory,
]

/** What a person types to leave a terminal without ending it. */
const leaveKey = 0x1d
const signalled = 128

/** `from` is where in its output it begins; left out, with the screen. */
async function attach(
  terminal: Terminal,
  { holdfast: { ptys }, server }: Opened,
  ptyID: string,
  options: SharedOptions,
  from?: number,
): Promise<number> {
  const left = new AbortController()
  const send = inOrder((input: string) => ptys.write({ ptyID, input }))
  const decoder = new StringDecoder()
  const fit = () => {
    const { columns, rows } = terminal
    void ptys.resize({ ptyID, columns, rows }).catch(() => {}) // it has ended, and that is told
  }
  const release = terminal.readKeys((bytes) => {
    const at = bytes.indexOf(leaveKey)
    const typed = decoder.write(Buffer.from(at < 0 ? bytes : bytes.subarray(0, at)))
    if (typed !== "") send(typed)
    if (at >= 0) left.abort()
  }, fit)
  if (terminal.typed) fit()
  try {
    const input = { ptyID, ...(from !== undefined && { from }) }
    for await (const item of ptys.attach(input, { signal: left.signal })) {
      show(terminal, item)
      if (item.type === "exit") return item.code ?? signalled
      if (item.type === "cut-off") throw new UsageError(item.reason.message)
    }
    return exitCode.failed
  } catch (failure) {
    if (!left.signal.aborted) throw failure
    const stays =
      server === null
        ? "Left the terminal, which ends with this command."
        : pasteable(`Left the terminal; come back with: holdfast pty attach ${ptyID}`, options)
    terminal.complain(`\r\n${stays}`)
    return 0
  } finally {
    release()
  }
}

function show(terminal: Terminal, item: PtyItem): void {
  // A screen is drawn on a blank one.
  if (item.type === "screen" && terminal.interactive) terminal.draw("\u001b[2J\u001b[H")
  if (item.type === "screen" || item.type === "output") terminal.writeBytes(Buffer.from(item.data, "base64"))
}

/** Keys arrive in the order in which they were typed. One that comes too late for the program is told by its exit. */
function inOrder(send: (input: string) => Promise<void>): (input: string) => void {
  let last = Promise.resolve()
  return (input) => {
    last = last.then(() => send(input)).catch(() => {})
  }
}
