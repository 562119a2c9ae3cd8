/** Contract of search: what is found, from when on, and what never is (SE1, SE2). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { phraseOfStops } from "@holdfast/schema/search/stop-chains"
import { searchWords, spokenWords } from "@holdfast/schema/search/words"
import type { SearchQuestion, Store } from "../../src/port.ts"
import {
  acquire,
  admit,
  append,
  callPart,
  callSettled,
  callStarted,
  contextUpdated,
  contribute,
  historyPublished,
  create,
  epochStarted,
  fork,
  messageId,
  partRecorded,
  promoted,
  sessionId,
  textPart,
  turnSettled,
  turnStarted,
} from "../records.ts"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const session = sessionId(1)

const found = (store: Store, text: string, more: Partial<SearchQuestion> = {}) =>
  Effect.map(
    store.search({
      words: searchWords(text),
      phrases: [{ words: searchWords(text) }],
      projectRoot: null,
      limit: 20,
      ...more,
    }),
    ({ hits }) => hits,
  )

const seqs = (store: Store, text: string, more: Partial<SearchQuestion> = {}) =>
  Effect.map(found(store, text, more), (hits) => hits.map(({ seq }) => seq))

/** A question at 4 and its answer at 6, with a call at 7 and its output at 9. */
const talked = Effect.fnUntraced(function* (store: Store) {
  yield* store.commit(create(1))
  yield* store.commit(admit(1, 1, { text: "Why does parseHTTPHeader fail on src/wire/head.ts?" }))
  const { token } = kindOf("granted", yield* store.commit(acquire(1))).lease
  yield* store.commit(append(1, token, [epochStarted("zebra baseline", "x"), promoted(1, 2)]))
  yield* store.commit(
    append(1, token, [
      turnStarted(1),
      partRecorded(1, 0, textPart("The colon is missing.")),
      partRecorded(1, 1, callPart(1)),
      callStarted(1, 1),
      callSettled(1, 1),
      turnSettled(1),
      contextUpdated(1, "giraffe"),
    ]),
  )
  return token
})

export function searchContract(open: OpenStore): void {
  foundContract(open)
  behindContract(open)
  pieceContract(open)
  textContract(open)
  leftOutContract(open)
}

function foundContract(open: OpenStore): void {
  it.effect("[SE2] finds what was said as soon as its commit has resolved, and not what waits", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* talked(store)
      expect(yield* found(store, "missing colon")).toMatchObject([
        { session, seq: 6, messageSeq: 5, author: "assistant" },
        { session, seq: 7, author: "call" },
        { session, author: "user" },
      ])
      yield* store.commit(admit(1, 2, { text: "Mend the walrus." }))
      expect(yield* seqs(store, "walrus")).toEqual([])
      const at = (yield* store.session(session))?.seq ?? 0
      yield* store.commit(append(1, token, [promoted(2, at)]))
      expect((yield* seqs(store, "walrus"))[0]).toBe(at + 1)
    }),
  )
  it.effect("[SE1] finds a name by its parts and whole, and a path by its file", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      for (const text of [
        "parseHTTPHeader",
        "http header",
        "parse_http_header",
        "head.ts",
        "src/wire/head.ts",
      ])
        expect((yield* seqs(store, text))[0]).toBe(4)
    }),
  )
  it.effect("[SE1] finds a phrase, however many messages hold its words in another order", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* talked(store)
      const others = Array.from(
        { length: 80 },
        (_, n) => `In ${n} the violet and then a marmot, twice violet marmot.`,
      )
      const texts = ["Here the marmot violet stands as a phrase.", ...others]
      yield* store.commit(
        append(1, token, [
          turnStarted(2),
          ...texts.map((text, at) => partRecorded(2, at, textPart(text))),
          turnSettled(2),
        ]),
      )
      const [first, ...rest] = yield* found(store, "marmot violet")
      expect(first).toMatchObject({ exact: true })
      const [record] = yield* store.units(first === undefined ? [] : [first])
      expect(record?.text).toBe(texts[0])
      expect(rest.filter(({ exact }) => exact)).toEqual([])
    }),
  )
}

/** As a question that is in quotes and has stop words alone. */
const ofStops = (text: string): Pick<SearchQuestion, "words" | "phrases"> => ({
  words: phraseOfStops(text),
  phrases: [{ words: phraseOfStops(text), all: spokenWords(text) }],
})

