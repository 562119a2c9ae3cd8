/** The planned request against what is really sent afterwards, block by block. */
import { hash } from "node:crypto"
import * as fc from "fast-check"
import { afterEach, expect, test } from "vitest"
import { canonicalJson } from "@holdfast/llm/canonical"
import type { Reply } from "@holdfast/provider-sim"
import { tokensAsCounted } from "@holdfast/recall"
import type { NoticeId, SessionId } from "@holdfast/schema/id"
import type { PlannedRequest } from "@holdfast/schema/planned-request"
import type { TurnRecord } from "@holdfast/schema/turn-record"
import type { ContributedFact } from "@holdfast/store/port"
import { FactSource } from "./fact-source.ts"
import { Stage, type StageOptions } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const open = (options: StageOptions = {}): SessionId => {
  stage = new Stage(options)
  return stage.create()
}
afterEach(() => stage.close())

const preview = (session: SessionId): PlannedRequest => stage.ask((runtime) => runtime.request(session))
const hashesOf = ({ segments }: PlannedRequest): readonly string[] =>
  segments.flatMap(({ blocks }) => blocks.map((block) => block.hash))

interface SentBody {
  readonly tools?: readonly object[]
  readonly system?: readonly object[]
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[]
}

/** Block hashes of a body as it was received, by the definition in the design and not by our code. */
function sentHashes(raw: string): readonly string[] {
  const body = JSON.parse(raw) as SentBody
  const hashed = (place: string) => (block: object) => {
    const { cache_control: _, ...rest } = block as { cache_control?: unknown }
    return hash("sha256", `${place}\n${canonicalJson(rest as never)}`)
  }
  return [
    ...(body.tools ?? []).map(hashed("tool")),
    ...(body.system ?? []).map(hashed("prompt")),
    ...body.messages.flatMap(({ role, content }) => content.map(hashed(role))),
  ]
}

type Round = {
  readonly prompts: readonly { readonly delivery: "steer" | "queue"; readonly length: number }[]
  readonly fact: "same" | "changed" | "incompatible"
  readonly model: "script" | "other" | null
  readonly reply: "text" | "calls" | "empty"
  readonly restart: "no" | "before" | "after"
}

const rounds: fc.Arbitrary<readonly Round[]> = fc.array(
  fc.record({
    prompts: fc.array(
      fc.record({ delivery: fc.constantFrom("steer", "queue"), length: fc.constantFrom(10, 300, 14_000) }),
      { maxLength: 3 },
    ),
    fact: fc.constantFrom("same", "same", "changed", "incompatible"),
    model: fc.constantFrom(null, null, "script", "other"),
    reply: fc.constantFrom("text", "text", "calls", "empty"),
    restart: fc.constantFrom("no", "no", "before", "after"),
  }),
  { minLength: 1, maxLength: 5 },
)

const call: Reply = { blocks: [{ type: "tool_use", name: "work", input: {} }] }
const empty: Reply = { blocks: [] }

function play(session: SessionId, fact: FactSource, round: Round, at: number): void {
  if (round.fact === "changed") fact.value = `value ${at}`
  if (round.fact === "incompatible") fact.shape = fact.shape === "text" ? "body" : "text"
  const model = { provider: "sim", model: round.model ?? "script" }
  if (round.model !== null) stage.ask((runtime) => runtime.switchModel(session, model))
  const sends = round.prompts.map(({ delivery, length }, index) => ({
    id: `r${at}-${index}`,
    delivery,
    text: `Prompt ${at}-${index} ${"word ".repeat(length / 5)}`,
  }))
  for (const { text, ...send } of sends) stage.prompt(session, text, { ...send, resume: false })
  if (round.restart === "before") stage.restart()

  const before = stage.events(session).length
  const planned = preview(session)
  expect(stage.events(session).length).toBe(before)
  if (round.restart === "after") stage.restart()
  if (round.reply === "calls") stage.replies.push(call)
  if (round.reply === "empty") stage.replies.push(empty)

  const from = stage.sent.length
  const [waiting] = stage.ask((runtime) => runtime.inbox(session))
  // The same prompt once more is the wake that was held back.
  if (waiting !== undefined)
    stage.converse(session, waiting.text, { id: waiting.id, delivery: waiting.delivery })
  else if (planned.due) stage.resume(session)
  const sent = stage.sent[from]
  expect(planned.due).toBe(sent !== undefined)
  if (sent === undefined) return
  expect(hashesOf(planned)).toEqual(sentHashes(sent.raw))
  const turns = stage.turns(session)
  const turn = turns.find(({ startedSeq }) => startedSeq > before)
  expect(turn?.started.request.hash).toBe(planned.hash)
  expect(turn?.started).toMatchObject({ break: planned.break })
  const { request, cacheExpected = 0 } = turn?.started ?? {}
  const answered = answeredIn(
    turns.findLast(({ startedSeq }) => startedSeq <= before),
    turn,
  )
  expect(planned.tokens).toBe(tokensAsCounted(request?.tokensEstimated ?? 0, answered))
  expect(planned.tokensCached).toBe(tokensAsCounted(cacheExpected, answered))
}

