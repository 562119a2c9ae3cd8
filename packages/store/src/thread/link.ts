/**
 * The calling side of the writer thread: numbered requests out, replies in.
 *
 * Everything committed in one tick leaves in one post: callers that answer each other then stay
 * in one group instead of two that alternate, which halves their wait (measured). A thread that
 * dies fails what it had been given with `outcomeUnknown`, and what was never posted without it.
 */
import { receiveMessageOnPort } from "node:worker_threads"
import type { MessagePort } from "node:worker_threads"
import { explain } from "../failure.ts"
import type { FailureFields } from "../failure.ts"
import type { Command } from "../port.ts"
import type { Advance, Reply } from "../sqlite/driver.ts"
import type { WriterThread } from "./begin.ts"
import type { FromWriter, Numbered, ToWriter, WriterOptions } from "./message.ts"

export interface LinkEvents {
  readonly onReady: () => void
  /** The writer could not open the store, or died before it had. */
  readonly onRefused: (failure: FailureFields) => void
  /** One transaction is on disk; called before its replies are delivered. */
  readonly onCommitted: (commands: number, advances: readonly Advance[]) => void
}

export interface Link {
  readonly commit: (command: Command, done: (reply: Reply) => void) => void
  /** Commits what was handed over before, then ends the thread. */
  readonly close: (done: (failure: FailureFields | null) => void) => void
}

export function startWriter(thread: WriterThread, options: WriterOptions, events: LinkEvents): Link {
  const { port, worker } = thread
  const outbox = makeOutbox(port)
  let phase: "opening" | "open" | "over" = "opening"
  let ended: (failure: FailureFields | null) => void = () => {}

  const finish = (why: unknown, failure: FailureFields | null): void => {
    if (phase === "over") return
    const opening = phase === "opening"
    phase = "over"
    port.close()
    if (opening) events.onRefused(failure ?? explain(why))
    outbox.abandon(why)
    ended(failure)
  }
  const receive = (message: FromWriter): void => {
    switch (message.kind) {
      case "ready":
        phase = "open"
        worker.unref()
        port.unref()
        return events.onReady()
      case "refused":
        return finish(null, message.failure)
      case "committed":
        events.onCommitted(message.replies.length, message.advances)
        for (const [id, reply] of message.replies) outbox.settle(id, reply)
        return
      case "closed":
        return finish(new Error("the store was closed"), message.failure)
    }
  }
  port.on("message", receive)
  worker.ref()
  port.postMessage({ kind: "open", options } satisfies ToWriter)
  void thread.ended.then((why) => {
    // The end of the thread may be told before the last words that it posted.
    for (let last = receiveMessageOnPort(port); last !== undefined; last = receiveMessageOnPort(port)) {
      receive(last.message)
    }
    finish(why, null)
  })

  const gone = (): FailureFields => explain(new Error("the writer thread is gone"))
  return {
    commit: (command, done) => {
      if (phase === "over") return done(failed(gone()))
      outbox.add(command, done)
    },
    close: (done) => {
      if (phase === "over") return done(null)
      ended = done
      outbox.post()
      outbox.stayAlive()
      port.postMessage({ kind: "close" } satisfies ToWriter)
    },
  }
}

type Settle = (reply: Reply) => void

/** What was handed over and not answered yet. The process stays alive while anything is. */
export function makeOutbox(port: MessagePort) {
  const waiting = new Map<number, Settle>()
  let outgoing: Numbered[] = []
  let count = 0
  let closing = false

  const expect = (settle: Settle): number => {
    if (waiting.size === 0) port.ref()
    waiting.set(++count, settle)
    return count
  }
  const settle = (id: number, reply: Reply): void => {
    const done = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0 && !closing) port.unref()
    done?.(reply)
  }
  const post = (): void => {
    const commands = outgoing.splice(0)
    if (commands.length > 0) postCommands(port, commands, (id, why) => settle(id, failed(explain(why))))
  }
  return {
    settle,
    post,
    /** The end of the thread is awaited too, whatever is answered before it. */
    stayAlive: (): void => {
      closing = true
      port.ref()
    },
    add: (command: Command, done: Settle): void => {
      // An idle thread gets its work at the end of this microtask; a busy one would not take it sooner.
      const idle = waiting.size === 0
      if (outgoing.push({ id: expect(done), command }) === 1) (idle ? queueMicrotask : setImmediate)(post)
    },
    abandon: (why: unknown): void => {
      for (const { id } of outgoing.splice(0)) settle(id, failed(explain(why)))
      for (const id of waiting.keys()) settle(id, failed(explain(why, true)))
    },
  }
}

/** Only a value that cannot be copied is refused; its neighbours then go one by one. */
function postCommands(
  port: MessagePort,
  commands: readonly Numbered[],
  refuse: (id: number, why: unknown) => void,
): void {
  try {
    port.postMessage({ kind: "commands", commands } satisfies ToWriter)
  } catch (why) {
    const [only, ...others] = commands
    if (only !== undefined && others.length === 0) refuse(only.id, why)
    else for (const command of commands) postCommands(port, [command], refuse)
  }
}

const failed = (failure: FailureFields): Reply => ({ ok: false, failure })
