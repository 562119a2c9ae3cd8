/**
 * One flipped byte in each kind of record: it is reported, the rest loads, and the Session goes on
 * or says why not.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test } from "vitest"
import type { FactType } from "@holdfast/schema/event"
import { type Bench, behavesWell, goodAnswer, withBench } from "./bench.ts"

const callsTool = {
  kind: "reply",
  reply: { blocks: [{ type: "tool_use", name: "nothing", input: { a: 1 } }] },
} as const

/** A closed store with one Session: a call and its result, then two answers. */
function written(bench: Bench): string {
  const session = bench.newSession()
  bench.behaviour = callsTool
  bench.onRequest = () => {
    if (bench.requests > 1) bench.behaviour = behavesWell
  }
  expect(bench.say(session, "Call it.")).toEqual({ kind: "done" })
  expect(bench.say(session, "Again.")).toEqual({ kind: "done" })
  bench.stop()
  return session
}

function query(file: string, sql: string, ...values: readonly (string | number)[]) {
  const db = new DatabaseSync(file, { readOnly: true })
  const rows = db.prepare(sql).all(...values)
  db.close()
  return rows
}

/** Flips one bit in the middle of the stored text of an event, in the file itself. */
function flipByte(file: string, seq: number): void {
  const read = () => String(query(file, "SELECT data FROM event WHERE seq = ?", seq)[0]?.["data"])
  const data = read()
  const bytes = readFileSync(file)
  // Pages keep remains of what stood there before, so the first place found may not be the row.
  for (let start = bytes.indexOf(data); start >= 0; start = bytes.indexOf(data, start + 1)) {
    const at = start + Math.floor(data.length / 2)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(file, bytes)
    if (read() !== data) return
    bytes[at] = (bytes[at] ?? 0) ^ 1
  }
  throw new Error("the record is not in one piece in the file")
}

const damaged: readonly { readonly type: FactType; readonly which: "first" | "last" }[] = [
  { type: "session.created", which: "first" },
  { type: "prompt.admitted", which: "last" },
  { type: "prompt.promoted", which: "first" },
  { type: "prompt.promoted", which: "last" },
  { type: "epoch.started", which: "first" },
  { type: "turn.started", which: "first" },
  { type: "turn.started", which: "last" },
  { type: "part.recorded", which: "first" },
  { type: "part.recorded", which: "last" },
  { type: "call.started", which: "first" },
  { type: "call.settled", which: "first" },
  { type: "turn.settled", which: "first" },
  { type: "turn.settled", which: "last" },
]

/** Damages one record of a closed store and opens it again; gives the Session and the sequence. */
function damage(bench: Bench, session: string, type: FactType, which: "first" | "last"): number {
  const seqs = query(bench.file, "SELECT seq FROM event WHERE type = ? ORDER BY seq", type)
  const seq = Number(seqs.at(which === "first" ? 0 : -1)?.["seq"])
  flipByte(bench.file, seq)
  bench.start()
  expect(bench.ok(bench.store.inspect()).damage).toMatchObject([{ session, seq }])
  const events = bench.ok(bench.runtime.events(session, 0, 1_000, false))
  const last = bench.ok(bench.runtime.get(session)).seq
  expect(events.map((event) => event.seq)).toEqual(
    Array.from({ length: last }, (_, i) => i + 1).filter((one) => one !== seq),
  )
  return seq
}

describe("a flipped byte", () => {
  for (const { type, which } of damaged) {
    test(`[ST3] in the ${which} ${type} is reported, the rest loads, and the next turn works`, () =>
      withBench((bench) => {
        const session = written(bench)
        damage(bench, session, type, which)
        expect(
          bench.ok(bench.runtime.messages(session, { afterSeq: 0, limit: 100, system: true })).length,
        ).toBeGreaterThanOrEqual(4)
        expect(bench.say(session, "And now?")).toEqual({ kind: "done" })
        expect(bench.transcript(session).slice(-2)).toEqual(["And now?", goodAnswer])
        const verdicts = bench.ok(bench.runtime.verify(session)).map(({ verdict }) => verdict.kind)
        expect(verdicts).not.toContain("different")
      }))
  }

  test("[ST3 LL3] in the very first words of the user is told to the model, and the Session goes on", () =>
    withBench((bench) => {
      const session = written(bench)
      damage(bench, session, "prompt.admitted", "first")
      expect(bench.say(session, "And now?")).toEqual({ kind: "done" })
      expect(bench.transcript(session).slice(-2)).toEqual(["And now?", goodAnswer])
    }))

  test("[ST3] in the words of a prompt that waits does not keep the Session from its other input", () =>
    withBench((bench) => {
      const session = written(bench)
      bench.ok(
        bench.start().runtime.prompt({ sessionID: session, id: "waits", text: "I wait.", resume: false }),
      )
      bench.stop()
      damage(bench, session, "prompt.admitted", "last")
      bench.stepsMax = 20_000
      expect(bench.say(session, "And now?")?.kind).toMatch(/done|blocked|failed/)
      expect(bench.transcript(session).slice(-2)).toEqual(["And now?", goodAnswer])
    }))
})