/** What the same model counted for a request, beside what was estimated. */
function answeredIn(turn: TurnRecord | undefined, following: TurnRecord | undefined) {
  if (turn?.started.model.model !== following?.started.model.model) return null
  const usage = turn?.settled?.ledger.attempts.at(-1)?.usage
  const reported = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0
  return reported > 0 ? { reported, estimated: turn?.started.request.tokensEstimated ?? 0 } : null
}

test("[PG3] the planned request is the one that is sent next, whatever happened before", () =>
  fc.assert(
    fc.property(rounds, (script) => {
      const fact = new FactSource("sim/fact", "one")
      const tool = workTool(() => {})
      const session = open({ sources: [fact], tools: [tool], contextTokens: 20_000 })
      try {
        script.forEach((round, at) => play(session, fact, round, at))
      } finally {
        stage.close()
      }
    }),
    { numRuns: 40, seed: 11 },
  ))

test("[PG3] asking commits nothing, and a Session without anything due shows its window", () => {
  const session = open({ sources: [new FactSource("sim/fact", "one")] })
  stage.replies.push(call)
  stage.converse(session, "First")
  const before = stage.events(session)
  const planned = preview(session)
  expect(stage.events(session)).toEqual(before)
  expect(planned).toMatchObject({ due: false, hash: null, obstacle: null })
  expect(planned.segments.at(-1)?.blocks.map(({ role, kind }) => [role, kind])).toEqual([
    ["user", "text"],
    ["assistant", "call"],
    ["user", "result"],
    ["assistant", "text"],
  ])
})

test("[PG3] a preview samples what it works with once, as a turn does", () => {
  let samples = 0
  const counted = new FactSource("test/counted", "as it is")
  const source = { context: () => (samples++, counted.context()) }
  const session = open({ sources: [source] })
  stage.prompt(session, "hello")
  stage.settle(session)
  expect(samples).toBe(1)
  preview(session)
  expect({ samples, loads: counted.loads }).toEqual({ samples: 2, loads: 2 })
})

test("[PG3] tells segment by segment what the provider is expected to find in its cache", () => {
  const session = open({ sources: [new FactSource("sim/fact", "word ".repeat(2_000))] })
  stage.prompt(session, "First", { resume: false })
  expect(preview(session).tokensCached).toBe(0)
  stage.resume(session)
  stage.prompt(session, "Second", { resume: false })
  const planned = preview(session)
  const [system, agent, tail] = planned.segments
  expect([system?.tokensCached, agent?.tokensCached]).toEqual([system?.tokens, agent?.tokens])
  expect(tail?.tokensCached).toBeGreaterThan(0)
  expect(tail?.tokensCached).toBeLessThan(tail?.tokens ?? 0)
})

test("[PG3] prices come from the ledger, and none is told where none is known", () => {
  const price = { input: 1_000, output: 1_000, cacheRead: 0, cacheWrite: 0 }
  const priced = open({ price })
  const exact = { lastTurn: "exact", session: "exact" }
  expect(preview(priced).cost).toEqual({ lastTurn: null, session: 0, accuracy: exact })
  stage.converse(priced, "First")
  stage.converse(priced, "Second")
  const costs = stage.turns(priced).map(({ settled }) => settled?.ledger.cost ?? NaN)
  const sum = (costs[0] ?? 0) + (costs[1] ?? 0)
  expect(preview(priced).cost).toEqual({ lastTurn: costs[1], session: sum, accuracy: exact })
  stage.close()
  const unpriced = open()
  stage.converse(unpriced, "First")
  expect(preview(unpriced).cost).toEqual({ lastTurn: null, session: null, accuracy: exact })
})

