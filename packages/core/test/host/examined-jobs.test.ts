/** What an examination of this machine says of hidden jobs that a dead process left. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { PromptId, SessionId } from "@holdfast/schema/id"
import type { SessionKind } from "@holdfast/schema/fact/session"
import { dataFile, openInlineStore } from "@holdfast/store"
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
    expect(examineHost(directory).unfinished.map(({ session }) => session)).toEqual([primary])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
