/** The fact that an admission writes: for its commit, for the check before it, and for whoever folds it in. */
import { hash } from "node:crypto"
import type { FactOf } from "@holdfast/schema/event"
import type { PromptBody } from "@holdfast/schema/prompt"
import type { Admit } from "./port.ts"

export const admissionOf = ({
  prompt,
  text,
  images,
  calls,
  delivery,
  sidekick,
  given,
}: Admit): FactOf<"prompt.admitted"> => ({
  type: "prompt.admitted",
  prompt,
  ...bodyOf(text, images),
  ...(calls !== undefined && calls.length > 0 && { calls }),
  delivery,
  ...(sidekick === true && { sidekick }),
  ...(given !== undefined && { given }),
})

export const bodyOf = (text: string, images: Admit["images"]): PromptBody =>
  images === undefined || images.length === 0 ? { text } : { text, images }

/**
 * Tells a repeated admission from a conflict without reading the log (PR2). Images count as they
 * were given: another version of the image engine may store other bytes for the same ones. Calls do
 * so too: a file may have changed between two admissions of one prompt.
 */
export function hashBody({ text, images = [], calls = [] }: PromptBody): string {
  const shown = images.map((image) => `\u0000${image.given ?? image.hash}`).join("")
  const made = calls.map(({ tool, argument }) => `\u0000${tool}\u0001${argument}`).join("")
  return hash("sha256", text + shown + made)
}
