/** The rules of the Responses API, and how its items are told (LL3). */
import { type Piece, strange, text } from "../grammar/piece.ts"
import { commonRules } from "../grammar/rules.ts"
import { makeLinter, unionFault } from "../grammar/linter.ts"
import { seenUrl } from "../image/check.ts"
import { openaiImages } from "../image/rules.ts"
import { type Fields, fieldsOf, listOf, parseFields, textOf } from "../json-fields.ts"
import { strictFault } from "../request/tool-schema.ts"
import type { Target } from "../segments.ts"
import type { Block } from "../wire.ts"
import { hostedToolFault, isHostedTool } from "./hosted-tool.ts"
import { isHostedItem } from "./native.ts"

export const lint = makeLinter((target) => ({
  rules: {
    ...commonRules,
    key: String(target.options.traits.systemRole),
    system: target.options.traits.systemRole === false ? "nowhere" : "anywhere", // documented
    callId: /^[\w.:-]{1,64}$/, // documented
    images: openaiImages,
  },
  piecesOf,
  toolOf: (value) => {
    const name = textOf(value["name"])
    if (!isHostedTool(value)) return { kind: "function", name, schema: value["parameters"] }
    return { kind: "hosted", ...(name === "" ? {} : { name }), fault: hostedToolFault(value) }
  },
  schemaFault: (schema) =>
    schema["properties"] === undefined ? "is not an object with properties" : unionFault(schema),
  isMarked: (value) =>
    listOf(value["content"]).some((part) => fieldsOf(part)["prompt_cache_breakpoint"] !== undefined),
  settingsOf: (params) => {
    const { temperature, top_p: topP, tool_choice: choice, text: answer } = params
    const key = textOf(params["prompt_cache_key"])
    const chosen = fieldsOf(choice)
    const format = fieldsOf(fieldsOf(answer)["format"])
    return {
      isOurs: params["model"] === target.model && params["stream"] === true,
      output: params["max_output_tokens"],
      // documented.
      ranges: [
        ["temperature", temperature, 0, 2],
        ["top_p", topP, 0, 1],
      ],
      stop: undefined,
      chosen: chosen["type"] === "function" ? chosen["name"] : undefined,
      faults: [
        ...(params["store"] === false ? [] : ["the provider would store the conversation"]),
        ...(key === "" || key.length > 64 ? ["the cache key must have 1 to 64 characters"] : []),
        ...(format["type"] === "json_schema" ? strictFault(format) : []),
        ...(takesNoSampling(params, target) ? [`${target.model} takes no sampling when it reasons`] : []),
      ],
    }
  },
  hostsTools: true,
}))

/** documented: models that take no sampling, some only beside reasoning. */
function takesNoSampling(params: Fields, { provider, model }: Target): boolean {
  const { effort } = fieldsOf(params["reasoning"])
  const reasons = effort !== undefined && effort !== "none"
  const isSampled = [params["temperature"], params["top_p"]].some(
    (value) => value !== undefined && value !== 1,
  )
  return (
    provider === "openai" &&
    isSampled &&
    (unsampled.test(model) || (reasons && sampledWithoutReasoning.test(model)))
  )
}

const unsampled = /^(?:gpt-5(?:-mini|-nano|-pro)?|o[134](?:-mini|-pro)?)(?:-\d{4}-\d\d-\d\d)?$/
const sampledWithoutReasoning = /^gpt-5\.[12](?:-\d{4}-\d\d-\d\d)?$/

function piecesOf(value: Fields, block: Block): readonly Piece[] {
  const type = textOf(value["type"])
  const own = value["id"] === undefined ? {} : { item: textOf(value["id"]) }
  switch (type) {
    case "message":
      return messageOf(textOf(value["role"]), listOf(value["content"]).map(fieldsOf), block).map(
        (piece, at) => (at === 0 ? { ...piece, ...own } : piece),
      )
    case "function_call": {
      const input = parseFields(textOf(value["arguments"]))
      return [{ kind: "call", id: textOf(value["call_id"]), name: textOf(value["name"]), input, ...own }]
    }
    case "function_call_output": {
      const { call_id: id, output } = value
      const given = Array.isArray(output)
        ? output.map((part) => inputOf(fieldsOf(part), block))
        : [text(output)]
      return [
        ...given.filter(({ kind }) => kind === "strange"),
        {
          kind: "result",
          id: textOf(id),
          texts: given.flatMap((piece) => (piece.kind === "text" ? [piece.text] : [])),
          images: given.flatMap((piece) => (piece.kind === "image" ? [piece.seen] : [])),
        },
      ]
    }
    case "reasoning": {
      const isWhole = textOf(value["encrypted_content"]) !== "" || listOf(value["content"]).length > 0
      return [{ kind: "reasoning", sealed: isWhole && Array.isArray(value["summary"]), ...own }]
    }
    default:
      return [isHostedItem(type) && block.native !== null ? { kind: "hosted", ...own } : strange(type)]
  }
}

function messageOf(role: string, parts: readonly Fields[], block: Block): readonly Piece[] {
  const isInstruction = role === "developer" || role === "system"
  if (parts.length === 0) return [strange("a message without content")]
  if (block.role === "assistant" && role === "assistant")
    return parts.map(({ type, text: words, refusal }) => {
      if (type === "refusal") return text(refusal)
      return type === "output_text" ? text(words) : strange(type)
    })
  if (block.role === "user" && role === "user") return parts.map((part) => inputOf(part, block))
  if (block.role === "user" || block.role === "assistant" || !isInstruction)
    return [strange(`a message of the role ${role}`)]
  return parts.map(({ type, text: words }) => (type === "input_text" ? text(words) : strange(type)))
}

function inputOf({ type, text: words, image_url: url }: Fields, block: Block): Piece {
  if (type === "input_text") return text(words)
  return type === "input_image" ? { kind: "image", seen: seenUrl(url, block) } : strange(type)
}
