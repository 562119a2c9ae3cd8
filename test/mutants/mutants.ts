/**
 * The mutants: small lies about a mechanism, each of which a test that cites the rule must notice.
 *
 * A rule counts as proven when a mutant here names it and `npm run mutants` sees a citing test
 * fail. Choose the lie that a tired person would write, not one that breaks everything.
 */

export interface Mutant {
  readonly name: string
  /** For each of them, at least one test that cites it has to fail. */
  readonly rules: readonly string[]
  /** From the root of the repository. */
  readonly file: string
  /** Source text that occurs exactly once in the file, and what stands there instead. */
  readonly find: string
  readonly replace: string
  readonly run: {
    /** Test files, from the root. */
    readonly files: readonly string[]
    /** Only tests whose full title matches, to save time. */
    readonly title?: string
    readonly env?: Readonly<Record<string, string>>
    readonly secondsMax?: number
  }
}

const contract = { files: ["packages/store/test/contract.test.ts"] }
const seeds = (count: number) => ({
  files: ["test/simulation/simulation.test.ts"],
  env: { HOLDFAST_SIM_SEEDS: String(count) },
  secondsMax: 180,
})
const context = {
  files: ["packages/core/test/context/generation.test.ts", "packages/core/test/context/builtin.test.ts"],
}

export const mutants: readonly Mutant[] = [
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
    run: seeds(60),
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
    name: "snapshot outside the transaction",
    rules: ["EP5"],
    file: "packages/store/src/sqlite/project.ts",
    find: "    else connection.run(setEntrySql, path, JSON.stringify(entry), session)\n",
    replace: `    else {
      const late = connection as { snapshot?: () => void }
      late.snapshot?.()
      late.snapshot = () => connection.run(setEntrySql, path, JSON.stringify(entry), session)
    }
`,
    run: seeds(30),
  },
  {
    name: "promotion twice",
    rules: ["PR4"],
    file: "packages/store/src/sqlite/drain-commands.ts",
    find: '      found.state === "pending" &&\n',
    replace: '      found.state !== "cancelled" &&\n',
    run: contract,
  },
  {
    name: "no token check",
    rules: ["DR1"],
    file: "packages/store/src/sqlite/drain-commands.ts",
    find: `  if (row === undefined || !holds(connection, row.key, command.token)) return lost
  if (command.interruptedAbove`,
    replace: `  if (row === undefined) return lost
  if (command.interruptedAbove`,
    run: contract,
  },
  {
    name: "interrupt without a fence",
    rules: ["DR3"],
    file: "packages/store/src/sqlite/drain-commands.ts",
    find: "command.interruptedAbove !== null && row.interrupted_seq > command.interruptedAbove",
    replace: "command.interruptedAbove !== null && row.interrupted_seq > row.seq",
    run: contract,
  },
  {
    name: "repeat compared with the edited text",
    rules: ["PR2"],
    file: "packages/store/src/sqlite/project.ts",
    find: 'const editSql = "UPDATE inbox SET body_seq = ? WHERE',
    replace: "const editSql = \"UPDATE inbox SET text_hash = x'00', body_seq = ? WHERE",
    run: contract,
  },
  {
    name: "replayed call",
    rules: ["DR4"],
    file: "packages/core/src/session/answer.ts",
    find: `  const settled = yield* running.await.pipe(
`,
    replace: `  yield* Effect.forkIn(
    lead.ports.tools.settle(
      { callId: request.call, name: request.name, input: request.input },
      { directory: lead.memory.state.location.directory },
    ),
    scope,
  )
  const settled = yield* running.await.pipe(
`,
    run: seeds(10),
  },
  {
    name: "call before its record",
    rules: ["TU2"],
    file: "packages/core/src/session/answer.ts",
    find: `      const end = yield* append(answer.lead, facts, { clearsScratch: parts })
`,
    replace: `      for (const request of calls.splice(0)) yield* startCall(answer, request)
      const end = yield* append(answer.lead, facts, { clearsScratch: parts })
`,
    run: { files: ["test/session/failing-store.test.ts"] },
  },
  {
    name: "clock as order",
    rules: ["PR6"],
    file: "packages/store/src/sqlite/reader.ts",
    find: "WHERE session = ? AND state = 'pending' ORDER BY admitted_seq`",
    replace:
      "WHERE session = ? AND state = 'pending' ORDER BY (SELECT time FROM event WHERE event.session = inbox.session AND event.seq = inbox.admitted_seq), admitted_seq`",
    run: contract,
  },
  {
    name: "lost steer",
    rules: ["PR3"],
    file: "packages/core/src/session/inbox.ts",
    find: "  if (steers.length > 0) return",
    replace: "  if (steers.length > 0 && !boundary.continuing) return",
    run: { files: ["test/session/inbox.test.ts"] },
  },
  {
    name: "hint of the old date",
    rules: ["SC12"],
    file: "packages/core/src/context/builtin.ts",
    find: "`The date has changed: today is ${weekday}, ${date}.`",
    replace:
      '`The date has changed from ${calendarDate(Date.parse(date) - 86_400_000, "UTC").date}: today is ${weekday}, ${date}.`',
    run: context,
  },
  {
    name: "empty removal",
    rules: ["SC13"],
    file: "packages/core/src/context/generation.ts",
    find: 'typeof text === "string" && text.trim() !== ""',
    replace: 'typeof text === "string" && (renderer === "removal" || text.trim() !== "")',
    run: context,
  },
]
