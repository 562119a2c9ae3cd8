/** The rules of Converse, and how its blocks are told (LL3). */
import { fault, type Piece, strange, text } from "../grammar/piece.ts"
import { commonRules } from "../grammar/rules.ts"
import { makeLinter, unionFault } from "../grammar/linter.ts"
import { thinkingFaults } from "../grammar/thinking.ts"
import { seenBase64, type SeenImage } from "../image/check.ts"
import { bedrockImages } from "../image/rules.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { Target } from "../segments.ts"
import type { Block } from "../wire.ts"
import { type ConverseFamily, familyOf } from "./families.ts"
import { hostedName, hostedToolFault } from "./hosted-tool.ts"
import { isHostedUse } from "./native.ts"
import { reasonsWithoutLimit } from "./params.ts"

export const lint = makeLinter((target) => {
  const family = familyOf(target)
  return {
    rules: {
      ...commonRules,
      key: family.name,
      userBefore: "answers", // recorded: A conversation must start with a user message.
      callId: /^[a-zA-Z0-9_-]{1,64}$/, // documented
      callsWantTools: true, // recorded
      markable: family.markable,
      images: { ...bedrockImages, bodyBytesMax: null }, // the size is assumed: it is kept, not refused
    },
    piecesOf: (value, block) => piecesOf(value, block, family),
    toolOf: (value) => {
      if (value["toolSpec"] === undefined)
        return { kind: "hosted", name: hostedName(value), fault: hostedToolFault(value) }
      const { name, description, inputSchema } = fieldsOf(value["toolSpec"])
      return { kind: "function", name: textOf(name), description, schema: fieldsOf(inputSchema)["json"] }
    },
    schemaFault: unionFault,
    isMarked: (value) => value["cachePoint"] !== undefined,
    settingsOf: (params) => {
      const inference = fieldsOf(params["inferenceConfig"])
      const fields = fieldsOf(params["additionalModelRequestFields"])
      const { maxTokens: output, temperature, topP, stopSequences: stop } = inference
      const choice = fieldsOf(fieldsOf(params["toolConfig"])["toolChoice"])
      return {
        isOurs: params["model"] === target.model && target.model !== "",
        ...(output === undefined && reasonsWithoutLimit(fields) ? {} : { output }),
        // documented.
        ranges: [
          ["temperature", temperature, 0, 1],
          ["topP", topP, 0, 1],
        ],
        stop,
        chosen: fieldsOf(choice["tool"])["name"],
        budgeted: fieldsOf(fields["thinking"])["type"] === "enabled",
        faults: familyFaults(inference, fields, choice, target),
      }
    },
    hostsTools: true,
  }
})

/** documented: models that take one of temperature and topP. */
const oneSampling = /claude-(?:opus-4-[1-9]|(?:sonnet|haiku)-4-[5-9])(?!\d)/

function familyFaults(inference: Fields, fields: Fields, choice: Fields, target: Target): readonly string[] {
  const { temperature, topP, maxTokens } = inference
  const { reasoningControl } = familyOf(target)
  if (reasoningControl === "reasoningConfig" && reasonsWithoutLimit(fields)) {
    const isSampled = temperature !== undefined || topP !== undefined
    return isSampled ? ["high reasoning effort takes neither temperature nor topP: leave them out"] : []
  }
  if (reasoningControl !== "thinking") return []
  const { type, budget_tokens: budget } = fieldsOf(fields["thinking"])
  // documented: thinking between calls may take more than one answer.
  const isInterleaved = listOf(fields["anthropic_beta"]).some((beta) =>
    String(beta).startsWith("interleaved-thinking"),
  )
  const output = isInterleaved ? Infinity : maxTokens
  const forced = choice["any"] !== undefined || choice["tool"] !== undefined
  return [
    ...(oneSampling.test(target.model) && temperature !== undefined && topP !== undefined
      ? ["the model takes temperature or topP, not both: leave one out"]
      : []),
    ...thinkingFaults({ type, budget, output, temperature, topP, topK: fields["top_k"], forced }),
  ]
}

function piecesOf(value: Fields, block: Block, family: ConverseFamily): readonly Piece[] {
  const { text: words, image, toolUse, toolResult, reasoningContent } = value
  const isAnswer = block.role === "assistant"
  if (isFields(reasoningContent)) return [reasoningOf(reasoningContent, family)]
  if (isAnswer && (isFields(toolResult) || isHostedUse(fieldsOf(toolUse)))) return [{ kind: "hosted" }]
  if (isFields(toolUse)) {
    const { toolUseId: id, name, input } = toolUse
    return [{ kind: "call", id: textOf(id), name: textOf(name), input }]
  }
  if (isFields(toolResult)) return resultOf(toolResult, block)
  if (isFields(image)) return [{ kind: "image", seen: seenImage(image, block) }]
  return [words === undefined ? strange(Object.keys(value)[0] ?? "nothing") : text(words)]
}

/** Only Claude signs its reasoning, and refuses what is not. */
function reasoningOf(content: Fields, { reasoningControl }: ConverseFamily): Piece {
  const { text: words, signature } = fieldsOf(content["reasoningText"])
  const isSigned = textOf(signature) !== "" || reasoningControl !== "thinking"
  const sealed = (isSigned && typeof words === "string") || textOf(content["redactedContent"]) !== ""
  return { kind: "reasoning", sealed }
}

function resultOf({ toolUseId: id, content, status }: Fields, block: Block): readonly Piece[] {
  const pieces = listOf(content).map(fieldsOf)
  const images = pieces.flatMap(({ image }) => (isFields(image) ? [seenImage(image, block)] : []))
  const texts = pieces.flatMap((piece) => (isFields(piece["image"]) ? [] : [piece["text"]]))
  const isKnown = status === undefined || status === "error" || status === "success"
  return [
    ...(isKnown ? [] : [fault("block-shape", "a result with an unknown status")]),
    { kind: "result", id: textOf(id), texts, images, failed: status === "error" },
  ]
}

const seenImage = ({ format, source }: Fields, block: Block): SeenImage | null =>
  seenBase64(fieldsOf(source)["bytes"], `image/${textOf(format)}`, block)
