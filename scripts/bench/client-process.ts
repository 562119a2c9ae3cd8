/**
 * Callers and readers that speak the generated client, in a process of their own: their work is not
 * the server's. One job at a time; each is answered once.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { entryUrl } from "./provider-process.ts"

export interface Address {
  readonly url: string
  readonly token: string
}

/** What can be asked, and what comes back. */
export interface ClientJobs {
  /** Each caller waits for its receipt before it sends the next. */
  readonly admit: {
    readonly input: {
      readonly at: Address
      readonly sessions: readonly string[]
      readonly callers: number
      readonly each: number
    }
    readonly answer: { readonly perSecond: number; readonly p99Ms: number }
  }
  /** The newest page of a Session, again and again. */
  readonly pages: {
    readonly input: {
      readonly at: Address
      readonly session: string
      readonly size: number
      readonly callers: number
      readonly each: number
    }
    readonly answer: { readonly perSecond: number }
  }
  /** One caller that admits at each of two servers in turn; medians in milliseconds. */
  readonly compare: {
    readonly input: {
      readonly first: Address & { readonly session: string }
      readonly second: Address & { readonly session: string }
      readonly pairs: number
    }
    readonly answer: { readonly firstMs: number; readonly secondMs: number }
  }
  /** Answered once all of them are connected; they read until they are told to leave. */
  readonly subscribe: {
    readonly input: { readonly at: Address; readonly readers: number; readonly session?: string }
    readonly answer: { readonly connected: number }
  }
  /** Answered when the readers together have read so many deltas since they came. */
  readonly deltas: {
    readonly input: { readonly atLeast: number }
    readonly answer: { readonly deltas: number }
  }
  /** A program that prints so many bytes as soon as it reads a line, over a WebSocket until its end. */
  readonly terminal: {
    readonly input: { readonly at: Address; readonly bytes: number }
    readonly answer: { readonly bytesPerSecond: number; readonly cutOffs: number }
  }
  readonly leave: { readonly input: Record<string, never>; readonly answer: Record<string, never> }
}

export type JobName = keyof ClientJobs
export type JobAnswer = { readonly answer: unknown } | { readonly failure: string }

export interface ClientProcess {
  readonly ask: <K extends JobName>(job: K, input: ClientJobs[K]["input"]) => Promise<ClientJobs[K]["answer"]>
  readonly close: () => Promise<void>
}

export function startClients(): ClientProcess {
  const child = fork(entryUrl("clients"), { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
  const exited = once(child, "exit")
  const ended = exited.then(() => Promise.reject(new Error("The clients ended without an answer.")))
  ended.catch(() => {
    // Whoever waits for an answer is told; at the end nobody does.
  })
  return {
    ask: async (job, input) => {
      const answered = once(child, "message")
      child.send({ job, input })
      const [told] = (await Promise.race([answered, ended])) as [JobAnswer]
      if ("failure" in told) throw new Error(told.failure)
      return told.answer as never
    },
    close: async () => {
      child.disconnect()
      await exited
    },
  }
}
