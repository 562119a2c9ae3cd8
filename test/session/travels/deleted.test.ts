/** A Session that is deleted, after a long life: no table knows it any more. */
import type { DatabaseSync } from "node:sqlite"
import { afterEach, expect, test } from "vitest"
import { memoryTool, noteTool, reduceTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
afterEach(() => stage.close())

/** By table, how many rows speak of a Session by its key. */
function rowsOf(store: DatabaseSync, key: number): ReadonlyMap<string, number> {
  const tables = store
    .prepare(
      "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'session'",
    )
    .all() as { readonly name: string }[]
  const count = (table: string) =>
    (
      store.prepare(`SELECT count(*) AS rows FROM "${table}" WHERE session = ?`).get(key) as {
        rows: number
      }
    ).rows
  return new Map(tables.map(({ name }) => [name, count(name)] as const).filter(([, rows]) => rows > 0))
}

const database = (): DatabaseSync => {
  if (stage.database === null) throw new Error("no store is open")
  return stage.database
}

const keyOf = (session: SessionId): number =>
  (database().prepare("SELECT key FROM session WHERE id = ?").get(session) as { key: number }).key

function live(): SessionId {
  const session = stage.create()
  const calls = [
    { name: "work", input: {} },
    { name: "context_memory", input: { action: "write", content: "Use tabs.", category: "NAMING" } },
    { name: "context_note", input: { action: "write", text: "Look again." } },
    { name: "context_reduce", input: { drop: "1" } },
  ]
  for (const call of calls) {
    stage.replies.push({ blocks: [{ type: "tool_use", ...call }] })
    stage.converse(session, `Do it with ${call.name}.`)
  }
  for (let n = 0; n < 8; n++) stage.converse(session, `Prompt ${n} ${"word ".repeat(2_800)}`)
  stage.prompt(session, "Later.", { resume: false })
  return session
}

test("[SS1 ST6] a Session that is deleted leaves no row in any table, and the others all of theirs", () => {
  const tools = [workTool((line) => void stage.journal.push(line)), memoryTool, noteTool, reduceTool]
  stage = new Stage({ contextTokens: 20_000, tools })
  const [kept, gone] = [live(), live()]
  stage.ask((runtime) => runtime.search({ text: "prompt", projectRoot: null })) // has the index read all of both
  stage.converse(gone, "Not read yet.")
  const [keyKept, keyGone] = [keyOf(kept), keyOf(gone)]
  const before = rowsOf(database(), keyKept)
  expect([...rowsOf(database(), keyGone).keys()]).toEqual(
    expect.arrayContaining(["event", "inbox", "turn", "unit", "unindexed"]),
  )
  stage.ask((runtime) => runtime.remove(gone))
  expect(rowsOf(database(), keyGone)).toEqual(new Map())
  expect(rowsOf(database(), keyKept)).toEqual(before)
  expect(database().prepare("PRAGMA foreign_key_check").all()).toEqual([])
})
