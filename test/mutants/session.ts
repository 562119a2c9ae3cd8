/** Lies about input, drains and recovery. */
import { type Mutant, tests } from "./mutant.ts"

const prompts = tests("test/session/prompts.test.ts")
const inbox = tests("test/session/inbox.test.ts")
const owing = tests("test/session/owing.test.ts")
const drains = tests("test/session/drains.test.ts")
const leases = tests("test/session/leases/leases.test.ts")
const results = tests("test/session/leases/results.test.ts")
const recovery = tests("test/session/recovery.test.ts")
const controlGroups = tests("packages/core/test/tools/control-groups.test.ts")
const failingStore = tests("test/session/failing-store.test.ts")
const slot = tests(
  "packages/core/test/session/slot.test.ts",
  "packages/core/test/session/slot.property.test.ts",
)

export const sessionMutants: readonly Mutant[] = [
  {
    name: "calls of a prompt are made for the next one, too",
    rules: ["TL6", "TU2"],
    file: "packages/core/src/session/request/due-calls.ts",
    find: ".slice(answered + 1)",
    replace: ".slice(0)",
    run: tests("test/session/asking/prompt-calls.test.ts"),
  },
  {
    name: "a prompt that waits reads its files late",
    rules: ["TL6"],
    file: "packages/core/src/session/request/prompt-content.ts",
    find: "bytes === null ? null :",
    replace: "bytes !== null ? null :",
    run: tests("test/session/asking/prompt-contents.test.ts"),
  },
  {
    name: "what must be asked for is read at admission",
    rules: ["PE1", "PE3"],
    file: "packages/core/src/session/request/prompt-content.ts",
    find: 'if (verdict.kind !== "allow") return null',
    replace: 'if (verdict.kind === "deny") return null',
    run: tests("test/session/asking/prompt-contents.test.ts"),
  },
  {
    name: "a stored file with its secrets",
    rules: ["AU1"],
    file: "packages/core/src/session/request/prompt-content.ts",
    find: "    masks: ports.masks,\n",
    replace: "",
    run: tests("test/session/asking/prompt-contents.test.ts"),
  },
  {
    name: "a repeat is told by what its files hold now",
    rules: ["PR2"],
    file: "packages/store/src/admission.ts",
    find: "calls.map(({ tool, argument }) => `\\u0000${tool}",
    replace: "calls.map(({ tool, argument, content }) => `\\u0000${content?.hash}${tool}",
    run: tests("test/session/asking/prompt-contents.test.ts"),
  },
  {
    name: "what is typed behind a command runs something",
    rules: ["TL6"],
    file: "packages/core/src/command/expand.ts",
    find: "const text = command.template\n    .split",
    replace: "const text = fill(command.template, rest)\n    .split",
    run: tests("packages/core/test/command/commands.test.ts"),
  },
  {
    name: "lost steer",
    rules: ["PR3"],
    file: "packages/core/src/session/inbox.ts",
    find: "  if (steers.length > 0) return",
    replace: "  if (steers.length > 0 && !boundary.continuing) return",
    run: inbox,
  },
  {
    name: "a repeated prompt is refused for what is set by now",
    rules: ["PR2"],
    file: "packages/core/src/caller/prompts.ts",
    find: "const before = input.id === undefined ? null : yield* store.prompt(prompt)",
    replace: "const before = null",
    run: tests("packages/sdk/test/settings/changed-settings.test.ts"),
  },
  {
    name: "a repeated creation is compared with what is set by now",
    rules: ["SS1"],
    file: "packages/core/src/caller/sessions.ts",
    find: "yield* defaultsThen(store, session)",
    replace: "defaults",
    run: tests("packages/sdk/test/settings/changed-settings.test.ts"),
  },
  {
    name: "a wake although it was not wanted",
    rules: ["PR5"],
    file: "packages/core/src/caller/prompts.ts",
    find: "input.resume === false ? store.commit(admission) : coordinator.admit(admission)",
    replace: "coordinator.admit(admission)",
    run: prompts,
  },
  {
    name: "a debt paid by any turn",
    rules: ["PR8"],
    file: "packages/schema/src/state/summary.ts",
    find: 'unanswered: summary.unanswered && fact.status !== "done"',
    replace: "unanswered: false",
    run: owing,
  },
  {
    name: "a queued prompt before what is owed",
    rules: ["PR8"],
    file: "packages/schema/src/state/summary.ts",
    find: 'summary.resumesFirst && isEligible(summary) ? "woken" : null',
    replace: "null",
    run: owing,
  },
  {
    name: "a debt resumed for every queued prompt",
    rules: ["PR8"],
    file: "packages/schema/src/state/summary.ts",
    find: 'fact.resumes === undefined ? summary.resumesFirst : fact.resumes === "asked"',
    replace: "summary.resumesFirst",
    run: owing,
  },
  {
    name: "what was interrupted, resumed for a queued prompt",
    rules: ["PR8"],
    file: "packages/schema/src/state/summary.ts",
    find: "        resumesFirst: false,\n",
    replace: "",
    run: owing,
  },
  {
    name: "no renewal",
    rules: ["DR1", "ST2"],
    file: "packages/core/src/session/drain.ts",
    find: "      yield* Effect.forkScoped(keepLease(lead))\n",
    replace: "",
    run: leases,
  },
  {
    name: "beat by the wall clock",
    rules: ["DR1", "ST2"],
    file: "packages/core/src/session/lease.ts",
    find: "yield* Clock.monotonicTimeNanos",
    replace: "yield* Clock.currentTimeNanos",
    run: leases,
  },
  {
    name: "lost renewal ignored",
    rules: ["DR1", "ST2"],
    file: "packages/core/src/session/drain.ts",
    find: '    if (outcome.kind === "lost") yield* raise(lead.fence, "lost")\n',
    replace: "    void outcome\n",
    run: leases,
  },
  {
    name: "an interrupt forgotten while waiting for the lease",
    rules: ["DR3"],
    file: "packages/core/src/session/drain.ts",
    find: "Math.min(row.interruptedSeq, wokenAt ?? row.interruptedSeq)",
    replace: "Math.max(row.interruptedSeq, wokenAt ?? row.interruptedSeq)",
    run: leases,
  },
  {
    name: "a turn without the file of its project",
    rules: ["DR2", "CF1"],
    file: "packages/core/src/host/samples.ts",
    find: "settingsIn(Result.getOrElse(ofProject, () => noSettings))",
    replace: "settingsIn(noSettings)",
    run: tests("packages/core/test/host/project-settings.test.ts"),
  },
  {
    name: "the model of the drain before",
    rules: ["DR2"],
    file: "packages/core/src/session/look.ts",
    find: "chooseModel(ports, session, askedModel(state.summary, sample.agent), sample, purpose)",
    replace:
      "chooseModel(ports, session, state.lastTurn?.started.model ?? askedModel(state.summary, sample.agent), sample, purpose)",
    run: drains,
  },
  {
    name: "acknowledged before the interrupt is stored",
    rules: ["DR3"],
    file: "packages/core/src/session/coordinator/coordinator.ts",
    find: "      const outcome = yield* ports.store\n",
    replace: `      if (place.slot.state !== "idle") {
        yield* Effect.forkIn(ports.store.commit({ kind: "interrupt", session, time }), scope)
        return yield* report(place, { type: "interrupt-stored" })
      }
      const outcome = yield* ports.store
`,
    run: failingStore,
  },
  {
    name: "the result of the prompt before the one that waits",
    rules: ["DR4", "PE3"],
    file: "packages/core/src/session/result.ts",
    find: "const waiting = isBeforeTurn(outcome, last) ?",
    replace: "const waiting = last === undefined && isBeforeTurn(outcome, last) ?",
    run: results,
  },
  {
    name: "a result that only the last turn tells",
    rules: ["DR4"],
    file: "packages/core/src/session/result.ts",
    find: 'state === "asking" || state === "blocked" || state === "interrupted"',
    replace: 'state === "asking"',
    run: results,
  },
  {
    name: "a Session led for nothing",
    rules: ["DR4"],
    file: "packages/store/src/sqlite/drain-commands.ts",
    find: "command.toSettle === true && held === null && !isOpen(row.summary)",
    replace: "false",
    run: results,
  },
  {
    name: "a call left open by a crash",
    rules: ["DR4"],
    file: "packages/core/src/session/recovery.ts",
    find: "...settleCalls(state, held, toolOf, hashes),",
    replace: "...settleCalls(state, held, toolOf, hashes).slice(1),",
    run: recovery,
  },
  {
    name: "replayed call",
    rules: ["DR4"],
    file: "packages/core/src/session/drain.ts",
    find: "    if (facts.length > 0) yield* append(lead, facts,",
    replace: `    for (const { part } of openCalls(state)) {
      const call = { callId: part.call, name: part.name, input: part.input }
      yield* Effect.forkDetach(tools.settle(call, { directory: location.directory }))
    }
    if (facts.length > 0) yield* append(lead, facts,`,
    run: recovery,
  },
  {
    name: "every call safe to repeat",
    rules: ["DR5"],
    file: "packages/core/src/session/recovery.ts",
    find: "outcomeUnknown(isRepeatable(part.name))",
    replace: "outcomeUnknown(true)",
    run: tests("packages/core/test/session/recovery.test.ts"),
  },
  {
    name: "a call is safe to repeat only while its agent is there",
    rules: ["DR5"],
    file: "packages/core/src/session/drain.ts",
    find: "const { tools, declared = tools } =",
    replace: "const { tools: declared } =",
    run: recovery,
  },
  {
    name: "tools of an agent that is gone say nothing of themselves",
    rules: ["DR5"],
    file: "packages/core/src/host/samples.ts",
    find: "tools: registry([]), declared,",
    replace: "tools: registry([]),",
    run: tests("packages/core/test/agent/agents.test.ts"),
  },
  {
    name: "a default of the configuration that nobody reads",
    rules: ["DR5"],
    file: "packages/core/src/host/host.ts",
    find: "held.onRestart !== null && { policy: held.onRestart }",
    replace: 'held.onRestart !== null && { policy: "settle" as const }',
    run: tests("packages/sdk/test/restart-policy.test.ts"),
  },
  {
    name: "work begun by a process that only looks",
    rules: ["DR5"],
    file: "packages/core/src/session/coordinator/coordinator.ts",
    find: "ports.continues !== false && ",
    replace: "",
    run: tests("packages/sdk/test/restart-policy.test.ts"),
  },
  {
    name: "active once, active for ever",
    rules: ["DR6"],
    file: "packages/core/src/session/coordinator/coordinator.ts",
    find: '[...places.values()].flatMap(({ session, slot }) => (slot.state === "leading" ? [session] : []))',
    replace: "[...new Set([...places.keys(), ...remembered.keys()])]",
    run: drains,
  },
  {
    name: "a wake spent on a drain that only settles",
    rules: ["PR5"],
    file: "packages/core/src/session/coordinator/slot.ts",
    find: "const looks = !mode.recoverOnly && !stopping",
    replace: "const looks = true",
    run: slot,
  },
  {
    name: "an interrupt that leaves what was asked before it",
    rules: ["DR3"],
    file: "packages/core/src/session/coordinator/slot.ts",
    find: '{ ...slot, stopping: true, asked: "nothing" }',
    replace: "{ ...slot, stopping: true }",
    run: slot,
  },
  {
    name: "a failed turn that leaves what was asked before it",
    rules: ["DR11"],
    file: "packages/core/src/session/coordinator/slot.ts",
    find: 'if (event.type === "wakes-ended") return { slot: { ...slot, asked: "nothing" }, action: null }',
    replace: 'if (event.type === "wakes-ended") return { slot, action: null }',
    run: slot,
  },
  {
    name: "the end that this process remembers, though another led since",
    rules: ["DR1"],
    file: "packages/core/src/session/result.ts",
    find: "last.startedSeq > ended.seq",
    replace: "last.startedSeq > Number.MAX_SAFE_INTEGER",
    run: leases,
  },
  {
    name: "an allowance for life",
    rules: ["DR7"],
    file: "packages/core/src/session/boundary.ts",
    find: "resetsAllowance(view.promotion) ? turnsOf(view.promotion) : (last?.allowanceUsed ?? 0) + 1",
    replace: "(last?.allowanceUsed ?? 0) + 1",
    run: drains,
  },
  {
    name: "a drain that signs the log",
    rules: ["DR10"],
    file: "packages/core/src/session/drain.ts",
    find: 'kind: "release", session, token, whenIdle: true })\n',
    replace: `kind: "release", session, token, whenIdle: true })
  if (outcome.kind !== "pending") {
    const time = lead.loaded.state.summary.seq
    yield* lead.ports.store.commit({ kind: "contribute", session, time, fact: { type: "session.updated" } })
  }
`,
    run: drains,
  },
  {
    name: "the queue goes on after a failure",
    rules: ["DR11"],
    file: "packages/core/src/session/drain.ts",
    find: `      case "blocked":
      case "failed":
        return yield* giveUp(lead, end)`,
    replace: `      case "failed":
        mode = nextTurn
        if (yield* releaseWhenIdle(lead)) return end
        break
      case "blocked":
        return yield* giveUp(lead, end)`,
    run: owing,
  },
  {
    name: "a call that waited, said to have run",
    rules: ["DR4"],
    file: "packages/core/src/session/recovery.ts",
    find: 'if (part.state !== "running") return settledFact(at, outcomeOf(neverStarted))',
    replace: "",
    run: recovery,
  },
  {
    name: "a pid that is used again as the living owner",
    rules: ["DR4"],
    file: "packages/core/src/tools/control-groups.ts",
    find: '(start.kind === "started" && start.at !== owner.start)',
    replace: "false",
    run: controlGroups,
  },
  {
    name: "groups of another PID namespace taken for abandoned",
    rules: ["DR4"],
    file: "packages/core/src/tools/control-groups.ts",
    find: 'owner.space !== facts.space.replaceAll(/\\D/g, "")',
    replace: "false",
    run: controlGroups,
  },
  {
    name: "a neighbour's control group",
    rules: ["TL3"],
    file: "packages/core/src/tools/control-groups.ts",
    find: "path.startsWith(`${root}/`)",
    replace: "path.startsWith(root)",
    run: controlGroups,
  },
  {
    name: "a break told against a request of long ago",
    rules: ["TU7", "PS2"],
    file: "packages/core/src/session/drain.ts",
    find: "    if (ledSince)\n      lead.loaded = { ...lead.loaded, previousBlocks: yield* lastBlocks(ports, lead.loaded.state) }\n",
    replace: "",
    run: leases,
  },
]
