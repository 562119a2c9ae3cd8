/** Who works in a Session, and from when on (TL6, CO4, EP10). */
import { afterEach, expect, test } from "vitest"
import type { StageAgent } from "../stage/ports.ts"
import { FactSource } from "./fact-source.ts"
import { Stage, type StageOptions } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
const agents = (): Record<string, StageAgent> => ({
  build: { prompt: "You build." },
  plan: { prompt: "You plan.", temperature: 0.25 },
})
const open = (options: StageOptions = {}) => {
  stage = new Stage({ agents: agents(), ...options })
  return stage.create()
}
afterEach(() => stage.close())

type Session = ReturnType<typeof open>
const switchAgent = (session: Session, agent: string) =>
  stage.ask((runtime) => runtime.switchAgent(session, agent))
const agentsOf = (session: Session) => stage.turns(session).map(({ started }) => started.agent)
const prompts = () => stage.sent.map(({ system }) => system.at(-1))

test("[CO4 EP10 TL6] a switch gives the next turn another prompt and temperature, and keeps Epoch and history", () => {
  const session = open({ sources: [new FactSource("stage/fact", "one")] })
  stage.converse(session, "First")
  expect(switchAgent(session, "plan")).toMatchObject({ agent: "plan" })
  stage.converse(session, "Second")
  expect(agentsOf(session)).toEqual(["build", "plan"])
  expect(prompts()).toEqual(["You build.", "You plan."])
  expect(stage.sent.map(({ raw }) => (JSON.parse(raw) as { temperature?: number }).temperature)).toEqual([
    undefined,
    0.25,
  ])
  expect(stage.sent[1]?.lines).toEqual(["user: First", "assistant: Answer 1.", "user: Second"])
  expect(stage.facts(session, "epoch.started")).toHaveLength(1)
  expect(stage.facts(session, "context.updated")).toEqual([])
  expect(stage.verdicts(session)).toEqual(["same", "same"])
})

test("[CO4 DR2] a switch while a turn runs leaves that turn as it is, and holds from the next one on", () => {
  const session = open({ tools: [workTool((line) => stage.journal.push(line), { ms: 5_000 })] })
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  stage.prompt(session, "Work")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  switchAgent(session, "plan")
  stage.settle(session)
  expect(agentsOf(session)).toEqual(["build", "plan"])
  expect(prompts()).toEqual(["You build.", "You plan."])
})

test("[CO4] an unknown agent or Session is a typed failure, and the choice in force again changes nothing", () => {
  const session = open()
  const before = stage.events(session).length
  expect(stage.failure((runtime) => runtime.switchAgent(session, "nobody"))).toMatchObject({
    _tag: "AgentNotFound",
    agent: "nobody",
    message: "There is no agent nobody here.",
  })
  expect(stage.failure((runtime) => runtime.switchAgent(`ses_${"0".repeat(26)}`, "plan"))).toMatchObject({
    _tag: "SessionNotFound",
  })
  switchAgent(session, "build")
  expect(stage.events(session)).toHaveLength(before)
  switchAgent(session, "plan")
  switchAgent(session, "plan")
  expect(stage.events(session)).toHaveLength(before + 1)
  const made = stage.failure((runtime) => runtime.create({ directory: "/project", agent: "nobody" }))
  expect(made).toMatchObject({ _tag: "AgentNotFound" })
})

test("[CA3 TL6] the model of an agent answers where the Session names none itself", () => {
  const own = { provider: "sim", model: "other" }
  const session = open({ agents: { ...agents(), plan: { prompt: "You plan.", model: own } } })
  switchAgent(session, "plan")
  expect(stage.ask((runtime) => runtime.answering(session))).toMatchObject(own)
  stage.converse(session, "First")
  stage.ask((runtime) => runtime.switchModel(session, { provider: "sim", model: "third" }))
  stage.converse(session, "Second")
  expect(stage.turns(session).map(({ started }) => started.model.model)).toEqual(["other", "third"])
})

test("[TL6 DR7] the steps of an agent are its allowance of turns", () => {
  const tools = [workTool((line) => stage.journal.push(line))]
  const session = open({ tools, agents: { build: {}, brief: { turnsMax: 2 } } })
  switchAgent(session, "brief")
  const call = { blocks: [{ type: "tool_use" as const, name: "work", input: {} }] }
  stage.replies.push(call, call, call)
  stage.converse(session, "Work")
  expect(stage.turns(session)).toHaveLength(2)
})

test("[TL6] no other agent takes the place of one that is gone: the prompt waits until it is back", () => {
  const known: Record<string, StageAgent> = agents()
  const session = open({ agents: known })
  switchAgent(session, "plan")
  const { plan } = known
  delete known["plan"]
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "blocked",
    reason: { code: "agent_not_found" },
  })
  expect(stage.sent).toEqual([])
  known["plan"] = plan!
  stage.prompt(session, "Again")
  stage.settle(session)
  expect(stage.sent[0]?.lines).toEqual(["user: Hello", "user: Again"])
})

test("[SK2 EP10] a switch that changes the guidance yields one system message and leaves the Baseline", () => {
  const skills = (names: string) => new FactSource("core/skills", names).context()
  const session = open({
    agents: { build: { context: skills("release, audit") }, plan: { context: skills("audit") }, bare: {} },
    sources: [new FactSource("stage/fact", "one")],
  })
  stage.converse(session, "First")
  switchAgent(session, "plan")
  stage.converse(session, "Second")
  switchAgent(session, "bare")
  stage.converse(session, "Third")
  expect(stage.facts(session, "context.updated").map(({ text }) => text)).toEqual([
    "core/skills is now audit.",
    "core/skills no longer holds.",
  ])
  expect(stage.facts(session, "epoch.started")).toHaveLength(1)
  const [first, ...others] = stage.sent.map(({ system }) => system[0])
  expect(first).toContain("core/skills is release, audit.")
  for (const baseline of others) expect(baseline).toBe(first)
})
