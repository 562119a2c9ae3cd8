/** What `holdfast memory show` says of where a statement came from, and `holdfast embed` of what it did (MM1, SU4). */
import { expect, test } from "vitest"
import type { MemoryDetail, MemoryEvent } from "@holdfast/sdk"
import { embedText } from "../../src/search/embed.ts"
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
  event(14, { change: "updated", category: "NAMING", expiresAt: 60_000 }),
  event(15, { change: "updated", expiresAt: null, text: "The port is 3." }),
  event(20, { change: "restored", by: "person", place: null }),
  event(21, { change: "updated", by: "person", place: null, text: "The port is 2.", reason: "It was so." }),
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
1 min ago: changed by an agent, its category is NAMING now, it expires 1970-01-01T00:01:00.000Z
  in message #6 of Session "Ports"; open it with: holdfast show ${session} --around 6
1 min ago: changed by an agent, it expires no more: The port is 3.
  in message #6 of Session "Ports"; open it with: holdfast show ${session} --around 6
1 min ago: restored by a person
  outside of any Session
1 min ago: changed by a person: The port is 2. · It was so.
  outside of any Session
`)
})

test("[MM1 WS1] of what another project shares every id is one that opens here", () => {
  const merged = event(8, { change: "merged", by: "dreamer", place: null, others: ["m3", "m7"] })
  const theirs = { ...memory, supersedes: ["m3", "m7"], supersededBy: "m9" }
  const detail = { memory: theirs, history: [merged], project: "/shop web" } as unknown as MemoryDetail
  expect(memoryText({ paint: (_, text) => text }, detail, runs, 60_000, "@2")).toBe(`The port is 2.

m8@2 · CONFIG_VALUES · active
of /shop web, which shares it
said 4 times, found by searches of models once
takes the place of m3@2, m7@2
its place was taken by m9@2

1 min ago: merged by the dreamer (from m3@2, m7@2)
  in its run d3; open it with: cd '/shop web' && holdfast dream show d3
`)
})

test.each([
  [
    { done: 1 },
    { done: 2 },
    "1 text was embedded by small, 2 texts in the store. That was done on this machine, for $0.",
  ],
  [
    { done: 0 },
    { done: 2, model: "m@host" },
    "2 texts were embedded by m@host, 2 texts in the store. What its provider takes for that is not known.",
  ],
  [{ done: 0 }, { done: 0 }, "There is nothing to embed yet."],
  [{ done: 2 }, { done: 2 }, "Everything was embedded before: 2 texts in the store, by small."],
  [
    { done: 0 },
    { done: 1, due: 1, trouble: "It ended." },
    "1 text is not embedded yet by small: It ended. Repeat the command to go on.",
  ],
])("[SU4] embed says what it did, where, and what that cost: %j, then %j", (first, then, text) => {
  const state = { model: "small", sessions: 1, done: 0, due: 0, trouble: null }
  expect(embedText({ ...state, ...first }, { ...state, ...then })).toBe(text)
})
