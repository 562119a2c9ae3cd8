/** Starts the provider of the benchmark and asks it what it saw. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"

/** One answer of a scripted provider. */
export interface Step {
  readonly text: string
  readonly calls?: readonly { readonly name: string; readonly input: object }[]
}

/** Moments of one request, on the clock that all processes share. */
export interface RequestTimes {
  readonly mode: string
  readonly firstNs: number
  readonly bodyNs: number
  /** Just before the last byte of the answer was written. */
  readonly endNs: number
}

export type ToProvider =
  | { readonly kind: "script"; readonly steps: readonly Step[] }
  | { readonly kind: "score"; readonly module: string }
  | { readonly kind: "take"; readonly atLeast: number }

export type FromProvider =
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "ready" }
  | {
      readonly kind: "taken"
      readonly times: readonly RequestTimes[]
      readonly scores: readonly Record<string, number>[]
    }

export interface Provider {
  readonly url: string
  readonly script: (steps: readonly Step[]) => void
  /** Scores each scripted request with the oracle of this module. */
  readonly score: (module: string) => Promise<void>
  /** What was seen since the last time, in the order in which answers ended; waits for so many. */
  readonly take: (atLeast?: number) => Promise<Extract<FromProvider, { kind: "taken" }>>
  readonly close: () => Promise<void>
}

/** A module that runs in a process or thread of its own, beside this one in sources and in the bundle. */
export const entryUrl = (name: string): URL =>
  import.meta.url.endsWith(".ts")
    ? new URL(`./entry/${name}.ts`, import.meta.url)
    : new URL(`./${name}.js`, import.meta.url)

export async function startProvider(): Promise<Provider> {
  const child = fork(entryUrl("provider"), { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
  const { port } = await answerOf(child, "listening")
  const send = (message: ToProvider): void => void child.send(message)
  return {
    url: `http://127.0.0.1:${port}`,
    script: (steps) => send({ kind: "script", steps }),
    score: async (module) => {
      const ready = answerOf(child, "ready")
      send({ kind: "score", module })
      await ready
    },
    take: async (atLeast = 0) => {
      const taken = answerOf(child, "taken")
      send({ kind: "take", atLeast })
      return taken
    },
    close: async () => {
      const exited = once(child, "exit")
      child.disconnect()
      await exited
    },
  }
}

function answerOf<K extends FromProvider["kind"]>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<FromProvider, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`The provider ended with code ${code}.`))
    const onMessage = (message: unknown) => {
      const told = message as FromProvider
      if (told.kind !== kind) return
      child.off("message", onMessage)
      child.off("exit", onExit)
      resolve(told as Extract<FromProvider, { kind: K }>)
    }
    child.on("message", onMessage)
    child.on("exit", onExit)
  })
}
