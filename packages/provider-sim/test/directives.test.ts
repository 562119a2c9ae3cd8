/** Directives: a model that was made to follow them does, and says what is wrong about one. */
import { expect, test } from "vitest"
import { createProviderSim, directed, offlineAgent } from "../src/index.ts"
import { body, post, textOf } from "./requests.ts"

const tools = [{ name: "read", input_schema: { type: "object" } }]

function ask(directive: string, more: readonly object[] = []) {
  const sim = createProviderSim({ models: { agent: directed(offlineAgent()) } })
  const messages = [{ role: "user", content: `Do this: @@SIM${directive}@@` }, ...more]
  const respond = () => sim.respond(post(body({ model: "agent", messages, tools })), 0)
  return { respond, sim }
}

const replyTo = (directive: string, more?: readonly object[]) => {
  const { respond, sim } = ask(directive, more)
  respond()
  expect(sim.log[0]?.defect).toBeUndefined()
  return sim.log[0]?.reply
}

const script = JSON.stringify({ steps: [{ text: "Looking.", tools: [{ name: "read" }] }, { text: "Done." }] })

test("follows one step by step, and lets a call have no input", () => {
  expect(replyTo(script)).toMatchObject({ text: "Looking.", calls: [{ name: "read" }] })
  const use = { type: "tool_use", id: "t1", name: "read", input: {} }
  const result = { type: "tool_result", tool_use_id: "t1", content: "x" }
  const later = [
    { role: "assistant", content: [use] },
    { role: "user", content: [result] },
  ]
  expect(replyTo(script, later)).toMatchObject({ text: "Done.", calls: [] })
  expect(replyTo('{"steps":[]}')?.text).toBe("The @@SIM directive has no step 1.")
})

test.each([
  ["{nonsense}", "The @@SIM directive is not valid JSON with a list of steps."],
  ['{"steps":[null]}', "The @@SIM directive is wrong: steps[0] is no object."],
  ['{"steps":[{"tools":[{}]}]}', "The @@SIM directive is wrong: steps[0].tools[0].name is missing."],
  [
    '{"steps":[{"tools":[{"name":"a","input":1}]}]}',
    "The @@SIM directive is wrong: steps[0].tools[0].input is no object.",
  ],
  ['{"steps":[{"text":1}]}', "The @@SIM directive is wrong: steps[0].text is no string."],
  ['{"steps":[{"says":""}]}', "The @@SIM directive is wrong: steps[0].says is not known."],
  ['{"steps":[{"delayMs":-1}]}', "The @@SIM directive is wrong: steps[0].delayMs is less than 0."],
  [
    '{"steps":[{"fault":{"kind":"refused"}}]}',
    "The @@SIM directive is wrong: steps[0].fault.status is missing.",
  ],
  [
    '{"steps":[{"fault":{"kind":"poisoned-image"}}]}',
    "The @@SIM directive is wrong: steps[0].fault.image is missing.",
  ],
])("answers %s with what is wrong about it", (directive, message) => {
  expect(replyTo(directive)?.text).toBe(message)
})

test("a fault that a directive asks for passes after as many tries as it says", () => {
  const { respond } = ask('{"steps":[{"text":"At last.","fault":{"kind":"overloaded"},"faultTries":2}]}')
  expect([respond(), respond()].map(({ status }) => status)).toEqual([529, 529])
  const third = respond()
  expect([third.status, textOf(third).includes("At last.")]).toEqual([200, true])
})
