/**
 * A bystander: writes into Sessions at any moment, without ever holding a lease. Titles, notices,
 * asks and their answers. The drain that is at work must take them in, lose none, and start
 * nothing while an ask is open.
 */
import { Effect } from "effect"
import type { Event } from "@holdfast/schema/event"
import type { AskId, NoticeId, SessionId } from "@holdfast/schema/id"
import { openInlineStore } from "@holdfast/store"
import type { ContributedFact } from "@holdfast/store/port"
import type { World } from "../../stage/scheduler.ts"
import type { ClientContext } from "../clients.ts"

export interface BystanderStep {
  readonly afterMs: number
  /** Which of the Sessions, by its place in the plan. */
  readonly session: number
  readonly act: "title" | "notice" | "quiet-notice" | "ask"
  /** How long an ask stays open. */
  readonly answerMs: number
}

const stepsMax = 6
const acts: readonly BystanderStep["act"][] = ["title", "notice", "quiet-notice", "ask"]

/** Half of the seeds have one. */
export function drawBystander(world: World, sessions: number): readonly BystanderStep[] {
  if (world.chance(0.5)) return []
  return Array.from({ length: 1 + world.below(stepsMax) }, () => ({
    afterMs: world.chance(0.5) ? world.below(60) : world.below(6_000),
    session: world.below(sessions),
    act: acts[world.below(acts.length)] ?? "title",
    answerMs: world.below(4_000),
  }))
}

const retriesMax = 60
const retryMs = 200

export function makeBystander(context: ClientContext, steps: readonly BystanderStep[]) {
  const { machine, record, note } = context
  const notices = new Map<string, string>()
  const titles = new Map<string, string>()
  const asks = new Map<string, { readonly session: string; answered: boolean }>()

  const tagsOf = (session: string): readonly string[] =>
    [...record.sessions].flatMap(([tag, id]) => (id === session ? [tag] : []))

  /** What wakes a Session ends what an interrupt had fenced (DR3). */
  const noteWake = (session: string, fact: ContributedFact): void => {
    if (fact.type !== "ask.answered" && fact.type !== "notice.admitted") return
    for (const tag of tagsOf(session)) {
      record.fenced.delete(tag)
      record.wakes.set(tag, (record.wakes.get(tag) ?? 0) + 1)
    }
  }

  /** Until it is acknowledged: each fact has an id of its own, so that a repeat is no second one. */
  const write = Effect.fnUntraced(function* (session: string, fact: ContributedFact) {
    for (let attempt = 0; attempt < retriesMax; attempt++) {
      noteWake(session, fact)
      const end = yield* machine.call((runtime) => runtime.contribute(session, fact))
      noteWake(session, fact)
      if (end.kind === "ok") return end.value
      if (end.kind === "failed" && end.error._tag !== "StoreFailure")
        record.problems.push(`bystander ${fact.type} failed: ${String(end.error)}`)
      yield* Effect.sleep(retryMs)
    }
    return null
  })

  const answer = Effect.fnUntraced(function* (ask: string, session: string) {
    const by = { decision: "allow", scope: "once", text: null, by: "person" } as const
    const end = yield* write(session, { type: "ask.answered", ask: ask as AskId, ...by })
    // A repeat of an answer whose acknowledgement was lost finds the ask closed; so does one behind an interrupt.
    if (end !== null) asks.set(ask, { session, answered: true })
  })

  const perform = Effect.fnUntraced(function* (step: BystanderStep, at: number) {
    const session = [...record.sessions.values()][step.session]
    if (session === undefined) return
    note(`bystander ${step.act}`)
    if (step.act === "title") {
      const written = yield* write(session, {
        type: "session.updated",
        title: `Title ${at}`,
        titledBy: "person",
      })
      if (written !== null) titles.set(session, `Title ${at}`)
      return
    }
    if (step.act === "ask") {
      const ask = `ask_${at}` as AskId
      asks.set(ask, { session, answered: false })
      yield* write(session, askFact(ask))
      yield* Effect.sleep(step.answerMs)
      return yield* answer(ask, session)
    }
    const id = `note-${at}`
    const written = yield* write(session, noticeFact(id, tagsOf(session), step.act === "notice"))
    if (written !== null) notices.set(id, session)
  })

  return {
    run: Effect.forEach(steps, (step, at) => Effect.andThen(Effect.sleep(step.afterMs), perform(step, at)), {
      discard: true,
    }),
    /** Nobody leaves before every question is answered. */
    answerAll: Effect.suspend(() =>
      Effect.forEach(
        asks,
        ([ask, { session, answered }]) => (answered ? Effect.void : answer(ask, session)),
        {
          discard: true,
        },
      ),
    ),
    judge: Effect.fnUntraced(function* (file: string) {
      const store = yield* Effect.orDie(openInlineStore({ file }))
      const problems: string[] = []
      for (const [tag, session] of record.sessions) {
        const { events } = yield* Effect.orDie(store.events(session as SessionId, 0, 100_000))
        const row = yield* Effect.orDie(store.session(session as SessionId))
        const mine = [...notices].filter(([, owner]) => owner === session).map(([id]) => id)
        problems.push(...judge(events, mine).map((problem) => `${tag} ${problem}`))
        if (row !== null && row.asks > 0) problems.push(`${tag} [PE5] an ask is still open`)
        const title = titles.get(session)
        if (title !== undefined && row?.title !== title && row?.title?.startsWith("Title") !== true)
          problems.push(`${tag} [SS1] the title ${title} is lost: ${String(row?.title)}`)
      }
      yield* Effect.orDie(store.close())
      return problems
    }),
  }
}

