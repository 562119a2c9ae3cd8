import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { openInlineStore } from "../src/inline-store.ts"
import { openWriter } from "../src/sqlite/connection.ts"
import { checkFence, migrate } from "../src/sqlite/migrate.ts"
import { place } from "./place.ts"
import { acquire, create, sessionId } from "./records.ts"
import { slowVersions } from "./slow-versions.ts"

/** Runs a script on a store and kills it at the given line of its output; returns the lines. */
async function killAt(script: string, file: string, line: number): Promise<readonly string[]> {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, [path, file], { stdio: ["ignore", "pipe", "inherit"] })
  const lines: string[] = []
  for await (const text of createInterface({ input: child.stdout })) {
    lines.push(text)
    if (lines.length === line) child.kill("SIGKILL")
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  return lines
}

describe("kill -9", () => {
  it.effect("[PR1] loses no prompt whose receipt was given", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const receipts = yield* Effect.promise(() => killAt("./admitting.ts", file, 300))
      expect(receipts.length).toBeGreaterThanOrEqual(300)
      const store = yield* openInlineStore({ file })
      const kept = new Set((yield* store.inbox(sessionId(1))).map((prompt) => prompt.id as string))
      expect(receipts.filter((prompt) => !kept.has(prompt))).toEqual([])
      expect(yield* store.inspect()).toMatchObject({ damage: [], stale: [] })
      yield* store.close()
    }),
  )
  it.effect("[ST1] in the middle of an upgrade leaves the old version or the new one", () =>
    Effect.gen(function* () {
      const { file } = yield* place
      const store = yield* openInlineStore({ file })
      yield* store.commit(create(1))
      yield* store.commit(acquire(1))
      yield* store.close()
      expect(yield* Effect.promise(() => killAt("./upgrading.ts", file, 1))).toEqual(["upgrading"])
      expect(() => checkFence(file, slowVersions)).not.toThrow()
      const connection = openWriter(file, { busyMs: 1_000 })
      migrate(connection, { busyMs: 1_000 }, slowVersions)
      expect(connection.get("SELECT count(*) AS n FROM slow")).toMatchObject({ n: 2_000_000 })
      expect(connection.get("SELECT id, summary ->> '$.seq' AS seq FROM session")).toMatchObject({
        id: sessionId(1),
        seq: 1,
      })
      connection.close()
    }),
  )
})
