/** Input that is refused, and ids that lead nowhere: typed, without a trace in the log. */
import { mkdirSync, rmSync } from "node:fs"
import type { Effect } from "effect"
import { describe, expect, test } from "vitest"
import type { Runtime } from "@holdfast/core/runtime"
import { promptBytesMax } from "@holdfast/schema/prompt"
import { goodAnswer, withBench } from "./bench.ts"

interface BadText {
  readonly name: string
  readonly text: string
  readonly code: "empty" | "too_long" | "lone_surrogate" | "nul"
  readonly says: RegExp
}

const badTexts: readonly BadText[] = [
  { name: "nothing", text: "", code: "empty", says: /empty/ },
  { name: "blanks", text: " \t\r\n\u00a0\u2003\ufeff", code: "empty", says: /empty/ },
  {
    name: "one byte too many",
    text: "x".repeat(promptBytesMax + 1),
    code: "too_long",
    says: /1048577 bytes.*1048576.*1 MiB/,
  },
  {
    name: "too many bytes in few characters",
    text: "€".repeat(promptBytesMax / 3 + 1),
    code: "too_long",
    says: /1 MiB/,
  },
  { name: "a NUL", text: "abc\u0000def", code: "nul", says: /position 3\b/ },
  { name: "a NUL at the start", text: "\u0000", code: "nul", says: /position 0\b/ },
  { name: "the first half of a pair", text: "ab\ud83d", code: "lone_surrogate", says: /position 2\b/ },
  { name: "the second half of a pair", text: "😀\udc00x", code: "lone_surrogate", says: /position 2\b/ },
  { name: "two first halves", text: "\ud83d\ud83d\ude00", code: "lone_surrogate", says: /position 0\b/ },
]

describe("a prompt", () => {
  for (const { name, text, code, says } of badTexts) {
    test(`of ${name} is refused with ${code}, says where, and leaves no trace`, () =>
      withBench((bench) => {
        const { runtime } = bench
        const session = bench.newSession()
        const kept = bench.ok(
          runtime.prompt({ sessionID: session, id: "kept", text: "Keep me.", resume: false }),
        )
        for (const refused of [
          runtime.prompt({ sessionID: session, text }),
          runtime.edit(session, kept.prompt, text),
        ]) {
          const failure = bench.fails<unknown, unknown>(refused)
          expect(failure).toMatchObject({ _tag: "PromptRefused", code })
          expect((failure as Error).message).toMatch(says)
        }
        expect(bench.ok(runtime.get(session)).seq).toBe(kept.admittedSeq)
        expect(bench.ok(runtime.inbox(session))).toMatchObject([{ id: "kept", text: "Keep me." }])
        expect(bench.requests).toBe(0)
        expect(bench.say(session, "Well?")).toEqual({ kind: "done" })
        expect(bench.transcript(session)).toEqual(["Keep me.", "Well?", goodAnswer])
      }))
  }

  for (const [name, text] of [
    ["exactly 1 MiB", "x".repeat(promptBytesMax)],
    ["exactly 1 MiB in wide characters", "😀".repeat(promptBytesMax / 4)],
    ["controls and odd spaces", "\u0001\u001b[31m\u007f\u200b\u2028\ufffe\uffff\u0085"],
  ] as const) {
    test(`[PR1] of ${name} is admitted and stored as it is`, () =>
      withBench((bench) => {
        const session = bench.newSession()
        bench.ok(bench.runtime.prompt({ sessionID: session, id: "odd", text, resume: false }))
        bench.stop()
        bench.start()
        expect(bench.ok(bench.runtime.inbox(session))[0]?.text).toBe(text)
      }))
  }

  test("[TU6] larger than the window fails its turn with window_exceeded, sends nothing, and the next one works", () =>
    withBench((bench) => {
      const session = bench.newSession()
      const end = bench.say(session, "x".repeat(promptBytesMax))
      expect(end).toMatchObject({ kind: "failed", reason: { code: "window_exceeded" } })
      expect(bench.settlements(session)).toMatchObject([
        { status: "failed", reason: { code: "window_exceeded" } },
      ])
      expect(bench.requests).toBe(0)
      expect(bench.say(session, "Shorter.")).toEqual({ kind: "done" })
    }))

  test("[PR2] with an id that was used before is a conflict unless it is the same prompt", () =>
    withBench((bench) => {
      const { runtime } = bench
      const [session, other] = [bench.newSession(), bench.newSession()]
      const prompt = { sessionID: session, id: "once", text: "Do it.", resume: false } as const
      const receipt = bench.ok(runtime.prompt(prompt))
      expect(bench.ok(runtime.prompt(prompt))).toEqual(receipt)
      for (const changed of [
        { ...prompt, text: "Do it!" },
        { ...prompt, sessionID: other },
        { ...prompt, delivery: "queue" as const },
      ]) {
        expect(bench.fails(runtime.prompt(changed))).toMatchObject({ _tag: "PromptConflict", prompt: "once" })
      }
      expect(bench.ok(runtime.inbox(session))).toHaveLength(1)
      expect(bench.ok(runtime.inbox(other))).toHaveLength(0)
    }))
})

const unknownSession = "ses_00000000000000000000"

const badSessionIds = [
  "",
  "ses_",
  "ses_ABC",
  "ses_../../x",
  "msg_0000",
  "ses_0'; DROP TABLE event; --",
  "ses_\u0000",
  `ses_${"0".repeat(41)}`,
]
const badPromptIds = ["", " ", "-a", "a b", "a/b", "ü", "a\n", "x".repeat(129)]

