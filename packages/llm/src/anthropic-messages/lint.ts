/** The rules of the Messages API, and how its blocks are told (LL3). */
import { fault, type Piece, strange, text } from "../grammar/piece.ts"
import { commonRules, wrongIn } from "../grammar/rules.ts"
import { makeLinter, unionFault } from "../grammar/linter.ts"
import { thinkingFaults } from "../grammar/thinking.ts"
import { seenBase64, type SeenImage } from "../image/check.ts"
import { anthropicImages } from "../image/rules.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { Block } from "../wire.ts"
import { isHosted } from "./block-shape.ts"
import { hostedToolFault, isHostedTool, nameShape } from "./hosted-tool.ts"

export const lint = makeLinter((target) => ({
  rules: {
    ...commonRules,
    key: String(target.options.traits.systemRole === true),
    // recorded: role 'system' must follow a 'user' message, and precede an 'assistant' one or end the array.
    system: target.options.traits.systemRole === true ? "before an answer" : "nowhere",
    // recorded: a conversation may begin with the assistant, and answers may stand in a row.
    userBefore: "nothing",
    toolName: nameShape, // documented
    callsWantTools: true, // recorded
    pausesInHosted: true, // documented
    images: anthropicImages,
  },
  piecesOf,
  toolOf: (value) =>
    isHostedTool(value)
      ? { kind: "hosted", ...named(value), fault: hostedToolFault(value) }
      : { kind: "function", name: textOf(value["name"]), schema: value["input_schema"] },
  schemaFault: (schema) =>
    unionFault(schema) ??
    (Object.keys(fieldsOf(schema["properties"])).every((name) => propertyShape.test(name))
      ? null
      : "has a property with an illegal name"),
  isMarked: (value) => value["cache_control"] !== undefined,
  settingsOf: (params, { toolNames }) => {
    const { temperature, top_p: topP, stop_sequences: stop, max_tokens: output } = params
    const { type, budget_tokens: budget } = fieldsOf(params["thinking"])
    const choice = fieldsOf(params["tool_choice"])
    const isChosen = params["tool_choice"] !== undefined
    const isInvisible = (one: unknown) => one !== "" && textOf(one).trim() === ""
    const forced = choice["type"] === "any" || choice["type"] === "tool"
    return {
      isOurs: params["model"] === target.model && params["stream"] === true,
      output,
      // documented: a share of one.
      ranges: [
        ["temperature", temperature, 0, 1],
        ["top_p", topP, 0, 1],
      ],
      stop,
      // Tools behind a server have names that stand nowhere in the request.
      chosen: params["mcp_servers"] === undefined ? choice["name"] : undefined,
      budgeted: type === "enabled",
      faults: [
        ...thinkingFaults({ type, budget, output, temperature, topP, topK: params["top_k"], forced }),
        ...wrongIn([
          // recorded: each stop sequence must contain non-whitespace.
          [listOf(stop).some(isInvisible), "a stop sequence holds no visible character: remove it"],
          // recorded: a choice needs tools.
          [
            isChosen && toolNames.size === 0,
            "a tool is to be chosen, but none is declared: remove the choice",
          ],
        ]),
      ],
    }
  },
  hostsTools: true,
}))

/** recorded: one property name of another shape makes the provider refuse all tools. */
const propertyShape = /^[a-zA-Z0-9_.-]{1,64}$/

const named = ({ name }: Fields) => (typeof name === "string" ? { name } : {})

function piecesOf(value: Fields, block: Block): readonly Piece[] {
  const type = textOf(value["type"])
  if (block.role === "assistant" && isHosted(type)) return [{ kind: "hosted" }]
  switch (type) {
    case "text": {
      const { citations } = value
      if (citations === undefined) return [text(value["text"])]
      const isOdd = !Array.isArray(citations)
      // LL8: what a text cites was sealed by its provider.
      const words = { ...text(value["text"]), native: listOf(citations).length > 0 }
      return isOdd ? [fault("block-shape", "citations are not a list"), words] : [words]
    }
    case "image":
      return [{ kind: "image", seen: seenImage(value, block) }]
    case "tool_use":
      return [{ kind: "call", id: textOf(value["id"]), name: textOf(value["name"]), input: value["input"] }]
    case "tool_result":
      return resultOf(value, block)
    case "thinking":
      if (typeof value["thinking"] !== "string") return [strange("thinking without its text")]
      return [{ kind: "reasoning", sealed: textOf(value["signature"]) !== "" }]
    case "redacted_thinking":
      return [{ kind: "reasoning", sealed: textOf(value["data"]) !== "" }]
    default:
      return [strange(type)]
  }
}

function resultOf(value: Fields, block: Block): readonly Piece[] {
  const { tool_use_id: id, content, is_error: failed = false } = value
  const parts = (Array.isArray(content) ? content : [{ type: "text", text: content }]).map(fieldsOf)
  const others = parts.filter(({ type }) => type !== "text" && type !== "image")
  return [
    ...(typeof failed === "boolean" ? [] : [fault("block-shape", "is_error is not a boolean")]),
    ...others.map(({ type }) => fault("block-shape", `${textOf(type)} in a result`)),
    {
      kind: "result",
      id: textOf(id),
      texts: parts.flatMap((part) => (part["type"] === "text" ? [part["text"]] : [])),
      images: parts.flatMap((part) => (part["type"] === "image" ? [seenImage(part, block)] : [])),
      failed: failed === true,
    },
  ]
}

function seenImage(value: Fields, block: Block): SeenImage | null {
  const { type, media_type: mediaType, data } = fieldsOf(value["source"])
  return type === "base64" ? seenBase64(data, textOf(mediaType), block) : null
}
