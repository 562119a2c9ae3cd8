/** What a turn asks of the store when its process led the Session before and nobody else wrote since. */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Command, Store } from "@holdfast/store/port"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let asked: string[] = []

/** A read is told by its name, a commit by its kind and facts. */
class Counted extends Stage {
  protected override onStore(store: Store): Effect.Effect<Store> {
    return Effect.map(super.onStore(store), (inner) => ({
      ...(Object.fromEntries(
        Object.entries(inner).map(([name, call]) => [name, told(name, call as Call)]),
      ) as unknown as Store),
      close: inner.close,
      onCommitted: inner.onCommitted,
    }))
  }
}

type Call = (...given: readonly unknown[]) => Effect.Effect<unknown, StoreFailure>

const told =
  (name: string, call: Call): Call =>
  (...given) =>
    Effect.suspend(() => {
      asked.push(name === "commit" ? described(given[0] as Command) : name)
      return call(...given)
    })

const described = (command: Command): string =>
  command.kind === "append"
    ? ["append", ...command.facts.map(({ type }) => type)].join(" ")
    : `commit ${command.kind}`

let stage: Counted
afterEach(() => stage.close())

const warm = () => {
  stage = new Counted({ tools: [workTool((line) => stage.journal.push(line), { ms: 10 })] })
  const session = stage.create()
  stage.converse(session, "Hello")
  stage.converse(session, "Again")
  asked = []
  return session
}

test("[PR1 TU1] a warm turn takes four reads, and two commits before its request", () => {
  const session = warm()
  expect(stage.converse(session, "And now?")).toEqual({ kind: "done" })
  expect(asked.filter((one) => one.includes(" "))).toEqual([
    "commit admit",
    "append prompt.promoted turn.started",
    // The stage sends its stream in pieces: a part that is whole does not wait for the end.
    "append part.recorded",
    "append turn.settled",
  ])
  expect(asked.filter((one) => !one.includes(" "))).toEqual([
    "hasReadyNotes",
    "session",
    "learnedWindow",
    "memories",
  ])
})

test("[PR3] a drain looks again at what others wrote before its second turn", () => {
  const session = warm()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  expect(stage.converse(session, "Work")).toEqual({ kind: "done" })
  expect(asked.filter((one) => one === "session")).toHaveLength(2)
})
