/** Contract of imports: what a store makes of the log of a bundle, and that it is all of it or nothing (ST4). */
import { createHash } from "node:crypto"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { blobLine, eventLine } from "@holdfast/schema/bundle/line"
import type { Fact } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { Command, ImportSession, Store } from "../../src/port.ts"
import {
  acquire,
  admit,
  append,
  askAnswered,
  create,
  epochStarted,
  partRecorded,
  promoted,
  promptId,
  sessionId,
  textPart,
  turnSettled,
  turnStarted,
} from "../records.ts"
import { held, kindOf, type OpenStore } from "./subject.ts"

const one = sessionId(1)
const two = sessionId(2)

const answered: readonly Fact[] = [
  epochStarted("Baseline", "monday"),
  promoted(1, 2),
  turnStarted(1, 4),
  partRecorded(1, 0, textPart("Yes.")),
  turnSettled(1),
]

/** Session 1 with an exchange, nobody's: its log ends at 7. */
const talked = Effect.fnUntraced(function* (store: Store) {
  const token = yield* held(store, 1)
  yield* store.commit(append(1, token, answered))
  yield* store.commit({ kind: "release", session: one, token, whenIdle: false })
})

/** The lines of a log, as a bundle holds them. */
const linesOf = Effect.fnUntraced(function* (store: Store, session = one, through = 1_000) {
  const records = yield* store.records(
    session,
    0,
    Math.min(through, (yield* store.session(session))?.seq ?? 0),
    1_000,
  )
  return records.map(({ seq, version, time, data, fact }) =>
    eventLine({ seq, type: fact.type, version, time, data }),
  )
})

const take = Effect.fnUntraced(function* (
  store: Store,
  lines: readonly string[],
  more: Partial<ImportSession> = {},
) {
  const staged = yield* store.stage()
  staged.append(Buffer.from(lines.join("")))
  const command: ImportSession = {
    kind: "import-session",
    session: one,
    staged: staged.descriptor,
    trusted: false,
    absent: [],
    copy: null,
    ...more,
  }
  return yield* Effect.ensuring(
    store.commit(command),
    Effect.sync(() => staged.close()),
  )
})

const sound = Effect.fnUntraced(function* (store: Store) {
  const { damage, stale } = yield* store.inspect()
  expect({ damage, stale }).toEqual({ damage: [], stale: [] })
})
const events = (store: Store, session: SessionId = one) =>
  Effect.map(store.events(session, 0, 1_000), (page) => page.events)

const say = Effect.fnUntraced(function* (store: Store, n: number) {
  yield* store.commit(admit(1, n))
})

export function importContract(open: OpenStore): void {
  it.effect("[ST4] brings the log over with its ids, sequences and times", () =>
    Effect.gen(function* () {
      const store = yield* open
      const other = yield* open
      yield* talked(store)
      yield* say(store, 2)
      const outcome = kindOf("imported", yield* take(other, yield* linesOf(store)))
      expect([outcome.change, outcome.row]).toEqual(["created", yield* store.session(one)])
      expect(yield* events(other)).toEqual(yield* events(store))
      expect((yield* other.window(one))?.state).toEqual((yield* store.window(one))?.state)
      yield* sound(other)
    }),
  )
  it.effect("[ST4] does nothing twice, and nothing with what it has already", () =>
    Effect.gen(function* () {
      const store = yield* open
      const other = yield* open
      yield* talked(store)
      const lines = yield* linesOf(store)
      yield* take(other, lines)
      const heard: number[] = []
      other.onCommitted((_, seq) => heard.push(seq))
      expect(yield* take(other, lines)).toMatchObject({ kind: "imported", change: "same" })
      expect(yield* take(other, lines.slice(0, 3))).toMatchObject({ kind: "imported", change: "older" })
      expect(heard).toEqual([])
      expect(yield* events(other)).toEqual(yield* events(store))
    }),
  )
  it.effect("[ST4] extends a log that is the beginning of the other", () =>
    Effect.gen(function* () {
      const store = yield* open
      const other = yield* open
      yield* talked(store)
      yield* take(other, yield* linesOf(store))
      yield* say(store, 2)
      const longer = yield* linesOf(store)
      yield* other.commit(acquire(1, 9))
      kindOf("held", yield* take(other, longer))
      const lease = yield* other.lease(one)
      yield* other.commit({ kind: "release", session: one, token: lease?.token ?? 0, whenIdle: false })
      expect(yield* take(other, longer)).toMatchObject({ kind: "imported", change: "extended" })
      expect(yield* events(other)).toEqual(yield* events(store))
      yield* sound(other)
    }),
  )
}

