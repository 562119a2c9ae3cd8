/** What of the commits is worth a line in a log, and that it quotes nobody. */
import { expect, test } from "vitest"
import type { CommitEvent } from "@holdfast/core/watch/commits"
import { type ServerEvent, serverEventsOf } from "../../src/telemetry/server-events.ts"

const session = "ses_1"
const settled = (status: string, reason: object | null, cost: number | null) => ({
  type: "turn.settled",
  turn: "trn_1",
  status,
  reason,
  ledger: { usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }, cost, attempts: [], durationMs: 9 },
})
const append = (kind: string, ...facts: readonly object[]) => ({
  type: "append",
  command: { kind: "append", session, facts },
  outcome: { kind },
})
const quoting = { code: "refused", message: "The provider says: your secret plan is illegal." }

test.each<[what: string, event: object, told: readonly ServerEvent[]]>([
  [
    "a turn",
    append("appended", { type: "turn.started" }, settled("done", null, 0.5)),
    [
      {
        level: "debug",
        event: "turn",
        fields: { session, turn: "trn_1", status: "done", ms: 9, tokensIn: 8, tokensOut: 2, dollars: 0.5 },
      },
    ],
  ],
  [
    "a turn that failed",
    append("appended", settled("failed", quoting, null)),
    [
      {
        level: "warn",
        event: "turn",
        fields: {
          session,
          turn: "trn_1",
          status: "failed",
          code: "refused",
          ms: 9,
          tokensIn: 8,
          tokensOut: 2,
        },
      },
    ],
  ],
  ["a turn that was not stored", append("lost", settled("done", null, 0)), []],
  [
    "a takeover",
    { type: "acquire", command: { session, dead: {} }, outcome: { kind: "granted" } },
    [{ level: "info", event: "takeover", fields: { session } }],
  ],
  ["a free lease", { type: "acquire", command: { session, dead: null }, outcome: { kind: "granted" } }, []],
  [
    "a full disk",
    {
      type: "failed",
      command: { kind: "admit", text: "secret" },
      failure: { code: "full", message: "secret" },
    },
    [{ level: "warn", event: "commit-failed", fields: { kind: "admit", code: "full" } }],
  ],
  ["an admission", { type: "admit", command: { text: "secret" }, outcome: { kind: "admitted" } }, []],
])("%s is told in names and numbers", (_, event, told) => {
  expect(serverEventsOf(event as CommitEvent)).toEqual(told)
  expect(JSON.stringify(told)).not.toContain("secret")
})
