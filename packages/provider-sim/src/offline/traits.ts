/** Traits: what the offline agent can do under the name of a known model, as its clients expect it. */
import type { SimModel } from "../model.ts"

/** documented: models that do not reason; any other name is taken for one that does. */
const plainModels =
  /(^agent-plain$)|\b(gpt-(3|4)|chatgpt-4o|claude-(instant|2|3-(?!7))|gemini-(1|2\.0)|nova-(micro|lite|pro)|llama|mixtral)/

export function traitsOf(name: string): Pick<SimModel, "thinking"> {
  return { thinking: !plainModels.test(name) }
}
