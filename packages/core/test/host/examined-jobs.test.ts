/** What an examination of this machine says of hidden jobs: those that a dead process left, and those that failed. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { PromptId, SessionId } from "@holdfast/schema/id"
import type { SessionKind } from "@holdfast/schema/fact/session"
import { dataFile, openInlineStore } from "@holdfast/store"
import type { Command } from "@holdfast/store/port"
import { examineHost } from "../../src/host/examine.ts"

const primary = "ses_00000000000000000001" as SessionId
const job = "ses_00000000000000000002" as SessionId

const made = (session: SessionId, kind: SessionKind) =>
  ({
    kind: "create-session",
    session,
    time: 1_000,
    fact: {
      type: "session.created",
      kind,
      parent: kind === "job" ? { session: primary, call: null } : null,
      origin: null,
      location: { directory: "/nowhere", projectRoot: "/nowhere" },
      title: null,
      titledBy: "runtime",
      model: null,
      agent: "historian",
      policy: "settle",
      onAsk: "wait",
      budget: { tokens: null, money: null },
      harness: "holdfast",
    },
  }) as const

test("[SU1 PR8] nobody is told to go on with a job, as with a Session that waits", async () => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-examined-"))
  try {
    const write = Effect.gen(function* () {
      const store = yield* openInlineStore({ file: dataFile(directory) })
      for (const [session, kind] of [
        [primary, "primary"],
        [job, "job"],
      ] as const) {
        yield* store.commit(made(session, kind))
        const prompt = `prm_0000000000000000000${kind.length}` as PromptId
        const body = { prompt, text: "Go on.", delivery: "steer" } as const
        yield* store.commit({ kind: "admit", session, time: 2_000, ...body })
      }
      yield* store.close()
    })
    await Effect.runPromise(write)
    expect(examineHost(directory, true).unfinished.map(({ session }) => session)).toEqual([primary])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

const settledJob = (
  n: number,
  outcome: "done" | "failed" | "aborted",
  code = "job_output_invalid",
  cost: number | null = 0.012,
) =>
  ({
    kind: "settle-job",
    session: primary,
    time: 10_000 + n,
    fact: {
      type: "job.settled",
      job: `ses_1000000000000000000${n}` as SessionId,
      kind: "historian",
      outcome,
      reason: outcome === "done" ? null : { code, message: `Reason ${n}.` },
      usage: { input: 7, output: 1, cacheRead: 0, cacheWrite: 0 },
      cost,
    },
  }) as const

test("[FA1 SU1] what the historian failed at is told from the records of Sessions with its cost, until one of its jobs is done or no model is one", async () => {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-examined-"))
  const commit = (...commands: readonly Command[]) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* openInlineStore({ file: dataFile(directory) })
        for (const command of commands) yield* store.commit(command)
        yield* store.close()
      }),
    )
  const settle = (...settled: readonly ReturnType<typeof settledJob>[]) =>
    commit(...settled.flatMap((one) => [made(one.fact.job, "job"), one]))
  const degraded = (hasHistorian = true) => examineHost(directory, hasHistorian).degraded
  try {
    await commit(made(primary, "primary"))
    await settle(settledJob(1, "failed"), settledJob(2, "done"), settledJob(3, "aborted", "interrupted"))
    expect(degraded()).toEqual([])
    await settle(settledJob(4, "failed"), settledJob(5, "aborted", "job_timeout"), settledJob(6, "failed"))
    const cause = `its last 3 jobs came to nothing, at a cost of $0.036, and the built-in historian wrote instead. In ${primary}: Reason 6.`
    expect(degraded()).toEqual([{ part: "historian", cause, since: 10_004 }])
    expect(degraded(false)).toEqual([])
    await settle(settledJob(7, "failed", "job_output_invalid", null))
    expect(degraded()[0]?.cause).toMatch(/^its last 4 jobs came to nothing, at a cost that is not known,/)
    await settle(settledJob(8, "done"))
    expect(degraded()).toEqual([])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
