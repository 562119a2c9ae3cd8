import { inlineHistorian } from "@holdfast/recall"
import { sourceOfInstructions } from "../../src/instructions/source.ts"
import { expect, test } from "vitest"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import type { Fact } from "@holdfast/schema/event"
import type { IdPrefix } from "@holdfast/schema/id"
import { renderVersion } from "@holdfast/recall"
import { Effect, Schema } from "effect"
import { combine, make, observe, unavailable, type Observation } from "../../src/context/index.ts"
import { type BoundaryPlan, idleOf, planBoundary } from "../../src/session/boundary.ts"
import { planPromotion } from "../../src/session/inbox.ts"
import type { Selection } from "../../src/session/request/request.ts"
import { emptyState, type SessionState, type TurnState } from "@holdfast/schema/state/state"
import {
  admitted,
  callPart,
  callSettled,
  callStarted,
  fold,
  messageId,
  prompt,
  promoted,
  session,
  settled,
  started,
} from "./records.ts"

interface Value {
  readonly text: string | null
  /** Another codec: what was stored before does not decode. */
  readonly other?: boolean
}

/** Sources `sim/a`, `sim/b`, … with these values; null is unavailable. */
function observed(...values: readonly Value[]): Observation {
  const sources = values.map(({ text, other = false }, at) =>
    make({
      key: `sim/${"abc"[at]}`,
      codec: (other ? Schema.Struct({ body: Schema.String }) : Schema.String) as Schema.Codec<
        unknown,
        string
      >,
      mayBeUnavailable: true,
      load: Effect.succeed(text === null ? unavailable : other ? { body: text } : text),
      baseline: () => `${"abc"[at]} is ${text}.`,
      update: () => `${"abc"[at]} is now ${text}.`,
    }),
  )
  return Effect.runSync(observe(combine(sources)))
}

const selection: Selection = {
  render: renderVersion,
  wire: anthropicMessages,
  target: {
    provider: "sim",
    model: "script",
    endpoint: "http://sim",
    options: plainOptions(1_000),
  },
  contextTokens: 20_000,
  contextTokensStated: 20_000,
  tools: [],
  agent: "build",
  agentPrompt: "agent",
}

function plan(
  state: SessionState,
  observation: Observation,
  pending = [prompt(50)],
  continuing = false,
): BoundaryPlan {
  let ids = 0
  return planBoundary({
    session,
    nowMs: 0,
    state: { ...state, inbox: pending },
    promotion: planPromotion({ continuing, pending }),
    resumes: null,
    observation,
    selection,
    previousBlocks: null,
    newId: (prefix: IdPrefix) => `${prefix}_${900 + ids++}`,
    refusal: null,
    historian: inlineHistorian,
    memory: null,
  })
}

const factsOf = (made: BoundaryPlan): readonly Fact[] => (made.kind === "blocked" ? [] : made.commit.facts)
/** Which pass it is, is looked at elsewhere. */
const typesOf = (made: BoundaryPlan) =>
  factsOf(made).flatMap(({ type }) => (type === "pass.applied" ? [] : [type]))

const epoch: Fact = {
  type: "epoch.started",
  baseline: "a is 1.\n\nb is 1.",
  snapshot: { "sim/a": { value: "1" }, "sim/b": { value: "1" } },
  cause: "first",
}
const answered = fold([admitted(1), epoch, promoted(1, 1), started(1), settled(1, "done")])

test("[EP2] starts the first Epoch before the first promotion and writes no system message", () => {
  const made = plan(emptyState, observed({ text: "1" }, { text: "1" }), [prompt(1), prompt(2)])
  expect(typesOf(made)).toEqual(["epoch.started", "prompt.promoted", "prompt.promoted", "turn.started"])
  expect(factsOf(made)[0]).toEqual({ ...epoch, cause: "first" })
})

test("[EP2] blocks the first turn, with every key, while a source is unavailable", () => {
  const made = plan(emptyState, observed({ text: null }, { text: "1" }, { text: null }))
  expect(made).toMatchObject({ kind: "blocked", reason: { code: "context_unavailable" } })
  expect(made.kind === "blocked" && made.reason.message).toContain("sim/a, sim/c")
})

test("[EP3 EP4] puts promoted input first, then one system message for all changes", () => {
  const made = plan(answered, observed({ text: "2" }, { text: "3" }), [prompt(8), prompt(7)])
  expect(typesOf(made)).toEqual(["prompt.promoted", "prompt.promoted", "context.updated", "turn.started"])
  expect(factsOf(made)[2]).toMatchObject({
    text: "a is now 2.\n\nb is now 3.",
    texts: [
      { key: "sim/a", text: "a is now 2." },
      { key: "sim/b", text: "b is now 3." },
    ],
    changes: { "sim/a": { value: "2" }, "sim/b": { value: "3" } },
  })
})

