/** All wires: the offline agent does the same task over each, and every fact has a source. */
import { expect, test } from "vitest"
import { createProviderSim, offlineAgent, sourceMarks } from "../src/index.ts"
import type { SimRequest, WireName } from "../src/index.ts"
import { textOf } from "./requests.ts"
import { clients } from "./clients.ts"

const schema = {
  type: "object",
  properties: { filePath: { type: "string" } },
  required: ["filePath"],
}

test.each(clients)("the offline agent reads a file and tells of it over $wire", (client) => {
  const sim = createProviderSim({ models: { agent: offlineAgent() } })
  const send = (request: SimRequest) => JSON.parse(textOf(sim.respond(request, 0))) as never
  const first = client.begin("What is in README.md?", { name: "read", description: "Read a file", schema })
  const asked = send(first.request)
  expect(sim.log[0]?.reply?.calls.map((call) => call.name)).toEqual(["read"])
  send(first.answer(asked, "# Holdfast\n\nA runtime.\n"))
  expect(sim.log.map((record) => [record.wire, record.status, record.model])).toEqual([
    [client.wire, 200, "agent"],
    [client.wire, 200, "agent"],
  ])
  expect(sim.log[1]?.reply?.calls).toEqual([])
  expect(sim.log[1]?.reply?.text).toContain("under the heading “Holdfast”")
})

test("each wire counts the sources of its texts and rules", () => {
  const marks = sourceMarks()
  expect(Object.keys(marks)).toEqual(clients.map((client) => client.wire))
  for (const wire of Object.keys(marks) as WireName[]) {
    const { recorded, documented, assumed } = marks[wire].texts
    expect(recorded + documented).toBeGreaterThan(assumed)
  }
})
