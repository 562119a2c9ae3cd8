/** The test's side of `driver.ts`: a process whose Sessions are asked over its pipes. */
import type { ChildProcess } from "node:child_process"
import { createInterface } from "node:readline"
import type { RunResult, SessionsOperations } from "@holdfast/sdk"

type Asked = {
  [M in keyof SessionsOperations]: SessionsOperations[M] extends (input: infer I) => Promise<infer A>
    ? { readonly input: I; readonly value: A }
    : never
} & { readonly settled: { readonly input: { readonly sessionID: string }; readonly value: RunResult } }

interface Reply<A> {
  readonly value: A
  /** When the process had the answer, by its clock, which is ours too. */
  readonly at: number
}

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly err: string
}

export interface DriverProcess {
  readonly pid: number
  readonly ready: Promise<void>
  /** Rejects with what the process said if it failed, and if the process ends first. */
  readonly ask: <M extends keyof Asked>(
    method: M,
    input: Asked[M]["input"],
  ) => Promise<Reply<Asked[M]["value"]>>
  readonly kill: () => Promise<Ended>
  /** Lets it finish what it was asked for and close. */
  readonly close: () => Promise<Ended>
}

interface Line {
  readonly id: number
  readonly at: number
  readonly value?: unknown
  readonly failure?: string
}

interface Waiting {
  readonly resolve: (reply: Reply<unknown>) => void
  readonly reject: (failure: Error) => void
}

export function followDriver(child: ChildProcess): DriverProcess {
  const waiting = new Map<number, Waiting>()
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null || stderr === null) throw new Error("The driver needs pipes.")
  let err = ""
  let count = 0
  stderr.setEncoding("utf8").on("data", (piece: string) => (err += piece))
  stdin.on("error", () => {}) // it was killed; its end is told by "close"
  createInterface({ input: stdout }).on("line", (text) => {
    const { id, at, value, failure } = JSON.parse(text) as Line
    const asked = waiting.get(id)
    waiting.delete(id)
    if (failure === undefined) asked?.resolve({ value, at })
    else asked?.reject(new Error(failure))
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once("close", (code, signal) => {
      for (const { reject } of waiting.values())
        reject(new Error(`The driver ended (${signal ?? code}). ${err}`))
      waiting.clear()
      resolve({ code, signal, err })
    })
  })
  const expect = (id: number) =>
    new Promise<Reply<unknown>>((resolve, reject) => waiting.set(id, { resolve, reject }))
  return {
    pid: child.pid ?? 0,
    ready: expect(0).then(() => {}),
    ask: (method, input) => {
      const id = ++count
      stdin.write(`${JSON.stringify({ id, method, input })}\n`)
      // The driver runs the method of this name, so its answer has this type.
      return expect(id) as Promise<Reply<never>>
    },
    kill: () => {
      child.kill("SIGKILL")
      return ended
    },
    close: () => {
      stdin.end()
      return ended
    },
  }
}
