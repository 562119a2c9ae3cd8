/** The list of asks, a page at a time: oldest first, also where several were raised at the same moment. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Ask } from "@holdfast/schema/instance/ask"
import { makeCursors } from "../../src/page/cursor.ts"
import { type ListedRuntime, makeLists } from "../../src/page/lists.ts"

const ask = (id: string, raisedAt: number, raisedSeq: number): Ask => ({
  id: id as Ask["id"],
  session: "ses_1" as Ask["session"],
  raisedAt,
  raisedSeq,
  kind: "permission",
  question: "Allow it?",
  resources: [],
  rule: null,
  agent: "build",
  options: [],
  call: null,
})

test("[PE5] asks of one moment are listed in the order of their calls, and pages go on behind an answered one", async () => {
  let open = [ask("ask_b", 20, 9), ask("ask_z", 10, 3), ask("ask_c", 10, 4), ask("ask_a", 10, 12)]
  const runtime = { asks: () => Effect.succeed(open) } as unknown as ListedRuntime
  const lists = makeLists(runtime, makeCursors("secret"))
  const page = (cursor?: string) =>
    Effect.runPromise(lists.asks(cursor === undefined ? { limit: 2 } : { cursor }))
  const first = await page()
  expect(first.items.map(({ id }) => id)).toEqual(["ask_z", "ask_c"])
  open = open.filter(({ id }) => id !== "ask_c")
  const second = await page(first.next ?? "")
  expect(second.items.map(({ id }) => id)).toEqual(["ask_a", "ask_b"])
})
