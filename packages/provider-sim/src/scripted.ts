/**
 * Scripted models: replies decided by a test.
 *
 * A list is read by call number, so it has state in the provider. A directive inside the user's
 * text is read by its distance from the end of the conversation, so it has none and works across
 * processes:
 *
 *   @@SIM{"steps":[{"tools":[{"name":"read","input":{"path":"a.md"}}]},{"text":"Done."}]}@@
 */
import type { Fault, ImageName } from "./faults.ts"
import type { Reply, ReplyBlock, RequestView, SimModel } from "./model.ts"
import type { JsonObject } from "./json.ts"

/** One step of a directive. */
export interface DirectiveStep extends Omit<Reply, "blocks"> {
  readonly thinking?: string
  readonly text?: string
  readonly tools?: readonly { readonly name: string; readonly input: JsonObject; readonly id?: string }[]
}

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

/** The reply that a directive asks for at this step, or nothing if the text holds none. */
export function directiveReply(text: string, step: number): Reply | undefined {
  const start = text.lastIndexOf("@@SIM{")
  if (start < 0) return undefined
  const end = text.indexOf("}@@", start)
  const steps = end < 0 ? undefined : parseSteps(text.slice(start + "@@SIM".length, end + 1))
  if (steps === undefined) return textReply("The @@SIM directive is not valid JSON with a list of steps.")
  const chosen = steps[step]
  return chosen === undefined ? textReply(`The @@SIM directive has no step ${step + 1}.`) : stepReply(chosen)
}

function parseSteps(json: string): readonly DirectiveStep[] | undefined {
  try {
    const value = JSON.parse(json) as { steps?: unknown }
    return Array.isArray(value.steps) ? (value.steps as DirectiveStep[]) : undefined
  } catch {
    // A syntax error in a directive is an answer to its author, not a crash.
    return undefined
  }
}

function stepReply(step: DirectiveStep): Reply {
  const { thinking, text, tools, ...rest } = step
  const blocks: ReplyBlock[] = []
  if (thinking !== undefined) blocks.push({ type: "thinking", text: thinking })
  if (text !== undefined && text !== "") blocks.push({ type: "text", text })
  for (const tool of tools ?? []) blocks.push({ type: "tool_use", ...tool })
  return { ...rest, blocks }
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