/** Every call that takes the id of a Session. `settled` is local knowledge, so it knows no unknown one. */
const bySession: Readonly<Record<string, (runtime: Runtime, id: string) => Effect.Effect<unknown, unknown>>> =
  {
    get: (runtime, id) => runtime.get(id),
    remove: (runtime, id) => runtime.remove(id),
    prompt: (runtime, id) => runtime.prompt({ sessionID: id, text: "Hello." }),
    inbox: (runtime, id) => runtime.inbox(id),
    edit: (runtime, id) => runtime.edit(id, "prm_1", "Hello."),
    cancel: (runtime, id) => runtime.cancel(id, "prm_1"),
    messages: (runtime, id) => runtime.messages(id, { afterSeq: 0, limit: 10 }),
    events: (runtime, id) => runtime.events(id, 0, 10, true),
    turns: (runtime, id) => runtime.turns(id),
    verify: (runtime, id) => runtime.verify(id),
    interrupt: (runtime, id) => runtime.interrupt(id),
    resume: (runtime, id) => runtime.resume(id),
    result: (runtime, id) => runtime.result(id),
  }

describe("an id", () => {
  for (const [name, ask] of Object.entries(bySession)) {
    test(`of no Session is answered by ${name} with SessionNotFound, a malformed one with InvalidId`, () =>
      withBench((bench) => {
        const message = expect.stringContaining("holdfast sessions")
        expect(bench.fails(ask(bench.runtime, unknownSession))).toMatchObject({
          _tag: "SessionNotFound",
          session: unknownSession,
          message,
        })
        for (const value of badSessionIds) {
          expect(bench.fails(ask(bench.runtime, value))).toMatchObject({ _tag: "InvalidId", value, message })
        }
      }))
  }

  test("that is malformed is answered by settled with InvalidId, one of no Session with nothing", () =>
    withBench((bench) => {
      expect(bench.settled(unknownSession)).toBeNull()
      for (const value of badSessionIds) {
        expect(bench.fails(bench.runtime.settled(value))).toMatchObject({ _tag: "InvalidId", value })
      }
    }))

  test("of a prompt is typed when malformed, unknown, of another Session, or no longer pending", () =>
    withBench((bench) => {
      const { runtime } = bench
      const [session, other] = [bench.newSession(), bench.newSession()]
      for (const value of badPromptIds) {
        for (const ask of [
          runtime.prompt({ sessionID: session, id: value, text: "Hello." }),
          runtime.edit(session, value, "Hello."),
          runtime.cancel(session, value),
        ]) {
          expect(bench.fails<unknown, unknown>(ask)).toMatchObject({ _tag: "InvalidId", value })
        }
      }
      bench.ok(runtime.prompt({ sessionID: other, id: "other", text: "Hello.", resume: false }))
      for (const value of ["nobody", "other"]) {
        expect(bench.fails(runtime.edit(session, value, "x"))).toMatchObject({ _tag: "PromptNotFound" })
        expect(bench.fails(runtime.cancel(session, value))).toMatchObject({ _tag: "PromptNotFound" })
      }
      bench.ok(runtime.prompt({ sessionID: session, id: "done", text: "Hello." }))
      bench.settled(session)
      const gone = { _tag: "PromptNotPending", state: "promoted" }
      expect(bench.fails(runtime.edit(session, "done", "x"))).toMatchObject(gone)
      expect(bench.fails(runtime.cancel(session, "done"))).toMatchObject(gone)
      expect(bench.fails(runtime.resume(session))).toMatchObject({ _tag: "NothingOwed", session })
    }))

  test("of a model that is not there, or a directory, refuses a new Session", () =>
    withBench((bench) => {
      const { project, runtime } = bench
      const model = { provider: "sim", model: "nobody" }
      expect(bench.fails(runtime.create({ directory: project, model }))).toMatchObject({
        _tag: "ModelNotFound",
      })
      const directory = `${project}/nowhere`
      expect(bench.fails(runtime.create({ directory }))).toMatchObject({ _tag: "LocationMissing", directory })
      expect(bench.ok(runtime.list({ limit: 10 }))).toEqual([])
    }))
})

describe("a directory that was deleted", () => {
  test("[PR1 EP2] blocks the turn with location_missing, keeps the prompt, and a resume works once it is back", () =>
    withBench((bench) => {
      const { project, runtime } = bench
      const session = bench.newSession()
      bench.say(session, "Before.")
      rmSync(project, { recursive: true })
      const receipt = bench.ok(runtime.prompt({ sessionID: session, text: "Meanwhile." }))
      expect(receipt.state).toBe("pending")
      const blocked = { kind: "blocked", reason: { code: "location_missing" } }
      expect(bench.settled(session)).toMatchObject(blocked)
      expect(bench.requests).toBe(1)
      const { status, seq } = bench.ok(runtime.get(session))
      expect(status).toMatchObject({ state: "blocked", pending: 1, reason: { code: "location_missing" } })
      expect(status.reason?.message).toContain(project)
      bench.ok(runtime.resume(session))
      expect(bench.settled(session)).toMatchObject(blocked)
      // Still blocked for the same reason: nothing new to say.
      expect(bench.ok(runtime.get(session)).seq).toBe(seq)
      mkdirSync(project)
      bench.ok(runtime.resume(session))
      expect(bench.settled(session)).toEqual({ kind: "done" })
      expect(bench.transcript(session)).toEqual(["Before.", goodAnswer, "Meanwhile.", goodAnswer])
      expect(bench.ok(runtime.get(session)).status).toMatchObject({ state: "idle", pending: 0, reason: null })
    }))
})
