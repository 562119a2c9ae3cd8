/** Which versions of files a Session knows, from its settlements. */
import { expect, test } from "vitest"
import type { FactOf } from "../src/event.ts"
import { CallId, MessageId, TurnId } from "../src/id.ts"
import { filesMax, type FileVersion, knowFiles } from "../src/state/files.ts"

const settled = (more: Partial<FactOf<"call.settled">>): FactOf<"call.settled"> => ({
  type: "call.settled",
  turn: TurnId.make("trn_1"),
  message: MessageId.make("msg_1"),
  call: CallId.make("call_1"),
  outcome: { state: "done", output: "", truncated: null, errorCode: null },
  effects: [],
  added: [],
  tokens: 0,
  ...more,
})
const none: ReadonlyMap<string, FileVersion> = new Map()
const effect = { mode: null, before: null } as const

test("[TL5] a Session knows what it read, what it left, what it took away and where it moved a file", () => {
  const read = knowFiles(none, 1, settled({ seen: [{ path: "/a", hash: "1" }] }))
  const changed = knowFiles(
    read,
    2,
    settled({
      effects: [
        { ...effect, path: "/a", kind: "modified", after: "2" },
        { ...effect, path: "/c", kind: "moved", from: "/b", after: "3" },
        { ...effect, path: "/d", kind: "deleted", after: null },
      ],
    }),
  )
  expect(Object.fromEntries(changed)).toEqual({
    "/a": { hash: "2", seq: 2 },
    "/b": { hash: null, seq: 2 },
    "/c": { hash: "3", seq: 2 },
    "/d": { hash: null, seq: 2 },
  })
  expect(knowFiles(changed, 3, settled({}))).toBe(changed)
})

test("[TL5] the oldest are forgotten, so that what is known stays small", () => {
  let files = none
  for (let seq = 1; seq <= filesMax + 10; seq += 1)
    files = knowFiles(files, seq, settled({ seen: [{ path: `/${seq}`, hash: "h" }] }))
  expect([files.size, files.has("/10"), files.has("/11")]).toEqual([filesMax, false, true])
})
