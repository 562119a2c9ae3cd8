/** The rules of Chat servers, and how their messages are told (LL3). */
import { fault, type Piece, strange, text } from "../grammar/piece.ts"
import { commonRules } from "../grammar/rules.ts"
import { makeLinter, unionFault } from "../grammar/linter.ts"
import { seenUrl } from "../image/check.ts"
import { openaiImages } from "../image/rules.ts"
import { type Fields, fieldsOf, listOf, parseFields, textOf } from "../json-fields.ts"
import { callIdShapes } from "../request/call-shape.ts"
import { strictFault } from "../request/tool-schema.ts"
import type { Block } from "../wire.ts"
import { type ChatProfile, profileOf } from "./profiles.ts"

export const lint = makeLinter((target) => {
  const profile = profileOf(target)
  const { systemRole } = target.options.traits
  const isOpenai = profile.name === "openai"
  return {
    rules: {
      ...commonRules,
      key: `${profile.name} ${systemRole}`,
      // Which servers take none in between is only assumed; of a model it may be known.
      system: systemRole === false ? "nowhere" : "anywhere",
      answerPerBlock: true, // recorded: tool messages answer the message before them
      answersResults: profile.answersResults,
      callId: callIdShape(profile),
      takesImages: profile.takesImages,
      images: openaiImages,
    },
    piecesOf: (value, block) => piecesOf(value, block, profile),
    toolOf: ({ type, function: given }) => {
      const { name, parameters } = fieldsOf(given)
      return { kind: "function", name: textOf(name), schema: type === "function" ? parameters : undefined }
    },
    schemaFault: unionFault,
    settingsOf: (params) => {
      const { type, json_schema: format } = fieldsOf(params["response_format"])
      return {
        isOurs: params["model"] === target.model && params["stream"] === true,
        output: params[profile.outputLimitField],
        ranges: isOpenai ? rangesOf(params) : [],
        stop: params["stop"],
        ...(isOpenai ? { stopsMax: 4 } : {}), // documented
        chosen: fieldsOf(fieldsOf(params["tool_choice"])["function"])["name"],
        // recorded: other servers pass over what OpenAI enforces.
        faults: isOpenai && type === "json_schema" ? strictFault(fieldsOf(format)) : [],
      }
    },
    hostsTools: false,
  }
})

/** documented: the least and the most that OpenAI takes. */
const rangesOf = (params: Fields) =>
  [
    ["temperature", params["temperature"], 0, 2],
    ["top_p", params["top_p"], 0, 1],
    ["frequency_penalty", params["frequency_penalty"], -2, 2],
    ["presence_penalty", params["presence_penalty"], -2, 2],
  ] as const

/** Servers without a rule of their own take back whatever id they gave. */
const callIdShape = ({ name, callId }: ChatProfile): RegExp =>
  callId === "plain" && name !== "openai" ? /^\S+$/ : callIdShapes[callId]

function piecesOf(value: Fields, block: Block, profile: ChatProfile): readonly Piece[] {
  const role = textOf(value["role"])
  const { content } = value
  if (block.role === null) return role === profile.promptRole ? [text(content)] : [strange(role)]
  switch (`${block.role} ${role}`) {
    case "user user":
      return Array.isArray(content) ? content.map((part) => partOf(fieldsOf(part), block)) : [words(content)]
    case "user tool":
      return [{ kind: "result", id: textOf(value["tool_call_id"]), texts: [content] }]
    case "system system":
    case "system developer":
      return [words(content)]
    case "assistant assistant":
      return answerOf(value, profile)
    default:
      return [strange(`a message of the role ${role}`)]
  }
}

const words = (content: unknown): Piece =>
  typeof content === "string" ? text(content) : strange("content that is no text")

function partOf(part: Fields, block: Block): Piece {
  if (part["type"] === "text") return text(part["text"])
  if (part["type"] !== "image_url") return strange(part["type"])
  return { kind: "image", seen: seenUrl(fieldsOf(part["image_url"])["url"], block) }
}

function answerOf(value: Fields, { wantsEmptyReasoning }: ChatProfile): readonly Piece[] {
  const calls = listOf(value["tool_calls"]).map(fieldsOf)
  const { content } = value
  const isSilent = content === null || content === undefined || content === ""
  return [
    ...(isSilent ? [] : [words(content)]),
    ...(wantsEmptyReasoning && calls.length > 0 && typeof value["reasoning_content"] !== "string"
      ? [fault("reasoning-lead", "an answer with calls does not bring its reasoning back")]
      : []),
    ...calls.map(({ id, function: named }): Piece => {
      const { name, arguments: input } = fieldsOf(named)
      return { kind: "call", id: textOf(id), name: textOf(name), input: parseFields(textOf(input)) }
    }),
  ]
}
