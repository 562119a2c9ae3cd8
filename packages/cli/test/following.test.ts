/** Live events of a Session that somebody joins in the middle, or falls behind of. */
import { expect, test } from "vitest"
import type { HoldfastClient, LiveEvent } from "@holdfast/sdk"
import { followLive } from "../src/conversation/following.ts"

const delta = (index: number, text: string, offset = 0): LiveEvent => ({
  session: "ses_1",
  type: "text-delta",
  turn: "trn_a",
  index,
  text,
  offset,
})
const soFar = (index: number, text: string): LiveEvent => ({
  session: "ses_1",
  type: "open-part",
  turn: "trn_a",
  index,
  part: "text",
  text,
})

/** Streams of live events, one a subscription; the last of them ends. */
async function follow(...streams: readonly (readonly LiveEvent[])[]) {
  const left = [...streams]
  const asked: unknown[] = []
  const subscribe = async function* (input: unknown) {
    asked.push(input)
    yield* left.shift() ?? []
  }
  const shown: string[] = []
  const live = followLive({ events: { subscribe } } as unknown as HoldfastClient, "ses_1", (event) => {
    if (event.type === "text-delta") shown.push(event.text)
  })
  await live.ended
  await live.stop()
  expect(asked).toEqual(streams.map(() => ({ sessionID: "ses_1" })))
  return shown
}

test("[EV2] whoever comes in the middle of a part is shown what came before", async () => {
  expect(await follow([soFar(2, "ha"), delta(2, "lf", 2), delta(3, "whole")])).toEqual(["ha", "lf", "whole"])
})

test("[EV2] after a cut the stream is read again, and nothing is shown twice", async () => {
  const reason = { code: "reader_behind", message: "Too slow." }
  const first = [delta(0, "be"), { type: "cut-off", reason } as const]
  const second = [soFar(0, "begun"), delta(0, " well", 5)]
  expect(await follow(first, second)).toEqual(["be", "gun", " well"])
})

test("[TU4] says when nothing is missed any more, and when the stream is over", async () => {
  let connect = () => {}
  const ready = new Promise<void>((resolve) => (connect = resolve))
  let heard = false
  const subscribe = async function* () {
    await ready
    yield { type: "connected" }
  }
  const live = followLive({ events: { subscribe } } as unknown as HoldfastClient, "ses_1", () => {})
  void live.connected.then(() => (heard = true))
  await Promise.resolve()
  expect(heard).toBe(false)
  connect()
  await live.connected
  const never = { events: { subscribe: async function* () {} } } as unknown as HoldfastClient
  await followLive(never, "ses_1", () => {}).connected
})
