/** Lies about Epochs: the Baseline, the message that follows it, and the boundary that writes both. */
import { type Mutant, tests } from "./mutant.ts"

const boundary = tests("packages/core/test/session/boundary.test.ts")
const epochs = tests("test/session/epochs.test.ts")
const crashes = tests("test/session/epoch-crashes.test.ts")
const moves = tests("test/session/travels/moves.test.ts")

export const epochMutants: readonly Mutant[] = [
  {
    name: "a fact remembers what it came to in another state",
    rules: ["TU1"],
    file: "packages/schema/src/state/state.ts",
    find: "known?.message.seq === seq && known.input === input",
    replace: "known?.message.seq === seq",
    run: { files: ["packages/core/test/session/state.test.ts"] },
  },
  {
    name: "an own admission is folded before what others wrote",
    rules: ["DR11"],
    file: "packages/core/src/session/lead.ts",
    find: "at.firstSeq === loaded.foldedSeq + 1 && loaded.ahead.size === 0 ? foldOwn",
    replace: "at.firstSeq > loaded.foldedSeq ? foldOwn",
    run: { files: ["packages/core/test/session/lead.test.ts"] },
  },
  {
    name: "a live Baseline",
    rules: ["EP1"],
    file: "packages/schema/src/state/state.ts",
    find: "    snapshot: applySnapshotChanges(state.epoch.snapshot, fact.changes),\n",
    replace: `    snapshot: applySnapshotChanges(state.epoch.snapshot, fact.changes),
    baseline: \`\${state.epoch.baseline}\\n\\n\${fact.text}\`,
`,
    run: epochs,
  },
  {
    name: "the first prompt before its Epoch",
    rules: ["EP2"],
    file: "packages/core/src/session/boundary.ts",
    find: "view.state.epoch === null ? [...said, ...promoted] : [...promoted, ...said]",
    replace: "[...promoted, ...said]",
    run: boundary,
  },
  {
    name: "the context before the input",
    rules: ["EP3", "EP4"],
    file: "packages/core/src/session/boundary.ts",
    find: "view.state.epoch === null ? [...said, ...promoted] : [...promoted, ...said]",
    replace: "[...said, ...promoted]",
    run: boundary,
  },
  {
    name: "a system message for each source",
    rules: ["EP4"],
    file: "packages/core/src/session/request/context-facts.ts",
    find: '      return { kind: "facts", facts: [fact], cause: null }\n',
    replace: `      const each = texts.map((one, at) => ({
        ...fact,
        message: at === 0 ? message : (view.newId("msg") as MessageId),
        text: one.text,
        texts: [one],
      }))
      return { kind: "facts", facts: each, cause: null }
`,
    run: epochs,
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
    run: crashes,
  },
  {
    name: "a failed turn takes its message back",
    rules: ["EP6"],
    file: "packages/schema/src/state/state.ts",
    find: "      return open?.started.turn === fact.turn ? { ...next, lastTurn:",
    replace: `      const lasting = (message: Message) => message.kind !== "system" || fact.status !== "failed"
      next.messages = state.messages.filter(lasting)
      return open?.started.turn === fact.turn ? { ...next, lastTurn:`,
    run: crashes,
  },
  {
    name: "messages of an Epoch that is over",
    rules: ["EP7"],
    file: "packages/schema/src/state/frozen.ts",
    find: 'message.kind === "system" && message.seq <= epochSeq',
    replace: 'message.kind === "system" && message.seq < 0',
    run: tests("packages/recall/test/render.test.ts"),
  },
  {
    name: "a blocked replacement blocks the turn",
    rules: ["EP8"],
    file: "packages/core/src/session/request/context-facts.ts",
    find: `    case "unchanged":
    case "replacement-blocked": // EP8
`,
    replace: `    case "replacement-blocked":
      return { kind: "blocked", reason: unavailableReason(outcome.keys) }
    case "unchanged":
`,
    run: boundary,
  },
  {
    name: "system messages in the transcript",
    rules: ["EP11"],
    file: "packages/core/src/runtime.ts",
    find: "{ system: false, ...list }",
    replace: "{ system: true, ...list }",
    run: epochs,
  },
  {
    name: "a fresh look for each plan",
    rules: ["EP13"],
    file: "packages/core/src/session/turn.ts",
    find: "      observation: look.observation,\n",
    replace:
      "      observation: ((yield* lookAt(ports, lead.session, loaded.state)) as typeof look).observation,\n",
    run: epochs,
  },
  {
    name: "a snapshot of the last change only",
    rules: ["EP14"],
    file: "packages/store/src/sqlite/project.ts",
    find: '"UPDATE epoch SET snapshot = json_set(snapshot, ?, json(?)) WHERE session = ?"',
    replace: "\"UPDATE epoch SET snapshot = json_set('{}', ?, json(?)) WHERE session = ?\"",
    run: tests("packages/store/test/snapshot.test.ts"),
  },
  {
    name: "values of the snapshot in the message",
    rules: ["EP14"],
    file: "packages/core/src/context/generation.ts",
    find: '    kind: "updated",\n    text: join(said),\n',
    replace:
      '    kind: "updated",\n    text: `${join(said)} ${JSON.stringify(said.map(({ entry }) => entry))}`,\n',
    run: epochs,
  },
  {
    name: "a system message without its keys",
    rules: ["EP15"],
    file: "packages/schema/src/state/state.ts",
    find: "keys: fact.texts.map(({ key }) => key),",
    replace: "keys: [],",
    run: epochs,
  },
  {
    name: "system messages of every Epoch",
    rules: ["EP15"],
    file: "packages/schema/src/state/frozen.ts",
    find: 'if (message.kind === "system" && message.seq <= epochSeq) return false',
    replace: 'if (message.kind === "system" && message.seq < 0) return false',
    run: epochs,
  },
  {
    name: "a boundary of the place that was left",
    rules: ["EP9"],
    file: "packages/store/src/sqlite/drain-commands.ts",
    find: "(movedAbove !== null && summary.movedSeq > movedAbove)",
    replace: "(movedAbove !== null && summary.movedSeq > summary.seq)",
    run: moves,
  },
  {
    name: "an observation of the place that was left",
    rules: ["EP9"],
    file: "packages/core/src/session/turn.ts",
    find: '    if (lead.loaded.state.summary.movedSeq !== movedSeq) return { kind: "moved" }\n',
    replace: "",
    run: moves,
  },
  {
    name: "a move that keeps the Epoch",
    rules: ["EP9"],
    file: "packages/schema/src/state/state.ts",
    find: '    case "session.moved":\n      return { ...next, epoch: null }\n',
    replace: "",
    run: moves,
  },
  {
    name: "words of the origin behind a cut",
    rules: ["EP16"],
    file: "packages/recall/src/record.ts",
    find: "const slots = fresh ? settleUpdates(",
    replace: "const slots = fresh && candidate.view.messages.length === 0 ? settleUpdates(",
    run: moves,
  },
  {
    name: "a move behind a revert told as the revert",
    rules: ["EP7", "EP9"],
    file: "packages/core/src/session/request/context-facts.ts",
    find: "(appliedSeq ?? 0) > summary.movedSeq",
    replace: "appliedSeq !== null",
    run: boundary,
  },
]
