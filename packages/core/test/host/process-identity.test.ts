/** Whether the holder of a lease is gone, told from what the host says about processes. */
import { Effect, Exit, Scope } from "effect"
import { expect, test } from "vitest"
import type { LeaseOwner } from "@holdfast/store/port"
import {
  holdIdentity,
  hostProcessFacts,
  judgeOwner,
  parseStat,
  type ProcessFacts,
  type ProcessStart,
} from "../../src/host/process-identity.ts"

const owner: LeaseOwner = { boot: "b1", space: "s1", pid: 7, start: "100", instance: "other" }
const started: ProcessStart = { kind: "started", at: "100" }

const facts = (startOf: ProcessStart, more: Partial<ProcessFacts> = {}): ProcessFacts => ({
  pid: 1,
  boot: "b1",
  space: "s1",
  startOf: () => startOf,
  ...more,
})

test.each([
  ["it lives", facts(started), "alive"],
  ["its pid is gone", facts({ kind: "gone" }), "gone"],
  ["its pid belongs to a younger process", facts({ kind: "started", at: "200" }), "gone"],
  ["it cannot be seen", facts({ kind: "hidden" }), "unknown"],
  ["the machine was started anew, or is another", facts({ kind: "gone" }, { boot: "b2" }), "unknown"],
  ["it lives in another PID namespace", facts({ kind: "gone" }, { space: "s2" }), "unknown"],
  ["it is this process, by a runtime that was closed", facts(started, { pid: 7 }), "gone"],
] as const)("an owner is judged when %s", (_, seen, state) => expect(judgeOwner(owner, seen)).toBe(state))

test("[DR4] a runtime is alive for others of its process as long as its scope is open", () => {
  const scope = Scope.makeUnsafe()
  const seen = facts(started, { pid: 7 })
  const held = Effect.runSync(Scope.provide(holdIdentity(seen, "mine"), scope))
  expect(held).toEqual({ ...owner, instance: "mine" })
  expect(judgeOwner(held, seen)).toBe("alive")
  Effect.runSync(Scope.close(scope, Exit.void))
  expect(judgeOwner(held, seen)).toBe("gone")
})

const stat = (name: string, state: string) =>
  `42 (${name}) ${state} 1 42 42 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2 3`

test.each([
  [stat("node", "S"), { kind: "started", at: "98765" }],
  [stat("a b) R (c", "R"), { kind: "started", at: "98765" }],
  [stat("node", "Z"), { kind: "gone" }],
  [stat("node", "X"), { kind: "gone" }],
  ["", { kind: "hidden" }],
] as const)("the start time is read from %j", (line, start) => expect(parseStat(line)).toEqual(start))

test("this process is found on this host, and a pid that cannot be is gone", () => {
  const host = hostProcessFacts()
  expect(host.startOf(process.pid).kind).toBe("started")
  expect(host.startOf(process.pid)).toEqual(host.startOf(process.pid))
  expect(host.startOf(2 ** 22 + 1).kind).toBe("gone")
})
