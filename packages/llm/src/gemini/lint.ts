/** The rules of the Gemini API, and how its parts are told (LL3). */
import type { JsonObject } from "@holdfast/schema/json"
import { fault, type Piece, strange, text } from "../grammar/piece.ts"
import { commonRules, wrongIn } from "../grammar/rules.ts"
import { makeLinter } from "../grammar/linter.ts"
import { seenBase64 } from "../image/check.ts"
import { geminiImages } from "../image/rules.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { Target } from "../segments.ts"
import type { Block } from "../wire.ts"
import { familyOf, isGeminiApi, isOlder } from "./families.ts"
import { hostedToolFault, isHostedTool } from "./hosted-tool.ts"
import { hostedMember, signatureOf } from "./native.ts"
import { geminiNameShape } from "./part-shape.ts"
import { refusedKeywords } from "./schema-projection.ts"

export const lint = makeLinter((target) => ({
  rules: {
    ...commonRules,
    key: String(familyOf(target).wantsSignatures),
    // recorded: a call comes after a user turn. That the user speaks first is nowhere said.
    userBefore: "calls",
    callId: /^/,
    toolName: geminiNameShape,
    pairedBy: "name",
    callsUniqueIn: "answer",
    signsCalls: familyOf(target).wantsSignatures, // documented
    markable: "none", // documented: the provider caches by itself
    images: geminiImages,
  },
  piecesOf,
  toolOf: (value) => {
    if (isHostedTool(value)) return { kind: "hosted", fault: hostedToolFault(value) }
    const { name, parameters: schema } = value
    return { kind: "function", name: textOf(name), ...(schema === undefined ? {} : { schema }) }
  },
  schemaFault: (schema) => {
    const refused = refusedKeywords(schema as JsonObject)
    if (!isFields(schema["properties"])) return "is not an object with properties"
    return refused.length === 0 ? null : `says ${refused.join(", ")}`
  },
  settingsOf: (params, { functions }) => {
    const config = fieldsOf(params["generationConfig"])
    const calling = fieldsOf(fieldsOf(params["toolConfig"])["functionCallingConfig"])
    return {
      isOurs: params["model"] === target.model && target.model !== "",
      output: config["maxOutputTokens"],
      // recorded.
      ranges: [
        ["temperature", config["temperature"], 0, 2],
        ["topP", config["topP"], 0, 1],
      ],
      stop: config["stopSequences"],
      stopsMax: 5, // documented
      chosen: listOf(calling["allowedFunctionNames"])[0],
      faults: configFaults(config, functions, target),
    }
  },
  hostsTools: true,
}))

function configFaults(config: Fields, functions: number, target: Target): readonly string[] {
  const { thinkingBudget: budget, thinkingLevel: level } = fieldsOf(config["thinkingConfig"])
  const json = config["responseMimeType"] === "application/json"
  return wrongIn([
    [budget !== undefined && level !== undefined, "thinking is limited by a budget and by a level at once"],
    // recorded: thinking level is not supported for this model.
    [
      level !== undefined && familyOf(target).thinking === "budget",
      "this model takes no thinkingLevel: set a thinkingBudget",
    ],
    // recorded: function calling with a response mime type 'application/json' is unsupported.
    [
      json && functions > 0 && isOlder(target) && isGeminiApi(target.endpoint),
      "this model takes no functions beside a structured answer: leave one of them out",
    ],
  ])
}

function piecesOf(value: Fields, block: Block): readonly Piece[] {
  const { functionCall: call, functionResponse: response, inlineData: inline } = value
  const signature = signatureOf(value)
  if (value["thoughtSignature"] !== undefined && signature === null)
    return [fault("reasoning-signature", "a signature that is no text")]
  if (isFields(call)) return callOf(call, signature !== null)
  if (isFields(response)) {
    const texts = isFields(response["response"]) ? Object.values(response["response"]) : []
    return [{ kind: "result", id: textOf(response["id"]), name: textOf(response["name"]), texts }]
  }
  if (isFields(inline))
    return [{ kind: "image", seen: seenBase64(inline["data"], textOf(inline["mimeType"]), block) }]
  if (hostedMember(value) !== null) return [{ kind: "hosted" }]
  if (typeof value["text"] !== "string") return [strange(Object.keys(value)[0] ?? "nothing")]
  if (value["thought"] === true) return [{ kind: "reasoning", sealed: true }]
  // A signature on nothing may end an answer.
  if (signature !== null && value["text"].trim() === "")
    return [{ kind: "reasoning", sealed: true, ends: true }]
  return [{ ...text(value["text"]), native: signature !== null }]
}

function callOf(call: Fields, signed: boolean): readonly Piece[] {
  const { id = null, name, args = {} } = call
  const piece = { kind: "call", id: textOf(id), name: textOf(name), input: args, signed } as const
  return id === "" ? [fault("call-id", "a call's id has an illegal shape"), piece] : [piece]
}
