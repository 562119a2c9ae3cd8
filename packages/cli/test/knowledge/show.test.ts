/** `holdfast memory show` says plainly where a statement came from: who, which message, which Session (MM1). */
import { expect, test } from "vitest"
import type { MemoryDetail, MemoryEvent } from "@holdfast/sdk"
import { memoryText } from "../../src/memory/show.ts"

const session = "ses_0123456789abcdefghjk"
const place = { session, title: "Ports", exists: true, messages: [6] }
const event = (seq: number, more: object): MemoryEvent =>
  ({
    seq,
    time: 0,
    change: "seen",
    by: "agent",
    place,
    text: null,
    category: null,
    reason: null,
    others: [],
    ...more,
  }) as MemoryEvent

const history = [
  event(8, { change: "written", text: "The port is 1." }),
  event(9, { by: "historian", place: { ...place, messages: [4, 12] } }),
  event(10, { place: { ...place, title: null, messages: [] } }),
  event(11, { place: { ...place, exists: false } }),
  event(13, { change: "archived", by: "dreamer", place: null, reason: "The file is gone." }),
  event(20, { change: "restored", by: "person", place: null }),
]
const memory = {
  id: "m8",
  category: "CONFIG_VALUES",
  text: "The port is 2.",
  status: "active",
  seen: 4,
  uses: 1,
  expiresAt: null,
  supersedes: [],
  supersededBy: null,
  reason: null,
}
const runs = [{ run: "d19" }, { run: "d12" }, { run: "d3" }] as never

test("[MM1] each change of a memory names who made it, and the message, Session or run that it was made in", () => {
  const detail = { memory, history } as unknown as MemoryDetail
  expect(memoryText({ paint: (_, text) => text }, detail, runs, 60_000)).toBe(`The port is 2.

m8 · CONFIG_VALUES · active
said 4 times, found by searches of models once

1 min ago: written by an agent: The port is 1.
  in message #6 of Session "Ports"; open it with: holdfast show ${session} --around 6
1 min ago: said again by the historian
  in messages #4, #12 of Session "Ports"; open it with: holdfast show ${session} --around 4
1 min ago: said again by an agent
  in Session ${session}; open it with: holdfast show ${session}
1 min ago: said again by an agent
  in Session ${session}, which was deleted
1 min ago: archived by the dreamer: The file is gone.
  in its run d12; open it with: holdfast dream show d12
1 min ago: restored by a person
  outside of any Session
`)
})
