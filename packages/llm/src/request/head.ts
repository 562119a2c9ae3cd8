/**
 * What stands before the conversation: tools, then prompts, each block made once (TU1).
 *
 * A hosted tool is one that the provider runs itself (LL8, CA2). Its declaration is the provider's word
 * and passes as it was given, behind the functions; a wire without such tools refuses them before
 * anything is sent.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import type { Segments, Target, ToolDefinition } from "../segments.ts"
import type { Block } from "../wire.ts"
import { isBlank } from "./runtime-words.ts"
import { sizedBlock } from "./sized-block.ts"

/** How a wire writes its head; `by` is what that depends on beside the segments. */
export interface HeadForms<By> {
  readonly tool: (tool: ToolDefinition, by: By) => Block
  readonly prompt: (segment: "system" | "agent", text: string, by: By) => Block
  readonly idOf?: (by: By) => string
  /** Absent where the wire has no hosted tools. */
  readonly hosted?: { readonly markable: boolean }
}

export interface Head {
  readonly tools: readonly Block[]
  readonly prompts: readonly Block[]
}

/** Prompts and tools kept by their text: one of each is in use per Epoch and agent. */
const keptMax = 64

/** `needsTool`: whether the conversation would be refused where no tool is defined. */
export function makeHead<By>(
  forms: HeadForms<By>,
): (segments: Segments, target: Target, by: By, needsTool?: () => boolean) => Head {
  const { tool, prompt, idOf = String, hosted } = forms
  const tools = new WeakMap<object, Map<string, Block>>()
  const prompts = new Map<string, Block>()

  function toolOnce(of: ToolDefinition | JsonObject, id: string, make: () => Block): Block {
    const known = tools.get(of) ?? new Map<string, Block>()
    tools.set(of, known)
    return once(known, id, make)
  }

  return ({ system, agent, tools: defined }, { options }, by, needsTool) => {
    const id = idOf(by)
    const declared = hosted === undefined ? [] : (options.model.hostedTools ?? [])
    const isBare = defined.length === 0 && declared.length === 0
    const functions = isBare && needsTool?.() === true ? [placeholderTool] : defined
    const said = Object.entries({ system, agent } as const).filter(([, text]) => !isBlank(text))
    return {
      tools: [
        ...functions.map((one) => toolOnce(one, id, () => tool(one, by))),
        ...declared.map((one) =>
          toolOnce(one, "", () => sizedBlock("tools", null, "tool", canonicalJson(one), hosted)),
        ),
      ],
      prompts: said.map(([segment, text]) =>
        once(prompts, `${id} ${segment}\n${text}`, () => prompt(segment as "system" | "agent", text, by)),
      ),
    }
  }
}

/** What was used last is kept, so that no request loses a block in favour of another of its own. */
function once(kept: Map<string, Block>, key: string, make: () => Block): Block {
  const block = kept.get(key) ?? make()
  kept.delete(key)
  kept.set(key, block)
  const [oldest] = kept.keys()
  if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest)
  return block
}

/** recorded: calls in history are refused where no tool is defined. */
const placeholderTool: ToolDefinition = {
  name: "no_tool_available",
  description: "No tool can be called in this turn. Answer in text.",
  inputSchema: { type: "object", properties: {} },
}
