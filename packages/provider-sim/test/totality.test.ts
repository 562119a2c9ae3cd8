/**
 * Totality: whatever comes in over any wire is answered, and nothing breaks on the way. Legal requests
 * are changed in a few places; what a prompt says is changed too, directives included.
 * `HOLDFAST_SIM_REQUESTS` says how many.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { createProviderSim, directed, offlineAgent } from "../src/index.ts"
import type { SimRequest } from "../src/index.ts"
import { clients } from "./clients.ts"
import type { Client } from "./clients.ts"
import { png } from "./pictures.ts"
import { textOf } from "./requests.ts"

const requests = Number(process.env["HOLDFAST_SIM_REQUESTS"] ?? 1_500)
const timeout = 60_000 + requests * 20

const question = "What is in README.md?"

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
  "constructor",
  "read",
  [],
  [null],
  [{}],
  {},
  { type: "x" },
  { type: "text" },
  { name: "read" },
  { toString: null },
  { length: 3 },
)

const anyStep = fc.oneof(
  odd,
  fc.record(
    {
      text: fc.oneof(odd, fc.string()),
      thinking: odd,
      tools: fc.oneof(odd, fc.array(fc.record({ name: odd, input: odd, id: odd }, { requiredKeys: [] }))),
      stopReason: odd,
      delayMs: odd,
      chunkChars: odd,
      bytesPerWrite: odd,
      fault: fc.oneof(
        odd,
        fc.record({
          kind: fc.constantFrom("stall", "cut", "refused", "poisoned-image", "overflow", "html", "x"),
          status: odd,
          image: odd,
          afterDeltas: odd,
        }),
      ),
      faultTries: odd,
      outputTokens: odd,
      unknownEvents: odd,
    },
    { requiredKeys: [] },
  ),
)
const anyDirective = fc.oneof(
  { weight: 4, arbitrary: fc.array(anyStep, { maxLength: 3 }).map((steps) => JSON.stringify({ steps })) },
  { weight: 1, arbitrary: fc.json() },
)
const anyPrompt = fc.oneof(
  fc.constant(question),
  anyDirective.map((json) => `Do: @@SIM${json}@@`),
  fc.string(),
)

/** What a client sends after its first call was answered, with every setting that it has. */
function legalRequest(client: Client): { readonly request: SimRequest; readonly body: Json } {
  const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
  const sim = createProviderSim({ models: { agent: offlineAgent() } })
  const begun = client.begin(question, { name: "read", description: "Read a file", schema }, png(8, 8))
  const asked = JSON.parse(textOf(sim.respond(begun.request, 0))) as never
  const request = begun.answer(asked, "# Holdfast\n")
  const body = JSON.parse(new TextDecoder().decode(request.body)) as object
  return { request, body: { ...body, ...client.extras } as Json }
}

test.each(clients)("$wire answers anything that is made of a legal request", { timeout }, (client) => {
  const sim = createProviderSim({ models: { agent: directed(offlineAgent()) }, logMax: 1 })
  const { request, body } = legalRequest(client)
  const send = (value: Json) =>
    sim.respond({ ...request, body: new TextEncoder().encode(JSON.stringify(value)) }, 0)
  expect(send(body).status === 200 ? "" : sim.log[0]?.error?.message).toBe("")
  const places = placesIn(body)
  const property = fc.property(
    anyPrompt,
    fc.array(fc.tuple(fc.nat(places.length - 1), odd), { maxLength: 3 }),
    (prompt, changes) => {
      const said = JSON.stringify(body).replaceAll(JSON.stringify(question), () => JSON.stringify(prompt))
      let value = JSON.parse(said) as Json
      for (const [index, put] of changes) value = changed(value, places[index] ?? [], put)
      const response = send(value)
      const [record] = sim.log
      expect(record?.defect).toBeUndefined()
      expect(response.status).toBeLessThan(600)
      if (record?.error !== undefined) expect(record.error.message).not.toBe("")
      let frames = 0
      for (const _ of response.frames) if ((frames += 1) > 10_000) break
    },
  )
  fc.assert(property, { seed: 11, numRuns: Math.ceil(requests / clients.length) })
})
