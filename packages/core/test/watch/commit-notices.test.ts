import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { FactType } from "@holdfast/schema/event"
import type { LiveEvent } from "@holdfast/schema/live"
import { committedFacts, tellCommits } from "../../src/events/commit-notices.ts"
import { makeLiveHub } from "../../src/session/live.ts"
import { type CommitEvent, makeCommitHub } from "../../src/watch/commits.ts"

const committed = (type: CommitEvent["type"], outcome: object, command: object = {}): CommitEvent =>
  ({ type, command: { kind: type, session: "ses_1", ...command }, outcome }) as unknown as CommitEvent

const appended = (session: string, ...types: readonly FactType[]): CommitEvent =>
  committed("append", { kind: "appended" }, { session, facts: types.map((type) => ({ type })) })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

async function watch(readers: number) {
  const commits = makeCommitHub()
  const live = makeLiveHub()
  const heard: LiveEvent[] = []
  for (let at = 0; at < readers; at++) live.subscribe((event) => at === 0 && heard.push(event))
  Effect.runFork(Effect.scoped(Effect.andThen(tellCommits(commits, live), Effect.never)))
  await vi.advanceTimersByTimeAsync(0)
  return {
    publish: commits.publish,
    after: async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      return heard.splice(0)
    },
  }
}

const notice = (session: string, ...facts: readonly string[]) => ({ session, type: "committed", facts })

describe("notices of commits", () => {
  test("[EV5] come at once, by Session, with each type once", async () => {
    const { publish, after } = await watch(1)
    publish(appended("ses_1", "part.recorded", "part.recorded", "turn.settled"))
    expect(await after(0)).toEqual([notice("ses_1", "part.recorded", "turn.settled")])
    expect(await after(2)).toEqual([])
    publish(appended("ses_2", "turn.started"))
    expect(await after(0)).toEqual([notice("ses_2", "turn.started")])
  })

  test("[EV5] are gathered for longer the more readers there are, and none is lost", async () => {
    const { publish, after } = await watch(200)
    publish(appended("ses_1", "prompt.admitted"))
    expect(await after(0)).toHaveLength(1)
    for (let at = 0; at < 50; at++) publish(appended("ses_1", "prompt.admitted"))
    publish(appended("ses_2", "turn.started"))
    publish(appended("ses_1", "turn.started"))
    expect(await after(190)).toEqual([])
    expect(await after(20)).toEqual([
      notice("ses_1", "prompt.admitted", "turn.started"),
      notice("ses_2", "turn.started"),
    ])
  })

  test("[EV5] wait no longer than a second, however many read them", async () => {
    const { publish, after } = await watch(5_000)
    publish(appended("ses_1", "turn.started"))
    await after(0)
    publish(appended("ses_1", "turn.settled"))
    expect(await after(1_001)).toEqual([notice("ses_1", "turn.settled")])
  })
})

test.each<readonly [string, CommitEvent, readonly string[]]>([
  ["a Session", committed("create-session", { kind: "created" }), ["session.created"]],
  ["a Session again", committed("create-session", { kind: "repeated" }), []],
  ["a fork", committed("fork-session", { kind: "forked", repeated: false }), ["session.created"]],
  ["a fork again", committed("fork-session", { kind: "forked", repeated: true }), []],
  ["a move", committed("move-session", { kind: "moved" }), ["session.moved"]],
  [
    "a move that withdraws",
    committed("move-session", { kind: "moved", facts: ["ask.withdrawn", "session.moved"] }),
    ["ask.withdrawn", "session.moved"],
  ],
  ["a move to where it is", committed("move-session", { kind: "unmoved" }), []],
  ["an edit", committed("edit-prompt", { kind: "edited" }), ["prompt.edited"]],
  ["an interrupt", committed("interrupt", { kind: "interrupted" }), ["session.interrupted"]],
  ["an interrupt of nobody", committed("interrupt", { kind: "no-holder" }), []],
  [
    "an interrupt that only withdraws",
    committed("interrupt", { kind: "interrupted", facts: ["ask.withdrawn"] }),
    ["ask.withdrawn"],
  ],
  ["a lease", committed("acquire", { kind: "granted" }), []],
  ["a checkpoint", committed("checkpoint", { kind: "kept" }), []],
  ["an append without the lease", committed("append", { kind: "lost" }, { facts: [] }), []],
  [
    "a contribution",
    committed("contribute", { kind: "contributed", repeated: false }, { fact: { type: "session.updated" } }),
    ["session.updated"],
  ],
  [
    "a contribution again",
    committed("contribute", { kind: "contributed", repeated: true }, { fact: { type: "notice.admitted" } }),
    [],
  ],
])("[EV5] %s is told by what it put on record", (_, event, facts) => {
  expect(committedFacts(event)).toEqual(facts)
})
