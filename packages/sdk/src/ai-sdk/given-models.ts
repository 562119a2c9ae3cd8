/** Given models under names that a Session can record, or the failure that tells which name cannot be one. */
import { Effect } from "effect"
import type { GivenModels } from "@holdfast/core/host/given-models"
import { ConfigurationInvalid } from "@holdfast/schema/error"
import { parseModelRef } from "@holdfast/schema/model"
import type { HoldfastOptions } from "../holdfast.ts"

export function givenModels({
  models = {},
}: Pick<HoldfastOptions, "models">): Effect.Effect<GivenModels, ConfigurationInvalid> {
  const misnamed = Object.keys(models).find((name) => parseModelRef(name) === null)
  if (misnamed === undefined) return Effect.succeed(new Map(Object.entries(models)))
  const message = `models names ${JSON.stringify(misnamed)}. Name provider and model with a slash between them, as in "NAME/MODEL".`
  return Effect.fail(new ConfigurationInvalid({ message, file: "openHoldfast(…)", line: 1 }))
}
