/** Model names as people write them: `provider/model`. */
import { Effect } from "effect"
import { ModelNotFound } from "@holdfast/schema/error"
import { type ModelRef, parseModelRef } from "@holdfast/schema/model"

export function parseModel(text: string): Effect.Effect<ModelRef, ModelNotFound> {
  const ref = parseModelRef(text)
  if (ref !== null) return Effect.succeed(ref)
  const message = `${JSON.stringify(text)} names no model. Write provider and model with a slash between them, as in "anthropic/claude-sonnet-4-6".`
  return Effect.fail(new ModelNotFound({ model: text, message }))
}
