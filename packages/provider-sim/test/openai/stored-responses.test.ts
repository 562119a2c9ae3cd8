/** Stored responses: what was stored can be named, what was not cannot. */
import { expect, test } from "vitest"
import { createProviderSim, scripted } from "../../src/index.ts"
import { textOf } from "../requests.ts"
import { postTo } from "./requests.ts"

interface ResponseJson {
  readonly id: string
  readonly previous_response_id: string | null
  readonly output: readonly { readonly type: string; readonly id: string; readonly call_id?: string }[]
  readonly error?: { readonly message: string }
}

const tools = [{ type: "function", name: "read", parameters: { type: "object", properties: {} } }]

function converse(store?: boolean) {
  const model = scripted(
    [
      {
        blocks: [
          { type: "thinking", text: "Hm." },
          { type: "tool_use", name: "read", input: {} },
        ],
      },
      { blocks: [{ type: "text", text: "Done." }] },
    ],
    { thinking: true },
  )
  const sim = createProviderSim({ models: { m: model } })
  const send = (input: unknown, more: object = {}) => {
    const body = { model: "m", tools, input, ...(store === undefined ? {} : { store }), ...more }
    const response = sim.respond(postTo("/v1/responses", body), 0)
    return { status: response.status, said: JSON.parse(textOf(response)) as ResponseJson }
  }
  const first = send("Hello").said
  const output = { type: "function_call_output", call_id: first.output[1]?.call_id, output: "x" }
  return { sim, send, first, output }
}

test("a response that is named stands before the input, and so does what stood before it", () => {
  const { sim, send, first, output } = converse()
  const second = send([output], { previous_response_id: first.id })
  expect([second.status, second.said.previous_response_id]).toEqual([200, first.id])
  expect(sim.log[1]?.reply?.text).toBe("Done.")
  const third = send("And?", { previous_response_id: second.said.id })
  expect(third.status).toBe(200)
  expect(sim.log[2]?.cache?.input).toBeGreaterThan(sim.log[1]?.cache?.input ?? Infinity)
})

test("items that are named, and reasoning without its seal, are found where they were stored", () => {
  const { send, first, output } = converse()
  const named = first.output.map(({ id }) => ({ type: "item_reference", id }))
  expect(send([{ role: "user", content: "Hello" }, ...named, output]).status).toBe(200)
  expect(send([{ role: "user", content: "Hello" }, ...first.output, output]).status).toBe(200)
})

test("what was not stored is not found", () => {
  const { send, first, output } = converse(false)
  const named = first.output.map(({ id }) => ({ type: "item_reference", id }))
  const lost = send([{ role: "user", content: "Hello" }, ...named, output])
  expect([lost.status, lost.said.error?.message]).toEqual([
    404,
    expect.stringContaining("not found") as string,
  ])
  expect(send([{ role: "user", content: "Hello" }, ...first.output, output]).status).toBe(404)
  const unknown = send([output], { previous_response_id: first.id })
  expect(unknown.said.error?.message).toBe(`Previous response with id '${first.id}' not found.`)
})
