import { expect, test } from "vitest"
import type { SessionStatus } from "@holdfast/schema/session"
import { emptySummary } from "@holdfast/schema/state/summary"
import type { SessionRow } from "@holdfast/store/port"
import { deriveStatus } from "../../src/session/status.ts"
import { session, turnId } from "./records.ts"

const row: SessionRow = { id: session, ...emptySummary, seq: 1, turns: 1 }
const reason = { code: "why", message: "Because." }
const waiting = { until: 99, reason }
const failed = { status: "failed", reason } as const
const onRequest = { code: "interrupted", message: "Interrupted on request." }
const interrupted = { status: "interrupted", reason: onRequest } as const
const brokenOff = { status: "interrupted", reason } as const
const openTurn = turnId(1)

const cases: readonly [string, Partial<SessionRow>, boolean, Partial<SessionStatus>][] = [
  ["[DR4] is idle without a turn", {}, false, { state: "idle", reason: null }],
  [
    "[DR4] is running only under a lease",
    { openTurn, owing: true },
    true,
    { state: "running", reason: null },
  ],
  [
    "[DR4] is interrupted with an open turn and no owner",
    { openTurn, owing: true },
    false,
    { state: "interrupted" },
  ],
  ["[TU4] waits inside a turn", { openTurn, waiting }, true, { state: "waiting", waitingUntil: 99, reason }],
  [
    "[TU4] waits after a turn that named the moment",
    { waiting, owing: true, lastTurn: failed },
    false,
    { state: "waiting" },
  ],
  [
    "[DR4] does not wait in a turn without an owner",
    { openTurn, waiting },
    false,
    { state: "interrupted", waitingUntil: null },
  ],
  [
    "[EP2] is blocked with the reason",
    { blocked: reason, blockedSeq: 1, pending: 1 },
    false,
    { state: "blocked", reason, pending: 1 },
  ],
  [
    "[EP2] is running while a blocked turn is retried",
    { blocked: reason, blockedSeq: 1 },
    true,
    { state: "running" },
  ],
  [
    "[EP9] is not blocked by what was found before a move",
    { blocked: reason, blockedSeq: 1, movedSeq: 2 },
    false,
    { state: "idle", reason: null },
  ],
  [
    "[DR3] is interrupted while input waits that nobody takes up any more",
    { stopped: true, pending: 1, lastTurn: { status: "done", reason: null } },
    false,
    { state: "interrupted", reason: { code: "interrupted", message: "Interrupted on request." } },
  ],
  ["[DR3] is idle after an interrupt that left nothing", { stopped: true }, false, { state: "idle" }],
  [
    "[PR8] is failed while it owes",
    { owing: true, lastTurn: failed },
    false,
    { state: "failed", owing: true, reason },
  ],
  [
    "[PR8] is interrupted while it owes",
    { owing: true, lastTurn: interrupted },
    false,
    { state: "interrupted", reason: onRequest },
  ],
  [
    "[TU4] has failed where its last turn was interrupted by its own cause",
    { owing: true, lastTurn: brokenOff },
    false,
    { state: "failed", reason },
  ],
  [
    "[PR8] is idle once the debt is paid",
    { owing: false, lastTurn: failed },
    false,
    { state: "idle", reason: null },
  ],
  ["[PE3] is asking with an open ask", { asks: 2 }, false, { state: "asking", asks: 2, owing: false }],
  ["[DR11] says how many inputs wait", { pending: 3 }, false, { state: "idle", pending: 3 }],
  [
    "[DR11] does not count a notice that wakes nobody",
    { pending: 3, quiet: 2 },
    false,
    { state: "idle", pending: 1 },
  ],
]

test.each(cases)("%s", (_title, more, led, expected) =>
  expect(deriveStatus({ ...row, ...more }, led)).toMatchObject(expected),
)
