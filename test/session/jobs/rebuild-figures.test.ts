/** What `rebuild` says of a Session of which only a part was made anew, and what its model reads of that part (HI7, SU4). */
import { afterEach, expect, test } from "vitest"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const price = { input: 1, output: 10, cacheRead: 1, cacheWrite: 1 }

function folded(historian: readonly "historian"[], prompts = 40): SessionId {
  stage = new Stage({ contextTokens: 20_000, price, historian })
  const session = stage.create()
  for (let n = 0; n < prompts; n++) stage.converse(session, `Prompt ${n} ${"word ".repeat(2_800)}`)
  stage.pass(60_000)
  return session
}
const writes = (view: RequestView): Reply => {
  const last = Number(/ordinals 1 to (\d+)/.exec(JSON.stringify(view.messages))?.[1])
  const part = `<part from="1" to="${last}" title="Anew" importance="60" kind="change"><p1>Told anew.</p1></part>`
  return { blocks: [{ type: "text", text: `<history>${part}<next>${last + 1}</next></history>` }] }
}
const compartments = (session: SessionId) => [
  ...(stage.ask((_, store) => store.window(session))?.state.items.compartments.values() ?? []),
]

test("[HI7 SU4] it counts the messages of what it wrote, and not again those of what stayed", () => {
  const session = folded([])
  const [first, ...rest] = compartments(session).toSorted((a, b) => a.fromSeq - b.fromSeq)
  expect(rest.length).toBeGreaterThan(0)
  const all = stage.messages(session).filter(({ seq }) => seq <= (rest.at(-1)?.toSeq ?? 0)).length
  const part = stage.ask((runtime) => runtime.rebuild(session, { toSeq: first?.toSeq }))
  const others = stage.ask((runtime) => runtime.rebuild(session, {}))
  expect([part.ranges, others.unchanged]).toEqual([1, 1])
  expect(part.messages).toBeGreaterThan(0)
  expect(part.messages + others.messages).toBe(all)
})

test("[HI7 SU4] parts that the model wrote before count among those that there are behind it", () => {
  const session = folded(["historian"], 8)
  stage.historianReply = writes
  stage.ask((runtime) => runtime.rebuild(session, {}))
  const again = stage.ask((runtime) => runtime.rebuild(session, {}))
  const parts = compartments(session).length
  expect(again).toMatchObject({ ranges: 0, compartmentsBefore: parts, compartmentsAfter: parts })
})
