/**
 * Long histories, written straight through the store: facts as turns would have left them.
 *
 * Two turns run for real and leave Epoch, tools and options; the others copy the newest of them, and
 * what a turn adds to the next request (tokens, blocks, usage) is counted on as those two did. The
 * lease changes hands, so the runtime loads the window anew. No cut is ever written here.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { textTokens } from "@holdfast/llm/size"
import type { Fact, FactOf } from "@holdfast/schema/event"
import { idFromBytes, type IdPrefix, type MessageId, type PromptId } from "@holdfast/schema/id"
import type { SessionId, TurnId } from "@holdfast/schema/id"
import type { Append } from "@holdfast/store/port"
import { createSession, type Opened, sendPrompt, settled } from "./runtime.ts"
import { answerText } from "./sse.ts"

export interface HistoryOptions {
  readonly messages: number
  /** How the provider answers. */
  readonly mode: string
}

/** What a real turn left in the log. */
export interface PlayedTurn {
  readonly started: FactOf<"turn.started">
  readonly done: FactOf<"turn.settled">
  /** The planner has cut the window for it. */
  readonly cut: boolean
}

/** What one turn adds to the request of the next. */
export interface TurnGrowth {
  readonly tokensEstimated: number
  readonly tokensReported: number
  readonly blocks: number
  readonly bytes: number
}

/** Turns of two messages written with one command. */
const turnsAtOnce = 500

const newId = (prefix: IdPrefix): string => idFromBytes(prefix, randomBytes(20))
const userText =
  "Which part of the request repeats the one before it, and where does it break, and why? ".repeat(3)

export async function writeHistory(opened: Opened, { messages, mode }: HistoryOptions): Promise<SessionId> {
  const session = await createSession(opened, mode)
  const { last, growth } = await startHistory(opened, session)
  await writeTurns(opened, session, Math.ceil(messages / 2) - 2, last, growth)
  return session
}

/** The two turns that every history begins with. */
export async function startHistory(opened: Opened, session: SessionId) {
  const first = await recordTurn(opened, session)
  const last = await recordTurn(opened, session)
  return { last, growth: growthOf(first, last) }
}

/** One prompt, answered to its end, and what it left. */
export async function recordTurn(opened: Opened, session: SessionId): Promise<PlayedTurn> {
  const { admittedSeq } = await sendPrompt(opened, session)
  await settled(opened, session)
  const { events } = await Effect.runPromise(opened.store.events(session, admittedSeq, 100))
  const facts = events.map((event) => event.fact)
  const started = facts.find((fact) => fact.type === "turn.started")
  const done = facts.findLast((fact) => fact.type === "turn.settled")
  if (started === undefined || done === undefined) throw new Error("A turn left no facts.")
  return { started, done, cut: facts.some(isCut) }
}

/** Whether it records a pass that cut the history. */
export const isCut = (fact: Fact): boolean => fact.type === "pass.applied" && fact.reason.startsWith("cut_")

/** Tokens of a turn's request, as the provider counted them. */
export const tokensReported = ({ done }: PlayedTurn): number => {
  const { input, cacheRead, cacheWrite } = done.ledger.usage
  return input + cacheRead + cacheWrite
}

const growthOf = (before: PlayedTurn, after: PlayedTurn): TurnGrowth => ({
  tokensEstimated: after.started.request.tokensEstimated - before.started.request.tokensEstimated,
  tokensReported: tokensReported(after) - tokensReported(before),
  blocks: after.started.request.blocks - before.started.request.blocks,
  bytes: after.started.request.bytes - before.started.request.bytes,
})

/** Writes so many turns after the newest one, which must not have been followed by another. */
export const writeTurns = (
  opened: Opened,
  session: SessionId,
  turns: number,
  last: PlayedTurn,
  growth: TurnGrowth,
): Promise<void> =>
  underLease(opened, session, async (append) => {
    for (let written = 0; written < turns; written += turnsAtOnce) {
      const models = Array.from({ length: Math.min(turnsAtOnce, turns - written) }, (_, at) =>
        grown(last, growth, written + at + 1),
      )
      await appendTurns(append, models)
    }
  })

/** The record of a turn that comes so many turns later. */
function grown({ started, done }: PlayedTurn, growth: TurnGrowth, turns: number): PlayedTurn {
  const { request } = started
  const { usage, attempts } = done.ledger
  const reported = { ...usage, input: usage.input + turns * growth.tokensReported }
  return {
    started: {
      ...started,
      request: {
        ...request,
        tokensEstimated: request.tokensEstimated + turns * growth.tokensEstimated,
        blocks: request.blocks + turns * growth.blocks,
        bytes: request.bytes + turns * growth.bytes,
      },
    },
    done: {
      ...done,
      ledger: {
        ...done.ledger,
        usage: reported,
        attempts: attempts.map((attempt) => ({ ...attempt, usage: reported })),
      },
    },
    cut: false,
  }
}

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
      movedAbove: null,
      clearsScratch: [],
      release: "keep",
    }
    const outcome = await Effect.runPromise(store.commit(command))
    if (outcome.kind !== "appended") throw new Error(`An append was ${outcome.kind}.`)
    return outcome.firstSeq
  })
  await Effect.runPromise(store.commit({ kind: "release", session, token, whenIdle: false }))
}

async function appendTurns(append: AppendFacts, models: readonly PlayedTurn[]): Promise<void> {
  const prompts = models.map(() => newId("prm") as PromptId)
  const firstSeq = await append(
    prompts.map((prompt) => ({
      type: "prompt.admitted",
      prompt,
      text: `${prompt} ${userText}`.slice(0, 200),
      delivery: "steer",
    })),
  )
  await append(models.flatMap((model, at) => turnFacts(prompts[at] as PromptId, firstSeq + at, model)))
}

function turnFacts(prompt: PromptId, bodySeq: number, { started, done }: PlayedTurn): readonly Fact[] {
  const turn = newId("trn") as TurnId
  const message = newId("msg") as MessageId
  const text = `${turn} ${answerText}`.slice(0, answerText.length)
  return [
    {
      type: "prompt.promoted",
      prompt,
      message: newId("msg") as MessageId,
      bodySeq,
      tokens: textTokens(userText),
      added: [],
    },
    { ...started, turn, message },
    {
      type: "part.recorded",
      turn,
      message,
      index: 0,
      part: { type: "text", text, interrupted: false },
      tokens: textTokens(text),
    },
    { ...done, turn },
  ]
}