/** Lines as of a program's log, with a name of its own in each hundredth. */
const longOutput = (characters: number): { readonly text: string; readonly planted: readonly string[] } => {
  const planted: string[] = []
  let text = ""
  for (let line = 0; text.length < characters; line++) {
    const name = `plantedName${line}`
    if (line % 100 === 0) planted.push(name)
    text += line % 100 === 0 ? `at ${line} ms ${name} was met\n` : `${line} items of the queue were read\n`
  }
  return { text, planted }
}

function behindContract(open: OpenStore): void {
  it.effect("[SE1 SE2] finds what a model wrote of a stretch, at the messages that it stands for", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      const { by: _, compartments, ...published } = historyPublished(1, 6)
      const [part] = compartments
      const tiers = ["the pelican was fed", "", "", ""] as const
      const written = compartments.map((one) => ({ ...one, tiers }))
      yield* store.commit(contribute(1, { ...published, by: "model", compartments: written }))
      const [hit] = yield* found(store, "pelican")
      expect(hit).toMatchObject({ author: "summary", messageSeq: part?.fromSeq })
    }),
  )
  it.effect("[SE2] leaves out nothing of many commits that a search comes right behind", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* talked(store)
      const many = Array.from({ length: 600 }, (_, n) => n)
      yield* Effect.forEach(
        many,
        (n) =>
          store.commit(
            append(1, token, [partRecorded(1, 10 + n, textPart(`the heron of day d${n}x counts`))]),
          ),
        { concurrency: "unbounded" },
      )
      const { hits, unindexed } = yield* store.search({
        words: ["heron"],
        phrases: [],
        projectRoot: null,
        limit: 700,
      })
      expect({ hits: hits.filter(({ score }) => score > 0).length, unindexed }).toEqual({
        hits: many.length,
        unindexed: 0,
      })
    }),
  )
}

function pieceContract(open: OpenStore): void {
  it.effect("[SE1] finds a phrase that has stop words alone, as it stands", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* talked(store)
      const at = (yield* store.session(session))?.seq ?? 0
      const texts = [
        "Not to be: or to be it was.",
        "He asks “To be, or not to be” of us.",
        "To be or to not be, or not so to be.",
        "To be or not. Walrus, be or not to walrus, or not to be.",
      ]
      const parts = texts.map((text, part) => partRecorded(2, part, textPart(text)))
      yield* store.commit(append(1, token, [turnStarted(2), ...parts, turnSettled(2)]))
      const hits = yield* found(store, "", ofStops("to be or not to be"))
      expect(hits.filter(({ exact }) => exact).map(({ seq }) => seq)).toEqual([at + 3])
      expect(hits[0]).toMatchObject({ seq: at + 3 })
      expect(yield* found(store, "", ofStops("whom each of us"))).toEqual([])
    }),
  )
  it.effect(
    "[SE1] finds a phrase with its stop words, and none where other ones stand between its words",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        const token = yield* talked(store)
        const at = (yield* store.session(session))?.seq ?? 0
        const texts = ["A walrus and heron.", "It was: the Walrus, in the heron.", "One walrus heron."]
        const parts = texts.map((text, part) => partRecorded(2, part, textPart(text)))
        yield* store.commit(append(1, token, [turnStarted(2), ...parts, turnSettled(2)]))
        const phrase = { words: searchWords("walrus in the heron"), all: spokenWords("walrus in the heron") }
        const hits = yield* found(store, "walrus heron", { phrases: [phrase] })
        expect(hits.filter(({ exact }) => exact).map(({ seq }) => seq)).toEqual([at + 3])
        expect(hits[0]).toMatchObject({ seq: at + 3, said: { text: texts[1] } })
      }),
  )
  it.effect("[SE1 SE2] finds all of a long text at once, at its message, by the piece that holds it", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* talked(store)
      const at = (yield* store.session(session))?.seq ?? 0
      const { text, planted } = longOutput(200_000)
      const settled = callSettled(2, 2)
      yield* store.commit(
        append(1, token, [
          turnStarted(2),
          partRecorded(2, 0, callPart(2)),
          callStarted(2, 2),
          { ...settled, outcome: { ...settled.outcome, output: text } },
          turnSettled(2),
        ]),
      )
      for (const name of [...planted, text.slice(-30, -1)]) {
        const [first] = yield* found(store, name)
        expect(first).toMatchObject({ exact: true, seq: at + 4, messageSeq: at + 1, author: "output" })
        const [record] = yield* store.units(first === undefined ? [] : [first])
        expect(record?.text).toContain(name)
        expect(record?.text.length).toBeLessThan(20_000)
      }
    }),
  )
}