test("[PG3] one turn of unknown cost makes that of the Session unknown, as a run tells it", () => {
  const price = { input: 1_000, output: 1_000, cacheRead: 0, cacheWrite: 0 }
  const session = open({ price })
  stage.converse(session, "First")
  stage.prompt(session, "Second")
  stage.until(() => stage.facts(session, "turn.started").length === 2)
  stage.kill()
  stage.boot() // settles a turn of which nobody knows what it cost
  stage.resume(session)
  expect(stage.ask((runtime) => runtime.result(session)).cost).toBeNull()
  expect(preview(session).cost).toEqual({
    lastTurn: expect.any(Number),
    session: null,
    accuracy: { lastTurn: "exact", session: "incomplete" },
  })
})

test("[PG3] the last break is told with its segment and reason", () => {
  const session = open()
  stage.converse(session, "First")
  expect(preview(session).lastBreak).toBeNull()
  stage.ask((runtime) => runtime.switchModel(session, { provider: "sim", model: "other" }))
  stage.prompt(session, "Second", { resume: false })
  expect(preview(session)).toMatchObject({ break: { segment: "params", reason: "model_changed" } })
  stage.resume(session)
  const turn = stage.turns(session).at(-1)?.started.turn
  expect(preview(session).lastBreak).toMatchObject({ turn, segment: "params", reason: "model_changed" })
})

test("[PG3] says what stands in the way", () => {
  const fact = new FactSource("sim/fact", "one")
  const session = open({ sources: [fact], contextTokens: 5_000 })
  stage.prompt(session, "First", { resume: false })
  stage.locationThere = false
  expect(preview(session).obstacle?.code).toBe("location_missing")
  stage.locationThere = true
  fact.breaks = "the disk is gone"
  expect(preview(session)).toMatchObject({ obstacle: { code: "context_defect" }, segments: [], hash: null })
  fact.breaks = null
  expect(preview(session).obstacle).toBeNull()
  stage.prompt(session, "long ".repeat(5_000), { resume: false })
  const refused = preview(session)
  expect(refused.obstacle?.code).toBe("window_exceeded")
  expect(refused.tokens).toBeGreaterThan(5_000)
})

test("[PG3 DR4] a turn that nobody runs any more is shown as the next drain will settle it", () => {
  const session = open({ tools: [workTool((line) => stage.journal.push(line), { ms: 600_000 })] })
  stage.replies.push(call)
  const first = stage.current
  stage.prompt(session, "First")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  const second = stage.boot()
  stage.pass(5_000) // it has seen that the first one lives, and looks no more
  stage.current = first
  stage.kill()
  stage.current = second
  const before = stage.events(session).length
  const planned = preview(session)
  expect(stage.events(session).length).toBe(before)
  const from = stage.sent.length
  stage.resume(session)
  expect(hashesOf(planned)).toEqual(sentHashes(stage.sent[from]?.raw ?? "{}"))
})

test("[PG3 PR8] what an interrupt left owing stays due behind a notice that calls for no turn", () => {
  const session = open()
  stage.replies.push({ blocks: [{ type: "text", text: "slow" }], firstByteMs: 60_000 })
  stage.prompt(session, "Hello")
  stage.until(() => stage.sent.length === 1)
  stage.ask((runtime) => runtime.interrupt(session))
  stage.settle(session)
  const notice: ContributedFact = {
    type: "notice.admitted",
    notice: "command:1" as NoticeId,
    source: { kind: "command", id: "1" },
    text: "The command has ended.",
    delivery: "steer",
    wakes: false,
  }
  stage.ask((runtime) => runtime.contribute(session, notice))
  const planned = preview(session)
  expect(planned.due).toBe(true)
  stage.resume(session)
  expect(stage.turns(session).at(-1)?.started.request.hash).toBe(planned.hash)
})
