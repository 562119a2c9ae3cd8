/** Scripted models: replies decided by a test. A list is read by call number. */
import type { Fault, ImageName } from "./faults.ts"
import type { Reply, RequestView, SimModel } from "./model.ts"

/** A model that plays replies in order, or asks a function; a list that has run out says so. */
export function scripted(
  replies: readonly Reply[] | ((view: RequestView) => Reply),
  traits: Omit<SimModel, "reply"> = {},
): SimModel {
  const reply =
    typeof replies === "function"
      ? replies
      : (view: RequestView) => replies[view.callIndex] ?? textReply("The script has no more replies.")
  return { ...traits, reply }
}

/** A reply that is one text. */
export function textReply(text: string): Reply {
  return { blocks: [{ type: "text", text }] }
}

/** A model that cannot read one image: every request that holds it is refused. */
export function poisoned(model: SimModel, image: ImageName): SimModel {
  const fault: Fault = { kind: "poisoned-image", image }
  return { ...model, reply: (view) => ({ fault, ...model.reply(view) }) }
}

/** A fault on an otherwise plain reply; the usual way to script trouble. */
export function faulty(fault: Fault, text = "This text may never arrive."): Reply {
  return { ...textReply(text), fault }
}