function textContract(open: OpenStore): void {
  it.effect("[SE1] takes operators, quotes and pictures for text, however long", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      for (const text of [
        '"',
        "AND OR NOT",
        "NEAR(a b)",
        "own:colon*",
        "^colon - (",
        "🎉",
        "colon ".repeat(2_000),
      ])
        expect(Array.isArray(yield* seqs(store, text))).toBe(true)
      expect((yield* seqs(store, "own : colon*"))[0]).toBe(6)
    }),
  )
  it.effect("[MM2] finds no Baseline and no update, which are nobody's words", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      expect(yield* seqs(store, "zebra")).toEqual([])
      expect(yield* seqs(store, "giraffe")).toEqual([])
    }),
  )
  it.effect("[SE1] tells the units behind a hit, and which holds the phrase as it was asked for", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      const hits = yield* found(store, "colon is missing")
      expect(hits.map(({ exact }) => exact)).toEqual([true, false, false])
      expect(hits[0]?.after).toBe(hits[1]?.unit)
      expect(hits[1]).toMatchObject({ secondAfter: null })
    }),
  )
}

function leftOutContract(open: OpenStore): void {
  it.effect("[SE1] leaves out other projects, other Sessions, what is shown, and what was taken out", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      expect(yield* seqs(store, "colon", { projectRoot: "/other" })).toEqual([])
      expect((yield* seqs(store, "colon", { projectRoot: "/work" }))[0]).toBe(6)
      expect(yield* seqs(store, "colon", { session: sessionId(2) })).toEqual([])
      const shown = { from: 5, kept: new Set<number>() }
      expect(yield* seqs(store, "colon", { unless: { session, shown } })).toEqual([])
      const dropped = new Set([5])
      expect((yield* seqs(store, "colon", { unless: { session, shown, dropped } }))[0]).toBe(6)
      expect((yield* seqs(store, "parseHTTPHeader", { unless: { session, shown } }))[0]).toBe(4)
      const kept = { from: 5, kept: new Set([4]) }
      expect(yield* seqs(store, "parseHTTPHeader", { unless: { session, shown: kept } })).not.toContain(4)
      yield* store.commit(contribute(1, { type: "message.quarantined", message: messageId("p1") }, 9))
      expect(yield* seqs(store, "parseHTTPHeader")).not.toContain(4)
    }),
  )
  it.effect("[SE2 ST3] has a fork's words too, and none of a Session that is deleted", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* talked(store)
      kindOf("forked", yield* store.commit(fork(2, 1)))
      expect((yield* found(store, "missing colon", { session: sessionId(2) }))[0]).toMatchObject({ seq: 6 })
      yield* store.commit({ kind: "release", session, token, whenIdle: false })
      yield* store.commit({ kind: "delete-session", session })
      expect(new Set((yield* found(store, "missing colon")).map((hit) => hit.session))).toEqual(
        new Set([sessionId(2)]),
      )
    }),
  )
  it.effect("[SE2] finds the same after a rebuild, and reads each text as it was recorded", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* talked(store)
      const before = yield* seqs(store, "missing colon")
      yield* store.rebuild()
      expect(yield* seqs(store, "missing colon")).toEqual(before)
      const units = yield* store.units([
        { session, seq: 6, idx: 0 },
        { session, seq: 99, idx: 0 },
        { session: sessionId(9), seq: 6, idx: 0 },
      ])
      expect(units).toMatchObject([{ session, seq: 6, text: "The colon is missing.", time: 3_000 }])
    }),
  )
  it.effect("[SE1] searches no job", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* held(store)
      const job = create(2)
      yield* store.commit({ ...job, fact: { ...job.fact, kind: "job", parent: { session, call: null } } })
      yield* store.commit(admit(2, 2, { text: "Summarise the walrus." }))
      const { token } = kindOf("granted", yield* store.commit(acquire(2))).lease
      yield* store.commit(append(2, token, [promoted(2, 2)]))
      expect(yield* seqs(store, "walrus")).toEqual([])
    }),
  )
}
