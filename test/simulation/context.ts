/** What a place of the simulation says to the model: a value that somebody changes, and the place itself. */
import { Effect, Schema } from "effect"
import { combine, dateSource, make, type SystemContext } from "@holdfast/core/context/index"
import type { Location } from "@holdfast/schema/location"
import type { World } from "../stage/scheduler.ts"
import { placeText } from "./people/traveller.ts"

const date = dateSource({ timeZone: "UTC" })

export function simContext(world: World, value: number, location: Location): SystemContext {
  const place = placeText(location.directory)
  // Every fourth change also changes the codec, so that the stored value no longer decodes.
  const incompatible = Math.floor(value / 4) % 2 === 1
  const shape = incompatible ? Schema.Struct({ body: Schema.Number }) : Schema.Struct({ text: Schema.Number })
  const loaded = incompatible ? { body: value } : { text: value }
  const source = make({
    key: "sim/value",
    codec: shape as unknown as Schema.Codec<
      { text?: number; body?: number },
      { text?: number; body?: number }
    >,
    load: Effect.sleep(world.below(5)).pipe(Effect.as(loaded)),
    baseline: () => `The value is ${value}.${place}`,
    update: () => `The value is now ${value}.${place}`,
  } as never)
  return combine([date, source])
}
