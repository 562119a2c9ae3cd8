/** Model names as people write them: `provider/model`. */
import { Effect } from "effect"
import { ModelNotFound } from "@holdfast/schema/error"
import { type ModelRef, parseModelRef } from "@holdfast/schema/model"

const shownLengthMax = 200

export function modelNamed(text: string): Effect.Effect<ModelRef, ModelNotFound> {
  const ref = parseModelRef(text)
  if (ref !== null) return Effect.succeed(ref)
  const model = text.slice(0, shownLengthMax)
  const message = `${JSON.stringify(model)} names no model. Write provider and model with a slash between them, as in "anthropic/claude-sonnet-4-6".`
  return Effect.fail(new ModelNotFound({ model, message }))
}
