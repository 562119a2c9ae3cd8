/**
 * Long histories, written straight through the store: facts as turns would have left them.
 *
 * A first turn runs for real and leaves Epoch, tools and options; the others copy its facts. The
 * lease changes hands, so the runtime loads the window anew. Where the window is full, cuts stand
 * in the log as the size gate would have made them: down to 30 % each time it was reached.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import type { Fact, FactOf } from "@holdfast/schema/event"
import { idFromBytes, type IdPrefix, type MessageId, type PromptId } from "@holdfast/schema/id"
import type { SessionId, TurnId } from "@holdfast/schema/id"
import type { Append } from "@holdfast/store/port"
import { createSession, type Opened, takeTurn } from "./runtime.ts"

export interface HistoryOptions {
  readonly messages: number
  /** Messages that the window holds in the end; all of them unless given. */
  readonly window?: number
  /** How the provider answers. */
  readonly mode: string
}

/** Turns of two messages written with one command. */
const turnsAtOnce = 500
const keptShare = 0.3

const newId = (prefix: IdPrefix): string => idFromBytes(prefix, randomBytes(20))
const userText =
  "Which part of the request repeats the one before it, and where does it break, and why? ".repeat(3)
const answerText = "The prefix holds, and the ledger names each break. ".repeat(8).trimEnd()

export async function writeHistory(opened: Opened, options: HistoryOptions): Promise<SessionId> {
  const { messages, mode, window = messages } = options
  const session = await createSession(opened, mode)
  await takeTurn(opened, session)
  const { events } = await Effect.runPromise(opened.store.events(session, 0, 100))
  const facts = events.map((event) => event.fact)
  const started = facts.find((fact) => fact.type === "turn.started")
  const done = facts.findLast((fact) => fact.type === "turn.settled")
  if (started === undefined || done === undefined) throw new Error("The first turn left no facts.")
  await underLease(opened, session, async (append) => {
    const turns = Math.ceil(messages / 2) - 1
    let held = 2
    for (let written = 0; written < turns; written += turnsAtOnce) {
      const count = Math.min(turnsAtOnce, turns - written)
      await writeTurns(append, count, { started, done })
      held += count * 2
      const left = (turns - written - count) * 2
      const kept = Math.floor(window * keptShare)
      // Only where enough is still to come: in the end the window is full.
      if (held >= window && left + kept >= window) held = await cut(opened, session, append, kept)
    }
    if (held > window) await cut(opened, session, append, window)
  })
  return session
}

/** Cuts the window back to its newest messages, so that each round starts at the same size. */
export const cutBack = (opened: Opened, session: SessionId, window: number): Promise<void> =>
  underLease(opened, session, async (append) => void (await cut(opened, session, append, window)))

type AppendFacts = (facts: readonly Fact[]) => Promise<number>

async function underLease(
  { store }: Opened,
  session: SessionId,
  work: (append: AppendFacts) => Promise<void>,
): Promise<void> {
  const owner = { boot: "bench", space: "bench", pid: process.pid, start: "0", instance: newId("ses") }
  const granted = await Effect.runPromise(store.commit({ kind: "acquire", session, owner, dead: null }))
  if (granted.kind !== "granted") throw new Error(`The lease is ${granted.kind}.`)
  const { token } = granted.lease
  await work(async (facts) => {
    const command: Append = {
      kind: "append",
      session,
      time: Date.now(),
      token,
      facts,
      blobs: [],
      interruptedAbove: null,
      promotes: [],
      followsSeq: null,
      clearsScratch: [],
      release: "keep",
    }
    const outcome = await Effect.runPromise(store.commit(command))
    if (outcome.kind !== "appended") throw new Error(`An append was ${outcome.kind}.`)
    return outcome.firstSeq
  })
  await Effect.runPromise(store.commit({ kind: "release", session, token, whenIdle: false }))
}

interface Model {
  readonly started: FactOf<"turn.started">
  readonly done: FactOf<"turn.settled">
}

async function writeTurns(append: AppendFacts, count: number, model: Model): Promise<void> {
  const prompts = Array.from({ length: count }, () => newId("prm") as PromptId)
  const firstSeq = await append(
    prompts.map((prompt) => ({
      type: "prompt.admitted",
      prompt,
      text: `${prompt} ${userText}`.slice(0, 200),
      delivery: "steer",
    })),
  )
  await append(prompts.flatMap((prompt, at) => turnFacts(prompt, firstSeq + at, model)))
}

function turnFacts(prompt: PromptId, bodySeq: number, model: Model): readonly Fact[] {
  const turn = newId("trn") as TurnId
  const message = newId("msg") as MessageId
  const text = `${turn} ${answerText}`.slice(0, 400)
  return [
    { type: "prompt.promoted", prompt, message: newId("msg") as MessageId, bodySeq },
    { ...model.started, turn, message },
    { type: "part.recorded", turn, message, index: 0, part: { type: "text", text, interrupted: false } },
    { ...model.done, turn },
  ]
}

/** Returns how many messages the window holds afterwards. */
async function cut(
  { store }: Opened,
  session: SessionId,
  append: AppendFacts,
  keep: number,
): Promise<number> {
  const window = await Effect.runPromise(store.window(session))
  const messages = window?.messages ?? []
  const first = messages.at(-keep)
  if (first === undefined || messages.length <= keep) return messages.length
  await append([
    {
      type: "reduction.applied",
      reduction: {
        reason: "ceiling",
        keepFrom: first.seq,
        kept: [],
        messagesCut: messages.length - keep,
        outputsCut: [],
        tokensBefore: messages.length * 100,
        tokensAfter: keep * 100,
      },
    },
  ])
  return keep
}
