/** Live events of a Session that somebody joins in the middle, or falls behind of. */
import { expect, test } from "vitest"
import type { HoldfastClient, LiveEvent } from "@holdfast/sdk"
import { followLive } from "../src/conversation/following.ts"

const delta = (turn: string, index: number, text: string): LiveEvent =>
  ({ session: "ses_1", type: "text-delta", turn, index, text }) as LiveEvent

/** Streams of live events, one a subscription; the last of them ends. */
async function follow(joined: string | null, ...streams: readonly (readonly LiveEvent[])[]) {
  const left = [...streams]
  const subscribe = async function* () {
    yield* left.shift() ?? []
  }
  const shown: string[] = []
  const live = followLive(
    { events: { subscribe } } as unknown as HoldfastClient,
    "ses_1",
    joined,
    (event) => {
      if (event.type === "text-delta") shown.push(event.text)
    },
  )
  await live.ended
  await live.stop()
  return shown
}

test("a part that was open before is left to its durable event, later ones are shown", async () => {
  const stream = [
    delta("trn_a", 2, "lf"),
    delta("trn_a", 2, "!"),
    delta("trn_a", 3, "whole"),
    delta("trn_b", 2, "next"),
  ]
  expect(await follow("trn_a", stream)).toEqual(["whole", "next"])
  expect(await follow(null, stream)).toEqual(["lf", "!", "whole", "next"])
  expect(await follow("trn_old", stream)).toEqual(["lf", "!", "whole", "next"])
})

test("other Sessions are not shown", async () => {
  const other = { ...delta("trn_a", 0, "other"), session: "ses_2" } as LiveEvent
  expect(await follow(null, [other, delta("trn_a", 0, "mine")])).toEqual(["mine"])
})

test("[EV2] after a cut the stream is read again, without the part that was cut", async () => {
  const reason = { code: "reader_behind", message: "Too slow." }
  const first = [delta("trn_a", 0, "be"), { type: "cut-off", reason } as const]
  const second = [delta("trn_a", 0, "gun"), delta("trn_a", 1, "whole")]
  expect(await follow(null, first, second)).toEqual(["be", "whole"])
})

test("[TU4] says when nothing is missed any more, and when the stream is over", async () => {
  let connect = () => {}
  const ready = new Promise<void>((resolve) => (connect = resolve))
  let heard = false
  const subscribe = async function* () {
    await ready
    yield { type: "connected" }
  }
  const live = followLive({ events: { subscribe } } as unknown as HoldfastClient, "ses_1", null, () => {})
  void live.connected.then(() => (heard = true))
  await Promise.resolve()
  expect(heard).toBe(false)
  connect()
  await live.connected
  const never = { events: { subscribe: async function* () {} } } as unknown as HoldfastClient
  await followLive(never, "ses_1", null, () => {}).connected
})