export function importCopyContract(open: OpenStore): void {
  it.effect("[ST4] where both went on, says so and takes the other way as a second Session, once", () =>
    Effect.gen(function* () {
      const store = yield* open
      const other = yield* open
      yield* talked(store)
      yield* take(other, yield* linesOf(store))
      yield* say(store, 2)
      yield* say(other, 3)
      const before = yield* events(other)
      const lines = yield* linesOf(store)
      const { common } = kindOf("diverged", yield* take(other, lines))
      expect(common).toBe(7)
      const copy = { session: two, copy: { source: one, seq: common } }
      const { row } = kindOf("imported", yield* take(other, lines, copy))
      expect(row).toMatchObject({
        id: two,
        seq: 8,
        pending: 1,
        origin: { kind: "import", source: one, seq: 7 },
        costKnown: 0,
      })
      expect(yield* take(other, lines, copy)).toMatchObject({ change: "same" })
      yield* say(store, 4)
      const extended = yield* take(other, yield* linesOf(store), copy)
      expect(extended).toMatchObject({ change: "extended", row: { pending: 2 } })
      expect(yield* events(other)).toEqual(before)
      expect(yield* other.prompt(promptId(3))).toMatchObject({ receipt: { session: one } })
      expect((yield* other.inbox(two)).map(({ id }) => id)).not.toContain(promptId(2))
      yield* sound(other)
    }),
  )
  it.effect("[ST4 PR2] a prompt id that another Session used makes it a second Session, too", () =>
    Effect.gen(function* () {
      const store = yield* open
      const other = yield* open
      yield* talked(store)
      yield* other.commit(create(5))
      yield* other.commit(admit(5, 1))
      const lines = yield* linesOf(store)
      expect(yield* take(other, lines)).toMatchObject({ kind: "diverged", common: 0 })
      expect(yield* other.session(one)).toBeNull()
      expect(yield* take(other, lines, { session: two, copy: { source: one, seq: 0 } })).toMatchObject({
        change: "created",
      })
      yield* sound(other)
    }),
  )
}

export function importPermissionsContract(open: OpenStore): void {
  it.effect("[PE1 DR5] leaves permissions and the restart policy behind, unless it is trusted", () =>
    Effect.gen(function* () {
      const store = yield* open
      const other = yield* open
      const made = create(1)
      const fact = { ...made.fact, allow: ["bash"], onAsk: "allow", policy: "continue" } as const
      yield* store.commit({ ...made, fact })
      yield* store.commit(admit(1, 1))
      const lines = yield* linesOf(store)
      const { row } = kindOf("imported", yield* take(other, lines))
      expect(row).toMatchObject({ allow: [], onAsk: "wait", policy: "settle" })
      expect(yield* other.unsettled()).toEqual([])
      // What differs by trust alone is the same log.
      expect(yield* take(other, lines, { trusted: true })).toMatchObject({ change: "same" })
      expect(yield* take(store, yield* linesOf(other))).toMatchObject({ change: "same" })
      yield* other.commit({ kind: "delete-session", session: one })
      const trusted = kindOf("imported", yield* take(other, lines, { trusted: true }))
      expect(trusted.row).toMatchObject({ allow: ["bash"], onAsk: "allow", policy: "continue" })
      expect(yield* events(other)).toEqual(yield* events(store))
    }),
  )
  it.effect("[PE1] an answer for the rest of a Session holds where it was given", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      const lines = yield* linesOf(store)
      const { type, ...data } = {
        ...askAnswered(1),
        decision: "allow",
        scope: "session",
        approves: { resources: [], rules: ["bash"] },
      } as const
      const raised = eventLine({ seq: 8, type: "ask.raised", version: 1, time: 1, data: askText })
      const given = eventLine({ seq: 9, type, version: 1, time: 1, data: JSON.stringify(data) })
      const other = yield* open
      yield* take(other, [...lines, raised, given])
      expect((yield* other.window(one))?.state.items.approvals.size).toBe(0)
      yield* other.commit({ kind: "delete-session", session: one })
      yield* take(other, [...lines, raised, given], { trusted: true })
      expect((yield* other.window(one))?.state.items.approvals.size).toBe(1)
    }),
  )
}