test("[EP4] writes no system message where nothing changed", () =>
  expect(typesOf(plan(answered, observed({ text: "1" }, { text: "1" })))).toEqual([
    "prompt.promoted",
    "turn.started",
  ]))

test("[EP13] makes the observation the Baseline, and no message, where the Epoch ends", () => {
  const made = plan(answered, observed({ text: "2", other: true }, { text: "3" }))
  expect(typesOf(made)).toEqual(["prompt.promoted", "epoch.started", "turn.started"])
  expect(factsOf(made)[1]).toMatchObject({ baseline: "a is 2.\n\nb is 3.", cause: "incompatible" })
})

test("[EP8 EP13] goes on under the old Baseline while replacement is blocked", () => {
  const made = plan(answered, observed({ text: "2", other: true }, { text: null }))
  expect(made.kind).toBe("ready")
  expect(typesOf(made)).toEqual(["prompt.promoted", "turn.started"])
})

test("[PR4] names every promoted prompt with the body it was planned with", () => {
  const edited = { ...prompt(7), bodySeq: 12 }
  const made = plan(answered, observed({ text: "1" }, { text: "1" }), [edited])
  expect(made.kind === "ready" && made.commit.promotes).toEqual([{ prompt: "p7", bodySeq: 12 }])
})

test("[DR7] counts turns since the newest input, and any number of inputs resets the count once", () => {
  const used = (made: BoundaryPlan) => (made.kind === "ready" ? made.opened.started.allowanceUsed : null)
  const same = observed({ text: "1" }, { text: "1" })
  const working = fold(
    [
      started(2, { allowanceUsed: 7 }),
      callPart(2, 0, 1),
      callStarted(2, 1),
      callSettled(2, 1),
      settled(2, "continue"),
    ],
    answered,
  )
  expect(used(plan(working, same, [], true))).toBe(8)
  expect(used(plan(working, same, [prompt(8), prompt(9)], true))).toBe(1)
  expect(used(plan(working, same, [prompt(8, "queue")], true))).toBe(8)
})

test("[TU6] opens and fails the turn in one commit when what cannot be reduced is too large", () => {
  const huge = { ...prompt(8), text: "x".repeat(100_000) }
  const made = plan(answered, observed({ text: "1" }, { text: "1" }), [huge])
  expect(made).toMatchObject({ kind: "refused", reason: { code: "window_exceeded" } })
  expect(typesOf(made)).toEqual(["prompt.promoted", "turn.started", "turn.settled"])
})

test("[TU6] a Baseline that is too large names the instruction files that make it so", () => {
  const file = (path: string, units: number) => ({ path, text: "x".repeat(units) })
  const found = [file("/p/AGENTS.md", 900), file("/p/a/AGENTS.md", 100_000)]
  const observation = Effect.runSync(observe(sourceOfInstructions(Effect.succeed(found))))
  const made = plan(emptyState, observation)
  expect(made.kind === "refused" && made.reason.message).toMatch(
    /The Baseline holds instruction files \(core\/instructions\): \/p\/a\/AGENTS\.md about \d{5} tokens, \/p\/AGENTS\.md about \d{3} tokens\. Shorten the Baseline/,
  )
})

test("[EP7 EP9] tells a fresh Epoch by what ended the one before, whichever came last", () => {
  const moved: Fact = { type: "session.moved", location: { directory: "/b", projectRoot: "/b" } }
  const staged: Fact = { type: "revert.staged", revert: "r1", message: messageId(101), fromSeq: 3, files: [] }
  const reverted: Fact = { type: "revert.applied", revert: "r1", fromSeq: 3, withdraws: [], historyEnd: 0 }
  const causeAfter = (...facts: readonly Fact[]) =>
    factsOf(plan(fold(facts, answered), observed({ text: "1" }))).map((fact) =>
      fact.type === "epoch.started" ? fact.cause : null,
    )[0]
  expect(causeAfter(moved)).toBe("moved")
  expect(causeAfter(staged, reverted)).toBe("reverted")
  expect(causeAfter(staged, reverted, moved)).toBe("moved")
  expect(causeAfter(moved, staged, reverted)).toBe("reverted")
})

test("[PS5] a request that only kept the cache warm ends idleness as any other does", () => {
  const last = { startedAt: 1_000, started: { request: { markers: [] } } } as unknown as TurnState
  expect(idleOf(last, 401_000).ms).toBe(400_000)
  expect(idleOf(last, 401_000, 300_000).ms).toBe(101_000)
  expect(idleOf(last, 401_000, 500).ms).toBe(400_000)
  expect(idleOf(null, 401_000, 300_000).ms).toBeNull()
})
