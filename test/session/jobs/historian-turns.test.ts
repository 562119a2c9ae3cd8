/** The historian beside turns that go on: what it looks at, what it reads for that, and what it never tells anybody. */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import type { Store } from "@holdfast/store/port"
import { Stage, type StageOptions } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const long = (text: string) => `${text} ${"word ".repeat(2_500)}`
const sentTo = (model: string) => stage.sent.filter((sent) => sent.model === model)
const published = (session: SessionId) => stage.facts(session, "history.published")

function history(view: RequestView): Reply {
  const [, last] = /ordinals 1 to (\d+)/.exec(JSON.stringify(view.messages)) ?? []
  const part = `<part from="1" to="${last}" title="All" importance="60" kind="change"><p1>Done.</p1></part>`
  return { blocks: [{ type: "text", text: `<history>${part}<next>${Number(last) + 1}</next></history>` }] }
}

/** A turn whose answer names a commit: a few of them call for a historian. */
function commits(session: SessionId, words: string): void {
  stage.replies.push({ blocks: [{ type: "text", text: "Committed as 1a2b3c4." }] })
  stage.converse(session, long(words))
}

/** Talks until a job is at work that takes so long. */
function atWork(firstByteMs: number, contextTokens = 40_000): SessionId {
  stage = new Stage({ contextTokens, historian: ["historian"] })
  stage.historianReply = (view) => ({ ...history(view), firstByteMs })
  const session = stage.create()
  for (let turn = 0; turn < 20 && sentTo("historian").length === 0; turn++) {
    commits(session, `Rule ${turn}.`)
    stage.pass(10)
  }
  return session
}

test("[HI2] turns that settle while a job is at work are looked at when it ends, without another turn", () => {
  const session = atWork(120_000, 200_000)
  const [{ raw = "" } = {}] = sentTo("historian")
  for (let turn = 0; turn < 16; turn++) commits(session, `Later rule ${turn}.`)
  expect(sentTo("historian")).toHaveLength(1)
  const turns = stage.turns(session).length
  stage.pass(300_000)
  expect(sentTo("historian").length).toBeGreaterThan(1)
  expect(raw).not.toContain("Later rule 0.")
  expect(sentTo("historian")[1]?.raw).toContain("Later rule 0.")
  expect([stage.turns(session).length, published(session).length > 1]).toEqual([turns, true])
})

test("[EG1 DR7] a full window and a historian that never ends tell the Session nothing, and no turn follows by itself", () => {
  const session = atWork(3_600_000)
  const before = {
    turns: stage.turns(session).length,
    live: stage.live.length,
    sent: sentTo("script").length,
  }
  stage.converse(session, `Here it is. ${"word ".repeat(19_500)}`)
  stage.pass(1_800_000)
  expect(stage.turns(session)).toHaveLength(before.turns + 1)
  expect(sentTo("script")).toHaveLength(before.sent + 1)
  const types = ["notice.admitted", "notice.promoted", "ask.raised"] as const
  expect(types.flatMap((type) => stage.facts(session, type))).toEqual([])
  expect(stage.live.slice(before.live).filter(({ type }) => type === "drain-end")).toHaveLength(1)
  expect(stage.status(session)).toMatchObject({ state: "idle", owing: false, pending: 0 })
})

/** Names of what is read of a store, in order. */
class ReadingStage extends Stage {
  static reads: string[] = []

  protected override onStore(store: Store): Effect.Effect<Store> {
    return Effect.map(super.onStore(store), (given) => {
      const noted = Object.entries(given).map(([name, read]) => [
        name,
        typeof read === "function"
          ? (...asked: unknown[]) => {
              ReadingStage.reads.push(name)
              return (read as (...values: unknown[]) => unknown).apply(given, asked)
            }
          : read,
      ])
      return Object.fromEntries(noted) as unknown as Store
    })
  }
}

function readsOf(options: StageOptions): readonly string[] {
  stage = new ReadingStage({ contextTokens: 200_000, ...options })
  const session = stage.create()
  for (let turn = 0; turn < 3; turn++) stage.converse(session, long(`Rule ${turn}.`))
  ReadingStage.reads = []
  stage.converse(session, "And then?")
  stage.pass(5_000)
  const reads = ReadingStage.reads.toSorted()
  stage.close()
  return reads
}

test("[HI2] to consider a historian reads nothing of the store while the window is in memory", () => {
  const without = readsOf({})
  expect(without.length).toBeGreaterThan(3)
  expect(readsOf({ historian: ["historian"] })).toEqual(without)
  stage = new Stage()
})

test("[FA1 HI1] a historian that failed under a process that has ended is told by the next, since when, until a job is done", () => {
  stage = new Stage({ contextTokens: 40_000, historian: ["historian"] })
  const health = () => stage.ask((runtime) => runtime.health())
  const session = stage.create()
  const talkUntil = (condition: () => boolean) => {
    for (let turn = 0; turn < 20 && !condition(); turn++) {
      commits(session, `Rule ${turn}.`)
      stage.pass(10)
    }
  }
  stage.historianReply = () => ({ blocks: [{ type: "text", text: "Sure!" }] })
  talkUntil(() => published(session).length > 0)
  const [failed] = health()
  expect(failed).toMatchObject({ part: "historian" })
  stage.restart()
  const cause = `its last job came to nothing, at a cost that is not known, and the built-in historian wrote instead. In ${session}: ${failed?.cause}`
  expect(health()).toMatchObject([{ part: "historian", cause }])
  const [told] = health()
  expect(told?.since).toBeLessThanOrEqual(failed?.since ?? 0)
  stage.historian = []
  expect(health()).toEqual([])
  stage.historian = ["historian"]
  talkUntil(() => published(session).length > 1)
  expect(health()).toMatchObject([{ part: "historian", cause: failed?.cause, since: told?.since }])
  stage.historianReply = history
  talkUntil(() => published(session).length > 2)
  expect(health()).toEqual([])
  stage.restart()
  expect(health()).toEqual([])
})
