/**
 * The rules of an AI SDK prompt, and how its messages are told (LL3). What the provider behind the
 * model object would refuse cannot be known here.
 */
import { type Piece, strange, text } from "../grammar/piece.ts"
import { commonRules } from "../grammar/rules.ts"
import { makeLinter } from "../grammar/linter.ts"
import { seenBase64 } from "../image/check.ts"
import { aiSdkImages } from "../image/rules.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { Block } from "../wire.ts"

export const lint = makeLinter((target) => ({
  rules: {
    ...commonRules,
    key: String(target.options.traits.systemRole === true),
    system: target.options.traits.systemRole === true ? "anywhere" : "nowhere",
    answerPerBlock: true, // documented: results are the very next message
    callId: /^/,
    toolName: /^/,
    callsUniqueIn: "answer",
    images: aiSdkImages,
  },
  piecesOf,
  toolOf: ({ name }) => ({ kind: "function", name: textOf(name) }),
  schemaFault: () => null,
  settingsOf: (params) => ({
    isOurs: params["model"] === target.model,
    ranges: [],
    stop: undefined,
    chosen: undefined,
    faults: [],
  }),
  hostsTools: false,
}))

function piecesOf(value: Fields, block: Block): readonly Piece[] {
  const { role, content } = value
  const parts = listOf(content).map(fieldsOf)
  switch (`${block.role} ${textOf(role)}`) {
    case "null system":
    case "system system":
      return [text(content)]
    case "user tool":
      return parts.map(({ toolCallId: id, output }) => ({
        kind: "result",
        id: textOf(id),
        texts: [fieldsOf(output)["value"]],
      }))
    case "user user":
      return parts.map(({ type, text: words, data, mediaType }) => {
        if (type === "text") return text(words)
        return type === "file"
          ? { kind: "image", seen: seenBase64(data, textOf(mediaType), block) }
          : strange(type)
      })
    case "assistant assistant":
      return parts.flatMap((part): readonly Piece[] => {
        if (part["type"] === "text") return [text(part["text"])]
        if (part["type"] === "tool-result" || part["providerExecuted"] === true) return [{ kind: "hosted" }]
        if (part["type"] !== "tool-call") return part["type"] === "reasoning" ? [] : [strange(part["type"])]
        const { toolCallId: id, toolName: name, input } = part
        return [{ kind: "call", id: textOf(id), name: textOf(name), input }]
      })
    default:
      return [strange(`a message of the role ${textOf(role)}`)]
  }
}
