/** Asks and their answers, for whoever may answer (PE5): listed for late joiners, answered once. */
import { Effect } from "effect"
import type { Ask, AskDecision, AskScope } from "@holdfast/schema/instance/ask"
import { AnswerRefused, AskNotOpen, RuleInvalid, type StoreFailure } from "@holdfast/schema/error"
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
    ask: string,
    answer: GivenAnswer,
  ) => Effect.Effect<void, AskNotOpen | AnswerRefused | RuleInvalid | KnownFailure>
}

export function makeAskCalls(
  ports: Pick<RuntimePorts, "store" | "approvals" | "masks">,
  coordinator: Pick<Coordinator, "resume" | "answered">,
  known: (sessionID: string) => Effect.Effect<SessionRow, KnownFailure>,
): AskCalls {
  const { store, approvals } = ports
  const describe = Effect.fnUntraced(function* ({
    session,
    seq,
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
    const base = { id, session, raisedAt: time, raisedSeq: seq, kind: kindOf(raised), question }
    return { ...base, resources, rule, agent, options, call }
  })

  return {
    asks: Effect.fnUntraced(function* (sessionID) {
      const session = sessionID === undefined ? null : (yield* known(sessionID)).id
      return yield* Effect.forEach(yield* store.asks(session), describe)
    }),
    answer: Effect.fnUntraced(function* (ask, given) {
      const open = (yield* store.asks(null)).find(({ raised }) => raised.ask === ask)
      if (open === undefined) return yield* notOpen(ask)
      const message = faultOf(open.raised, given)
      if (message !== null) return yield* new AnswerRefused({ ask, message })
      yield* legalRules(approvals, given.rules)
      const row = yield* known(open.session)
      const fact = answerFact(open.raised, given)
      const outcome = yield* contribute(ports, coordinator, row.id, fact)
      if (outcome.kind === "refused") return yield* notOpen(ask)
      if (fact.scope === "project" && fact.approves !== undefined)
        yield* approvals?.save(row.location, fact.approves) ?? Effect.void
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
  return null
}

/** Rules that somebody gives are read before anything is written (PE1). */
export const legalRules = (
  approvals: RuntimePorts["approvals"],
  rules: readonly string[] = [],
): Effect.Effect<void, RuleInvalid> =>
  Effect.forEach(
    rules,
    (rule) => {
      const message = approvals?.findFault(rule) ?? null
      return message === null ? Effect.void : Effect.fail(new RuleInvalid({ rule, message }))
    },
    { discard: true },
  )

function answerFact(
  { ask, resources }: FactOf<"ask.raised">,
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
    ...(lasting && { approves: rules === undefined ? { resources, rules: [] } : { resources: [], rules } }),
  }
}

const notOpen = (ask: string): AskNotOpen =>
  new AskNotOpen({
    ask,
    message: `There is no open ask ${ask.slice(0, shownLengthMax)}: it was answered or withdrawn before, or never raised. List what is open, then answer that.`,
  })
