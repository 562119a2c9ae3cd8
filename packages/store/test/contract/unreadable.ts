/** Contract of commands that would write what nobody could read again: nothing of them happens. */
import { inputId } from "@holdfast/schema/state/state"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Command } from "../../src/port.ts"
import {
  admit,
  append,
  callPart,
  create,
  partRecorded,
  promptId,
  sessionId,
  turnStarted,
} from "../records.ts"
import { held } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const session = sessionId(1)
const update = { kind: "contribute", session, time: 5 } as const

const fork = {
  kind: "fork-session",
  session: sessionId(2),
  time: 5,
  source: session,
  message: null,
  title: null,
  prompts: promptId(9),
} as const
const workspace = { kind: "change-workspace", name: "shop", time: 5 } as const
const jobSettled = {
  type: "job.settled",
  job: sessionId(3),
  kind: "title",
  outcome: "done",
  reason: null,
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  cost: 0,
} as const

const commands = (token: number): readonly (readonly [name: string, command: unknown])[] => [
  ["a delivery that is none", admit(1, 2, { delivery: "later" as never })],
  ["a prompt without text", admit(1, 2, { text: undefined as never })],
  ["an id that is none", admit(1, "no id")],
  ["images that are none", admit(1, 2, { images: [{ hash: 1 }] as never })],
  ["an edit without text", { kind: "edit-prompt", session, time: 5, prompt: promptId(1), text: 7 }],
  ["a policy that is none", { ...create(2), fact: { ...create(2).fact, policy: "ignore" } }],
  ["a title that is none", { ...update, fact: { type: "session.updated", title: 7 } }],
  ["a model that is none", { ...update, fact: { type: "session.updated", model: "a/b" } }],
  ["a message that is none", { ...update, fact: { type: "message.quarantined", message: 7 } }],
  ["a fact that is none", append(1, token, [{ type: "session.renamed" } as never])],
  [
    "what is raised beside it",
    { ...update, fact: { type: "session.updated" }, raises: [{ type: "signal.raised" }] },
  ],
  [
    "a cost that JSON does not know",
    { kind: "settle-job", session, time: 5, fact: { ...jobSettled, cost: NaN } },
  ],
  ["a fork with a title that is none", { ...fork, title: 7 }],
  ["a fork whose prompts have no ids", { ...fork, prompts: "no id" }],
  ["a move to nowhere", { kind: "move-session", session, time: 5, location: { directory: 7 } }],
  ["a Location that is none", { kind: "open-location", location: { directory: "/here" } }],
  ["categories that are none", { ...workspace, change: { to: "create", categories: ["SECRETS"] } }],
  ["a workspace without a name", { ...workspace, name: "", change: { to: "create", categories: [] } }],
  ["a second fact that does not fit", append(1, token, [turnStarted(1), partRecorded(1, 0, {} as never)])],
  [
    "a number that JSON does not know",
    append(1, token, [turnStarted(1), partRecorded(1, 0, { ...callPart(1), input: Infinity } as never)]),
  ],
]

export function unreadableContract(open: OpenStore): void {
  it.effect("[ST3] refuses what could not be read again, and the Session goes on", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store, 1)
      for (const [name, command] of commands(token)) {
        const failure = yield* Effect.flip(store.commit(command as Command))
        expect([name, failure.code, failure.retryable]).toEqual([name, "mismatch", false])
      }
      expect((yield* store.session(session))?.seq).toBe(2)
      expect(yield* store.session(sessionId(2))).toBeNull()
      expect(yield* store.commit(admit(1, 2))).toMatchObject({ kind: "admitted", seq: 3 })
      const window = yield* store.window(session)
      expect(window?.damage).toEqual([])
      expect(window?.state.inbox.map(inputId)).toEqual([promptId(1), promptId(2)])
    }),
  )
}
