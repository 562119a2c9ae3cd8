/** What readers outside see: everything but what only serves to build requests again. */
import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { Event, factShapes } from "../src/event.ts"
import { publicEvent, PublicEvent, publicFactShapes } from "../src/fact/public.ts"

const decode = Schema.decodeUnknownSync(PublicEvent, { onExcessProperty: "error" })

it.prop(
  "[EV1] public events fit their shapes, which are apart from the stored ones",
  { event: Event },
  ({ event }) => {
    const told = publicEvent(event)
    expect(decode(told)).toEqual(told)
    const { session, seq, time, fact } = told
    expect([session, seq, time, fact.type]).toEqual([event.session, event.seq, event.time, event.fact.type])
    for (const hidden of ["snapshot", "changes"]) expect(fact).not.toHaveProperty(hidden)
    if (fact.type === "part.recorded") expect(fact.part).not.toHaveProperty("native")
  },
  { arbitrary: { runs: 400, seed: 11 } },
)

it("[EV1] every fact has a public shape", () =>
  expect([...publicFactShapes.keys()]).toEqual([...factShapes.keys()]))
