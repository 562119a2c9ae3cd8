/** Asks and their answers, for whoever may answer (PE5): listed for late joiners, answered once. */
import { Effect } from "effect"
import type { Ask, AskDecision, AskScope } from "@holdfast/schema/ask"
import { AnswerRefused, AskNotOpen, type StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { OpenAsk, SessionRow } from "@holdfast/store/port"
import { contribute } from "../session/contribute.ts"
import type { Coordinator } from "../session/coordinator/coordinator.ts"
import type { RuntimePorts } from "../session/ports.ts"
import { type KnownFailure, shownLengthMax } from "./given.ts"

export interface GivenAnswer {
  readonly decision: AskDecision
  /** For how long it is allowed; this once unless given. */
  readonly scope?: AskScope
  /** What is allowed for longer than this once; exactly what was asked unless given. */
  readonly rules?: readonly string[]
  /** A correction, or the answer to a question. */
  readonly text?: string
}

export interface AskCalls {
  /** Open asks of one Session or, without one, of all, oldest first. */
  readonly asks: (sessionID?: string) => Effect.Effect<readonly Ask[], KnownFailure>
  readonly answer: (
    sessionID: string,
    ask: string,
    answer: GivenAnswer,
  ) => Effect.Effect<void, AskNotOpen | AnswerRefused | KnownFailure>
}

export function makeAskCalls(
  ports: Pick<RuntimePorts, "store" | "approvals">,
  coordinator: Pick<Coordinator, "resume" | "answered">,
  known: (sessionID: string) => Effect.Effect<SessionRow, KnownFailure>,
): AskCalls {
  const { store, approvals } = ports
  const describe = Effect.fnUntraced(function* ({
    session,
    time,
    raised,
  }: OpenAsk): Effect.fn.Return<Ask, StoreFailure> {
    const { ask: id, subject, question, resources, rule, agent, options } = raised
    const message = subject.kind === "call" ? yield* store.message(session, subject.message) : null
    const parts = message?.kind === "assistant" ? message.parts : []
    const part = parts.find(
      (indexed) =>
        indexed.part.type === "call" && subject.kind === "call" && indexed.part.call === subject.call,
    )?.part
    const call = part?.type === "call" ? { id: part.call, name: part.name, input: part.input } : null
    const base = { id, session, raisedAt: time, kind: kindOf(raised), question }
    return { ...base, resources, rule, agent, options, call }
  })

  return {
    asks: Effect.fnUntraced(function* (sessionID) {
      const session = sessionID === undefined ? null : (yield* known(sessionID)).id
      return yield* Effect.forEach(yield* store.asks(session), describe)
    }),
    answer: Effect.fnUntraced(function* (sessionID, ask, given) {
      const row = yield* known(sessionID)
      const open = (yield* store.asks(row.id)).find(({ raised }) => raised.ask === ask)
      if (open === undefined) return yield* notOpen(sessionID, ask)
      const fault = faultOf(open.raised, given, approvals?.findFault)
      if (fault !== null) return yield* new AnswerRefused({ ask, message: fault })
      const fact = answerFact(open.raised, given)
      const outcome = yield* contribute(ports, coordinator, row.id, fact)
      if (outcome.kind === "refused") return yield* notOpen(sessionID, ask)
      if (fact.scope === "project" && fact.rules !== undefined)
        yield* approvals?.save(row.location, fact.rules) ?? Effect.void
    }),
  }
}

const kindOf = ({ subject, resources }: FactOf<"ask.raised">): Ask["kind"] => {
  if (subject.kind !== "call") return "other"
  return resources.length > 0 ? "permission" : "question"
}

function faultOf(
  raised: FactOf<"ask.raised">,
  { decision, scope = "once", rules, text }: GivenAnswer,
  findFault: ((rule: string) => string | null) | undefined,
): string | null {
  const kind = kindOf(raised)
  if (kind === "question" && decision === "allow")
    return "This is a question of the model: answer it with a text, or decline it."
  if (kind !== "question" && decision === "answer")
    return "This asks for a permission: allow or decline it. A correction goes with a decline."
  if (decision === "answer" && (text === undefined || text.trim() === ""))
    return "An answer to a question needs a text."
  if (rules !== undefined && (decision !== "allow" || scope === "once"))
    return "Rules go with a permission for the Session or for the project."
  for (const rule of rules ?? []) {
    const fault = findFault?.(rule) ?? null
    if (fault !== null) return fault
  }
  return null
}

function answerFact(
  { ask, options }: FactOf<"ask.raised">,
  { decision, scope = "once", rules, text }: GivenAnswer,
): FactOf<"ask.answered"> {
  const lasting = decision === "allow" && scope !== "once"
  return {
    type: "ask.answered",
    ask,
    decision,
    scope: decision === "allow" ? scope : "once",
    text: text ?? null,
    by: "person",
    ...(lasting && { rules: rules ?? options }),
  }
}

const notOpen = (session: string, ask: string): AskNotOpen =>
  new AskNotOpen({
    ask,
    message: `Session ${session} has no open ask ${ask.slice(0, shownLengthMax)}: it was answered or withdrawn before, or never asked. List what is open, then answer that.`,
  })
