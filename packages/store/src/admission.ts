/** The fact that an admission writes: for its commit, for the check before it, and for whoever folds it in. */
import type { FactOf } from "@holdfast/schema/event"
import type { PromptBody } from "@holdfast/schema/prompt"
import type { Admit } from "./port.ts"

export const admissionOf = ({ prompt, text, images, delivery }: Admit): FactOf<"prompt.admitted"> => ({
  type: "prompt.admitted",
  prompt,
  ...bodyOf(text, images),
  delivery,
})

export const bodyOf = (text: string, images: Admit["images"]): PromptBody =>
  images === undefined || images.length === 0 ? { text } : { text, images }
