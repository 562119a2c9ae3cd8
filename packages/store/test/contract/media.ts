/** Contract of images that come with prompts, and of messages that are taken out (LL7). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { MessageId } from "@holdfast/schema/id"
import type { Media } from "@holdfast/schema/media"
import type { Store } from "../../src/port.ts"
import {
  acquire,
  admit,
  append,
  contribute,
  contextUpdated,
  create,
  epochStarted,
  messageId,
  promoted,
  promptId,
  sessionId,
  textPart,
  partRecorded,
  turnSettled,
  turnStarted,
} from "../records.ts"
import { held, kindOf } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const session = sessionId(1)
const bytes = new Uint8Array([1, 2, 3])
const image = (digit: string, name = "a.png"): Media => ({
  hash: digit.repeat(64),
  mediaType: "image/png",
  bytes: bytes.length,
  width: 8,
  height: 6,
  name,
})
const withImage = (digit: string) => ({
  images: [image(digit)],
  blobs: [{ hash: digit.repeat(64), bytes }],
})

/** One prompt, one answer, and nobody at work. */
const answered = Effect.fnUntraced(function* (store: Store) {
  const token = yield* held(store, 1)
  const facts = [
    epochStarted("Base", "x"),
    promoted(1, 2),
    contextUpdated(1, "y"),
    turnStarted(1),
    partRecorded(1, 0, textPart("Said.")),
    turnSettled(1),
  ]
  yield* store.commit(append(1, token, facts, { release: "always" }))
  return token
})

export function mediaContract(open: OpenStore): void {
  it.effect("[LL7] keeps the images of a prompt with it, from the inbox to the message", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      yield* store.commit(admit(1, 1, withImage("a")))
      expect(yield* store.inbox(session)).toMatchObject([{ id: promptId(1), images: [image("a")] }])
      expect(yield* store.blob("a".repeat(64))).toEqual(bytes)
      const edit = { kind: "edit-prompt", session, time: 3, prompt: promptId(1), text: "other" } as const
      kindOf("edited", yield* store.commit(edit))
      expect(yield* store.inbox(session)).toMatchObject([{ text: "other", images: [image("a")] }])
      const { token } = kindOf("granted", yield* store.commit(acquire(1))).lease
      yield* store.commit(append(1, token, [promoted(1, 3)]))
      expect((yield* store.window(session))?.state.messages).toMatchObject([
        { text: "other", images: [image("a")] },
      ])
    }),
  )
  it.effect("[PR2] calls the same id with other images a conflict", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      yield* store.commit(admit(1, 1, withImage("a")))
      expect(yield* store.commit(admit(1, 1, withImage("a")))).toMatchObject({ repeated: true })
      for (const other of [{}, withImage("b")])
        expect(yield* store.commit(admit(1, 1, other))).toEqual({ kind: "conflict" })
    }),
  )
  it.effect("[PR2] knows a repeat by the image that was given, whatever bytes are stored for it", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* store.commit(create(1))
      const made = (digit: string, given: string) => ({
        images: [{ ...image(digit), given: given.repeat(64) }],
        blobs: [{ hash: digit.repeat(64), bytes }],
      })
      yield* store.commit(admit(1, 1, made("a", "c")))
      for (const same of [made("b", "c"), withImage("c")])
        expect(yield* store.commit(admit(1, 1, same))).toMatchObject({ repeated: true })
      expect(yield* store.commit(admit(1, 1, made("a", "d")))).toEqual({ kind: "conflict" })
      yield* store.rebuild()
      expect(yield* store.commit(admit(1, 1, made("b", "c")))).toMatchObject({ repeated: true })
    }),
  )
  it.effect("[ST3] gives the bytes of an image back with the last Session that shows it", () =>
    Effect.gen(function* () {
      const store = yield* open
      for (const n of [1, 2]) {
        yield* store.commit(create(n))
        yield* store.commit(admit(n, n, withImage("a")))
      }
      yield* store.commit({ kind: "delete-session", session })
      expect(yield* store.blob("a".repeat(64))).toEqual(bytes)
      yield* store.commit({ kind: "delete-session", session: sessionId(2) })
      expect(yield* store.blob("a".repeat(64))).toBeNull()
    }),
  )
}

export function quarantineContract(open: OpenStore): void {
  const takeOut = (message: MessageId) => contribute(1, { type: "message.quarantined", message }, 9)

  it.effect("[LL7] takes a message out once, durably, and shows in reads that it is", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* answered(store)
      for (const message of [messageId("p1"), messageId("t1")]) {
        const { seq } = kindOf("contributed", yield* store.commit(takeOut(message)))
        expect(yield* store.commit(takeOut(message))).toEqual({ kind: "contributed", seq, repeated: true })
        expect(yield* store.message(session, message)).toMatchObject({ quarantined: seq })
        const shown = (yield* store.window(session))?.state.messages.find(({ id }) => id === message)
        expect(shown).toMatchObject({ quarantined: seq })
      }
      yield* store.rebuild()
      expect((yield* store.inspect()).stale).toEqual([])
      const messages = (yield* store.window(session))?.state.messages
      expect(messages?.filter((message) => "quarantined" in message)).toHaveLength(2)
    }),
  )
  it.effect("[LL7] refuses to take out what is no message of a conversation", () =>
    Effect.gen(function* () {
      const store = yield* open
      expect(yield* store.commit(takeOut(messageId("p1")))).toEqual({ kind: "no-session" })
      yield* answered(store)
      for (const message of [messageId("nobody"), messageId("s1")])
        expect(yield* store.commit(takeOut(message))).toEqual({ kind: "refused", problem: "no-message" })
    }),
  )
  it.effect("[LL7] takes a message out while somebody is at work, who keeps the lease", () =>
    Effect.gen(function* () {
      const store = yield* open
      yield* answered(store)
      const { token } = kindOf("granted", yield* store.commit(acquire(1, 2))).lease
      expect(yield* store.commit(takeOut(messageId("p1")))).toMatchObject({ repeated: false })
      kindOf("appended", yield* store.commit(append(1, token, [turnStarted(2)])))
      expect(yield* store.message(session, messageId("p1"))).toHaveProperty("quarantined")
    }),
  )
  it.effect("keeps blobs small and large", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      const small = { hash: "aa11", bytes: new Uint8Array([1, 2, 3]) }
      const large = { hash: "bb22", bytes: new Uint8Array(3_000_000).fill(7) }
      yield* store.commit(append(1, token, [turnStarted(1)], { blobs: [small, large, small] }))
      expect(yield* store.blob("aa11")).toEqual(small.bytes)
      expect(Buffer.compare((yield* store.blob("bb22")) ?? new Uint8Array(), large.bytes)).toBe(0)
      expect(yield* store.blob("cc33")).toBeNull()
    }),
  )
}
