/** Lies about what is durable. */
import { contract, type Mutant, tests } from "./mutant.ts"

const migrations = tests("packages/store/test/migrate.test.ts")
const damage = tests("packages/store/test/damage.test.ts")
const seeds = (count: number): Mutant["run"] => ({
  files: ["test/simulation/seeds-even.test.ts"],
  env: { HOLDFAST_SIM_SEEDS: String(count) },
  secondsMax: 180,
})

export const storeMutants: readonly Mutant[] = [
  {
    name: "acknowledge before commit",
    rules: ["PR1"],
    file: "packages/store/src/inline-store.ts",
    find: "      return gate(run).pipe(",
    replace: `      if (command.kind === "admit") {
        const { session, prompt, delivery } = command
        const receipt = { session, prompt, admittedSeq: 1, delivery, state: "pending" }
        return Effect.as(Effect.forkDetach(gate(run)), { kind: "admitted", receipt, repeated: false } as never)
      }
      return gate(run).pipe(`,
    run: tests("test/session/prompts.test.ts"),
  },
  {
    name: "synchronous = NORMAL",
    rules: ["PR1"],
    file: "packages/store/src/sqlite/connection.ts",
    find: 'db.exec("PRAGMA synchronous = FULL")',
    replace: 'db.exec("PRAGMA synchronous = NORMAL")',
    run: seeds(60),
  },
  {
    name: "a batch tried again although its commit may be on disk",
    rules: ["ST3"],
    file: "packages/store/src/sqlite/driver.ts",
    find: "      separable: committing && !outcomeUnknown,",
    replace: "      separable: committing,",
    run: damage,
  },
  {
    name: "a blob's file that is not synced",
    rules: ["PR1"],
    file: "packages/store/src/sqlite/blob.ts",
    find: "at += writeSync(handle, blob.bytes, at)\n    fsyncSync(handle)",
    replace: "at += writeSync(handle, blob.bytes, at)",
    run: tests("packages/store/test/blob-order.test.ts"),
  },
  {
    name: "repeat compared with the edited text",
    rules: ["PR2"],
    file: "packages/store/src/sqlite/project.ts",
    find: 'const editSql = "UPDATE inbox SET body_seq = ? WHERE',
    replace: "const editSql = \"UPDATE inbox SET text_hash = x'00', body_seq = ? WHERE",
    run: contract("PR2"),
  },
  {
    name: "cancelled after its promotion",
    rules: ["PR3"],
    file: "packages/store/src/sqlite/input-commands.ts",
    find: '  if (prompt.state === "pending") return { kind: "pending", row, prompt }\n',
    replace: '  if (prompt.state !== "cancelled") return { kind: "pending", row, prompt }\n',
    run: contract("PR3"),
  },
  {
    name: "promotion twice",
    rules: ["PR4"],
    file: "packages/store/src/sqlite/drain-commands.ts",
    find: '      found.state === "pending" &&\n',
    replace: '      found.state !== "cancelled" &&\n',
    run: contract("PR4"),
  },
  {
    name: "clock as order",
    rules: ["PR6"],
    file: "packages/store/src/sqlite/reader.ts",
    find: "WHERE session = ? AND state = 'pending' ORDER BY admitted_seq`",
    replace:
      "WHERE session = ? AND state = 'pending' ORDER BY (SELECT time FROM event WHERE event.session = inbox.session AND event.seq = inbox.admitted_seq), admitted_seq`",
    run: contract("PR6"),
  },
  {
    name: "a stored debt paid by any turn",
    rules: ["PR8"],
    file: "packages/schema/src/state/summary.ts",
    find: 'unanswered: summary.unanswered && fact.status !== "done",',
    replace: "unanswered: false,",
    run: contract("PR8"),
  },
  {
    name: "no token check",
    rules: ["DR1"],
    file: "packages/store/src/sqlite/drain-commands.ts",
    find: `  if (row === undefined || !holds(connection, row.key, command.token)) return lost
  if (command.interruptedAbove`,
    replace: `  if (row === undefined) return lost
  if (command.interruptedAbove`,
    run: contract("DR1"),
  },
  {
    name: "a token used again",
    rules: ["DR1"],
    file: "packages/store/src/sqlite/lease-row.ts",
    find: '"UPDATE lease SET owner = NULL WHERE session = ?"',
    replace: '"DELETE FROM lease WHERE session = ?"',
    run: contract("DR1"),
  },
  {
    name: "interrupt without a fence",
    rules: ["DR3"],
    file: "packages/store/src/sqlite/drain-commands.ts",
    find: "command.interruptedAbove !== null && row.summary.interruptedSeq > command.interruptedAbove",
    replace: "command.interruptedAbove !== null && row.summary.interruptedSeq > row.summary.seq",
    run: contract("DR3"),
  },
  {
    name: "open calls that nobody settles",
    rules: ["DR4"],
    file: "packages/schema/src/state/summary.ts",
    find: "openTurn !== null || openCalls > 0",
    replace: "openTurn !== null && openCalls >= 0",
    run: contract("DR4"),
  },
  {
    name: "an ask answered twice",
    rules: ["PE5"],
    file: "packages/store/src/sqlite/ask-marks.ts",
    find: "marks.length === 1",
    replace: "marks.length >= 1",
    run: contract("PE5"),
  },
  {
    name: "an open ask lost to a turn",
    rules: ["PE5"],
    file: "packages/store/src/sqlite/project.ts",
    find: "GROUP BY id HAVING count(*) = 2)`",
    replace: "GROUP BY id HAVING count(*) >= 1)`",
    run: contract("PE5"),
  },
  {
    name: "an ask withdrawn, its call left open",
    rules: ["PE6", "DR3"],
    file: "packages/store/src/sqlite/input-commands.ts",
    find: 'if (subject.kind !== "call") return [withdrawn]',
    replace: "if (subject.kind !== null) return [withdrawn]",
    run: contract("PE6"),
  },
  {
    name: "a range published twice",
    rules: ["HI4"],
    file: "packages/store/src/sqlite/contribute.ts",
    find: "fact.fromSeq === row.summary.historyEnd + 1",
    replace: "fact.fromSeq <= row.summary.historyEnd + 1",
    run: contract("HI4"),
  },
  {
    name: "a newer record taken for damage",
    rules: ["ST1"],
    file: "packages/store/src/sqlite/event-decode.ts",
    find: 'throw new StoreRefused("newer", `event ${seq} of ${session} is a ${type} of version ${version}`)',
    replace: "return damaged(`event ${seq} is a ${type}`)",
    run: tests("packages/store/test/newer.test.ts"),
  },
  {
    name: "a window that forgets which Epoch was last",
    rules: ["EP7"],
    file: "packages/schema/src/state/summary.ts",
    find: "return { location: fact.location }",
    replace: "return { location: fact.location, epochSeq: 0 }",
    run: tests("packages/store/test/fold/fold.property.test.ts"),
  },
  {
    name: "an upgrade without a transaction",
    rules: ["ST1"],
    file: "packages/store/src/sqlite/migrate.ts",
    find: "    inTransaction(connection, patience, () => {\n",
    replace: `    const run = (_connection: unknown, _patience: unknown, body: () => void) => body()
    run(connection, patience, () => {
`,
    run: migrations,
  },
  {
    name: "a newer store opened all the same",
    rules: ["ST1"],
    file: "packages/store/src/sqlite/migrate.ts",
    find: "  if (version > versions.length) {\n",
    replace: "  if (version > versions.length + 1) {\n",
    run: migrations,
  },
  {
    name: "a checksum of the content alone",
    rules: ["ST3"],
    file: "packages/store/src/sqlite/event-row.ts",
    find: "crc32(`${session} ${row.seq} ${row.type} ${row.version} ${row.time} ${row.data}`)",
    replace: "crc32(row.data + session.slice(0, 0))",
    run: damage,
  },
  {
    name: "rows that nobody can read again",
    rules: ["ST3"],
    file: "packages/store/src/unreadable.ts",
    find: "    if (!isReadable(fact))\n",
    replace: "    if (fact === undefined)\n",
    run: contract("ST3"),
  },
  {
    name: "blobs of others deleted",
    rules: ["ST3"],
    file: "packages/store/src/sqlite/blob.ts",
    find: `WHERE session = ?
     AND NOT EXISTS (SELECT 1 FROM blob_ref AS other WHERE other.hash = mine.hash AND other.session <> mine.session)`,
    replace: "WHERE session = ?",
    run: contract("ST3"),
  },
  {
    name: "indexes that do not matter",
    rules: ["ST6"],
    file: "packages/store/src/sqlite/migrate.ts",
    find: "FROM sqlite_schema WHERE name",
    replace: "FROM sqlite_schema WHERE type = 'table' AND name",
    run: migrations,
  },
  {
    name: "an unknown outcome of what was never sent",
    rules: ["PR1"],
    file: "packages/store/src/thread/link.ts",
    find: "      for (const { id } of outgoing.splice(0)) settle(id, failed(explain(why)))\n",
    replace: "",
    run: tests("packages/store/test/executor.test.ts"),
  },
  {
    name: "a rebuild that forgets a damaged end",
    rules: ["ST3"],
    file: "packages/store/src/sqlite/rebuild.ts",
    find: "summary: { ...summary, seq: Math.max(after, 1) } }",
    replace: "summary }",
    run: damage,
  },
]
