/** All wires: the offline agent does the same task over each, and every fact has a source. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { createProviderSim, offlineAgent, sourceMarks } from "../src/index.ts"
import type { ProviderSim, SimRequest, WireName } from "../src/index.ts"
import { textOf } from "./requests.ts"
import { png } from "./pictures.ts"
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

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Every place in a document, as the keys that lead there. */
function placesIn(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, item]) => placesIn(item, [...path, key]))]
}

/** The document with another value at a place, or with nothing there. */
function changed(value: Json, [key, ...rest]: readonly string[], put: Json | undefined): Json {
  if (key === undefined) return put ?? {}
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, Json>
  if (rest.length > 0) copy[key] = changed(copy[key] ?? null, rest, put)
  else if (put === undefined) delete copy[key]
  else copy[key] = put
  return copy as Json
}

const odd = fc.constantFrom<Json | undefined>(
  undefined,
  null,
  true,
  -1,
  1.5,
  "",
  "x",
  [],
  [null],
  {},
  { type: "x" },
)

test.each(clients)("$wire answers any change to a legal request without a crash", (client) => {
  const sim = createProviderSim({ models: { agent: offlineAgent() } })
  const tool = { name: "read", description: "Read a file", schema }
  const first = client.begin("What is in README.md?", tool, png(8, 8))
  const asked = JSON.parse(textOf(sim.respond(first.request, 0))) as never
  const request = first.answer(asked, "# Holdfast\n")
  const plain = JSON.parse(new TextDecoder().decode(request.body)) as object
  const legal = { ...plain, ...client.extras } as Json
  const sent = { ...request, body: new TextEncoder().encode(JSON.stringify(legal)) }
  expect(sim.respond(sent, 0).status === 200 ? "" : sim.log.at(-1)?.error?.message).toBe("")
  const places = placesIn(legal)
  const property = fc.property(
    fc.array(fc.tuple(fc.nat(places.length - 1), odd), { maxLength: 2 }),
    (changes) => {
      let value = legal
      for (const [index, put] of changes) value = changed(value, places[index] ?? [], put)
      const response = sim.respond({ ...request, body: new TextEncoder().encode(JSON.stringify(value)) }, 0)
      expect([200, 400, 404]).toContain(response.status)
      if (response.status !== 200) expect(sim.log.at(-1)?.error?.message).not.toBe("")
      textOf(response)
    },
  )
  fc.assert(property, { seed: 11, numRuns: 150 })
})

test("each wire counts the sources of its texts and rules", () => {
  const marks = sourceMarks()
  expect(Object.keys(marks)).toEqual(clients.map((client) => client.wire))
  for (const wire of Object.keys(marks) as WireName[]) {
    const { recorded, documented, assumed } = marks[wire].texts
    expect(recorded + documented).toBeGreaterThan(assumed)
  }
})

test("a path that no wire knows is answered as Anthropic answers", () => {
  const sim: ProviderSim = createProviderSim({ models: {} })
  const request = { method: "POST", path: "/nowhere", headers: {}, body: new Uint8Array() }
  expect(sim.respond(request, 0).status).toBe(404)
  expect(sim.log[0]).toMatchObject({ wire: "anthropic-messages", error: { type: "not_found_error" } })
})