const askFact = (ask: AskId): ContributedFact => ({
  type: "ask.raised",
  ask,
  subject: { kind: "trust", path: "plugin.ts", hash: "00" },
  question: "Is this content trusted?",
  resources: [],
  rule: null,
  agent: "build",
  options: [],
})

/** It names its Session as a prompt does: there are Sessions that never get one. */
const noticeFact = (id: string, tags: readonly string[], wakes: boolean): ContributedFact => ({
  type: "notice.admitted",
  notice: id as NoticeId,
  source: { kind: "command", id },
  text: `command ${id} of ${tags.join(" ")} ended`,
  delivery: "steer",
  wakes,
})

/** It wakes nobody, and no turn has begun since that could have taken it along. */
function waitsForTurn(events: readonly Event[], id: string): boolean {
  const admitted = events.find(({ fact }) => fact.type === "notice.admitted" && fact.notice === id)
  if (admitted?.fact.type !== "notice.admitted" || admitted.fact.wakes) return false
  return !events.some(({ fact }) => fact.type === "turn.started" && fact.seenSeq >= admitted.seq)
}

function judge(events: readonly Event[], notices: readonly string[]): readonly string[] {
  const problems: string[] = []
  for (const id of notices) {
    const count = (type: "notice.admitted" | "notice.promoted") =>
      events.filter(({ fact }) => fact.type === type && fact.notice === id).length
    if (count("notice.admitted") !== 1)
      problems.push(`[PR7] notice ${id} was admitted ${count("notice.admitted")} times`)
    if (count("notice.promoted") !== (waitsForTurn(events, id) ? 0 : 1))
      problems.push(`[PR4] notice ${id} was promoted ${count("notice.promoted")} times`)
  }
  let open = 0
  for (const { seq, fact } of events) {
    if (fact.type === "ask.raised") open += 1
    if (fact.type === "ask.answered" || fact.type === "ask.withdrawn") open -= 1
    // A boundary that was planned before the ask may be committed behind it; none may plan with it open.
    if (fact.type === "turn.started" && open > 0 && askedBy(events, fact.seenSeq) > 0)
      problems.push(`[PE3] ${fact.turn} starts at ${seq} while an ask is open`)
  }
  return problems
}

const askedBy = (events: readonly Event[], seq: number): number =>
  events.reduce((open, event) => {
    if (event.seq > seq) return open
    if (event.fact.type === "ask.raised") return open + 1
    return event.fact.type === "ask.answered" || event.fact.type === "ask.withdrawn" ? open - 1 : open
  }, 0)