const askText = JSON.stringify({
  ask: "ask_1",
  subject: { kind: "request", name: "x", detail: null },
  question: "May it?",
  resources: [],
  rule: null,
  agent: "build",
  options: [],
})

/** Logs that no Session ever had. */
const misfits: Readonly<Record<string, (lines: readonly string[]) => readonly string[]>> = {
  "a prompt that is promoted twice": (lines) => [...lines, renumbered(lines[3], 8)],
  "a turn that began and never ended": (lines) => lines.slice(0, 5),
  "two turns with one id": (lines) => [...lines, renumbered(lines[4], 8), renumbered(lines[6], 9)],
  "two messages with one id": (lines) => [
    ...lines,
    renumbered(lines[4], 8).replace('"trn_1"', '"trn_8"'),
    renumbered(lines[6], 9).replace('"trn_1"', '"trn_8"'),
  ],
  "a part of no turn": (lines) => [...lines, renumbered(lines[5], 8).replaceAll("trn_1", "trn_7")],
  "the Session of a call": (lines) => lines.map((line) => line.replace('"kind":"primary"', '"kind":"child"')),
}

const renumbered = (line: string | undefined, seq: number): string =>
  (line ?? "").replace(/"event":\d+/, `"event":${seq}`)

export function importRefusalContract(open: OpenStore): void {
  it.effect("[ST4] refuses facts that do not fit each other whole, and nothing of their neighbours", () =>
    Effect.gen(function* () {
      const store = yield* open
      const other = yield* open
      yield* talked(store)
      const lines = yield* linesOf(store)
      for (const [index, [name, change]] of Object.entries(misfits).entries()) {
        const both = [take(other, change(lines)), other.commit(create(50 + index))] as const
        const [refused, made] = yield* Effect.all(both, { concurrency: "unbounded" })
        expect([name, refused.kind, made.kind]).toEqual([name, "refused", "created"])
        expect(yield* other.session(one)).toBeNull()
      }
      yield* sound(other)
    }),
  )
  it.effect("[ST4] refuses to show a blob of another Session that a bundle only names", () =>
    Effect.gen(function* () {
      const store = yield* open
      const other = yield* open
      yield* talked(store)
      const bytes = Buffer.from("a secret drawing")
      const hash = createHash("sha256").update(bytes).digest("hex")
      const token = yield* held(other)
      const keeps: Command = { ...append(1, token, []), blobs: [{ hash, bytes }] }
      yield* other.commit(keeps)
      const lines = (yield* linesOf(store)).map((line) => line.replaceAll("prm_1", "prm_77"))
      expect(yield* take(other, lines, { session: two, absent: [hash] })).toMatchObject({ kind: "refused" })
      expect(yield* other.session(two)).toBeNull()
    }),
  )
  it.effect("[ST4] brings blobs along, those in files too", () =>
    Effect.gen(function* () {
      const store = yield* open
      const other = yield* open
      yield* talked(store)
      const blobs = [Buffer.from("small"), Buffer.alloc(2_500_000, "x")]
      const [first = "", ...rest] = yield* linesOf(store)
      const pieces = blobs.flatMap((bytes) => {
        const hash = createHash("sha256").update(bytes).digest("hex")
        const size = bytes.length
        return [0, 1_000_000, 2_000_000].flatMap((at) => {
          const data = bytes.subarray(at, at + 1_000_000).toString("base64")
          return at < size ? [blobLine({ hash, size, at, data })] : []
        })
      })
      yield* take(other, [first, ...pieces, ...rest])
      for (const bytes of blobs) {
        const stored = yield* other.blob(createHash("sha256").update(bytes).digest("hex"))
        expect(stored?.byteLength).toBe(bytes.length)
        expect(Buffer.compare(stored ?? Buffer.alloc(0), bytes)).toBe(0)
      }
      yield* other.commit({ kind: "delete-session", session: one })
      expect(yield* other.blob(createHash("sha256").update("small").digest("hex"))).toBeNull()
    }),
  )
  it.effect("[ST4] what is settled ends in front of the boundary of a turn that runs", () =>
    Effect.gen(function* () {
      const store = yield* open
      expect(yield* store.settledSeq(one)).toBeNull()
      const token = yield* held(store, 1)
      yield* store.commit(append(1, token, answered.slice(0, 3)))
      expect(yield* store.settledSeq(one)).toBe(2)
      yield* store.commit(append(1, token, answered.slice(3)))
      expect(yield* store.settledSeq(one)).toBe(7)
    }),
  )
}
