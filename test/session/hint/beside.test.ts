/** What the runtime says beside the words of a person: stored with them, verbatim from then on, and never in the way. */
import { Effect, Logger } from "effect"
import { afterEach, expect, test } from "vitest"
import { extraWithin, type Keeper, takeLeftOut } from "@holdfast/core/session/hint/extra"
import { noteTool, reduceTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const said = "You have an open note. Call context_note to read it, and dismiss it if it is done."

function notesAndCommits(session: SessionId): void {
  stage.replies.push({
    blocks: [
      { type: "tool_use", name: "context_note", input: { action: "write", text: "Ask about the port." } },
    ],
  })
  stage.converse(session, "Note it.")
  stage.replies.push({ blocks: [{ type: "text", text: "Committed as 1a2b3c4." }] })
  stage.converse(session, "Commit it.")
}

test("[ND1 PR7 PS3 HB5] the note nudge is a part of its own beside the next input, bears no tag, and stays as it was", () => {
  stage = new Stage({ tools: [noteTool, reduceTool] })
  const session = stage.create()
  notesAndCommits(session)
  stage.converse(session, "What next?")
  stage.converse(session, "And then?")
  const promoted = stage.facts(session, "prompt.promoted").map(({ added }) => added)
  expect(promoted).toEqual([[], [], [{ kind: "note", text: said }], []])
  const users = stage.messages(session).filter(({ kind }) => kind === "user")
  expect(users[2]).toMatchObject({ text: "What next?", added: [{ kind: "note" }] })
  stage.restart()
  stage.converse(session, "On.")
  const raw = stage.sent.at(-1)?.raw ?? ""
  expect(raw.split(said)).toHaveLength(2)
  expect(raw).toMatch(/§\d+§ What next\?/)
  expect(raw).not.toContain(`§ ${said}`)
  expect(stage.turns(session).at(-1)?.started.pass).toBe("hold")
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[ND1 MD1] nothing is told of notes where the model cannot read them", () => {
  const tools = [noteTool]
  stage = new Stage({ tools })
  const session = stage.create()
  notesAndCommits(session)
  tools.pop()
  stage.restart()
  stage.converse(session, "What next?")
  expect(stage.facts(session, "prompt.promoted").at(-1)?.added).toEqual([])
})

test("[FA2] an extra that fails, breaks or never ends is left out, and says so in the log and for the record", () => {
  stage = new Stage()
  const keeper: Keeper = { leftOut: [], ports: { masks: { text: (text) => text.replace("key", "***") } } }
  const made = (make: Effect.Effect<string, unknown>) =>
    stage.ask(() => extraWithin(keeper, "A hint", 3_000, make).pipe(Effect.provide(silent)))
  expect(made(Effect.succeed("here"))).toBe("here")
  expect(lines).toEqual([])
  expect([made(Effect.fail("no")), made(Effect.die("broken key")), made(Effect.never)]).toEqual([
    null,
    null,
    null,
  ])
  expect(lines).toEqual([
    "A hint could not be made and was left out: no",
    "A hint could not be made and was left out: broken ***",
    "A hint could not be made and was left out: not within 3000 ms",
  ])
  const problems = ["no", "broken ***", "not within 3000 ms"]
  expect(takeLeftOut(keeper).leftOut).toEqual(problems.map((problem) => ({ extra: "A hint", problem })))
  expect(takeLeftOut(keeper)).toEqual({})
  for (let n = 0; n < 20; n++) made(Effect.fail("x".repeat(1_000)))
  const { leftOut = [] } = takeLeftOut(keeper)
  expect([leftOut.length, Math.max(...leftOut.map(({ problem }) => problem.length))]).toEqual([8, 300])
})

const lines: string[] = []
const silent = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
