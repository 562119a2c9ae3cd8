/**
 * A Converse body without what means nothing to its provider, to compare two of them.
 *
 * The address names the model, cache points stand at places of our own, and ids of calls only tie
 * results to them. Defaults are left out; what this project joins is joined.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, listOf, parseFields, textOf } from "../../json-fields.ts"
import { without } from "../../recording/written-form.ts"
import { isBlank, textOfNothing } from "../../request/runtime-words.ts"
import { projectSchema } from "../../request/tool-schema.ts"
import { isCachePoint, schemaRules } from "../block-shape.ts"
import { isHostedTool } from "../hosted-tool.ts"
import { isHostedUse } from "../native.ts"
import { writtenResult } from "./result.ts"

/** `asked`: the recorded body of the two. */
export const meaningOf = (body: Fields, asked: Fields): Fields => ({
  ...without("modelId", body),
  system: systemOf(body["system"]),
  messages: messagesOf(body["messages"]),
  toolConfig: toolConfigOf(body["toolConfig"]),
  inferenceConfig: inferenceOf(body["inferenceConfig"], fieldsOf(asked["inferenceConfig"])),
  additionalModelRequestFields: unlessEmpty(body["additionalModelRequestFields"]),
  outputConfig: outputOf(body["outputConfig"], asked["outputConfig"]),
})

const said = (blocks: unknown): readonly Fields[] =>
  listOf(blocks)
    .map(fieldsOf)
    .filter((block) => !isCachePoint(block))

function unlessEmpty(value: unknown): unknown {
  if (value === null) return undefined
  return isFields(value) && Object.keys(value).length === 0 ? undefined : value
}

/** All prompts behind the first are one, as this project writes them. */
function systemOf(system: unknown): unknown {
  if (system === undefined || system === null) return undefined
  if (!Array.isArray(system)) return system
  const [first, ...rest] = said(system)
  if (first === undefined) return undefined
  if ([first, ...rest].some(({ text }) => typeof text !== "string")) return said(system)
  return rest.length === 0 ? [first] : [first, { text: rest.map(({ text }) => text).join("\n\n") }]
}

function toolConfigOf(config: unknown): unknown {
  if (!isFields(config)) return unlessEmpty(config)
  const { tools, toolChoice } = config
  const given = said(tools)
  // documented: the model decides by default.
  const isDefault = isFields(toolChoice) && isFields(toolChoice["auto"])
  return {
    ...config,
    tools: [
      ...given.filter((tool) => !isHostedTool(tool)).map(plainTool),
      // Their order among the functions says nothing.
      ...given.filter(isHostedTool),
    ],
    toolChoice: isDefault ? undefined : unlessEmpty(toolChoice),
  }
}

function plainTool(tool: Fields): Fields {
  if (!isFields(tool["toolSpec"])) return tool
  const { description, strict, inputSchema, ...spec } = tool["toolSpec"]
  const { json } = fieldsOf(inputSchema)
  return {
    toolSpec: {
      ...spec,
      description: isBlank(textOf(description)) ? undefined : description,
      strict: strict === false || strict === null ? undefined : strict,
      inputSchema: isFields(json) ? { ...fieldsOf(inputSchema), json: plainSchema(json) } : inputSchema,
    },
  }
}

/** An object without annotations, its properties written out. Anything else is left as it is. */
function plainSchema(schema: Fields): Fields {
  const { type = "object", properties = {} } = schema
  if (type !== "object" || !isFields(properties)) return schema
  return projectSchema(schema as JsonObject, { removed: schemaRules.removed, removedAtTop: [] })
}

function inferenceOf(config: unknown, asked: Fields): unknown {
  if (!isFields(config)) return unlessEmpty(config)
  const leftToProvider = asked["maxTokens"] === undefined || asked["maxTokens"] === null
  const kept = Object.entries(config).filter(([name, value]) => {
    if (name === "maxTokens" && leftToProvider) return false
    return value !== null && !(name === "stopSequences" && listOf(value).length === 0)
  })
  return unlessEmpty(Object.fromEntries(kept))
}

/** The schema is a text, in which the order of members says nothing. A name may be left out. */
function outputOf(config: unknown, asked: unknown): unknown {
  const schemaIn = (value: unknown) =>
    fieldsOf(fieldsOf(fieldsOf(fieldsOf(value)["textFormat"])["structure"])["jsonSchema"])
  const { name, schema, ...others } = schemaIn(config)
  if (!isFields(config) || typeof schema !== "string") return unlessEmpty(config)
  const { textFormat, ...more } = config
  return {
    ...more,
    textFormat: {
      ...fieldsOf(textFormat),
      structure: {
        jsonSchema: {
          ...others,
          name: schemaIn(asked)["name"] === undefined ? undefined : name,
          schema: parseFields(schema) ?? schema,
        },
      },
    },
  }
}

interface Message {
  readonly role: unknown
  readonly content: readonly Fields[]
}

function messagesOf(messages: unknown): readonly Message[] {
  const merged = mergeRoles(listOf(messages).map(fieldsOf))
  const names = nameCalls(merged)
  return merged.map(({ role, content }, at) => ({
    role,
    content:
      role === "user"
        ? inOrderOfCalls(content, merged[at - 1]?.content ?? []).map((block) => plainInput(block, names))
        : content.map((block) => plainCall(block, names)),
  }))
}

/** Messages of one role in a row are one. */
function mergeRoles(messages: readonly Fields[]): readonly Message[] {
  const merged: Message[] = []
  for (const { role, content } of messages) {
    const before = merged.at(-1)
    const own = said(content)
    if (before !== undefined && before.role === role)
      merged[merged.length - 1] = { role, content: [...before.content, ...own] }
    else merged.push({ role, content: own })
  }
  return merged
}

const isCall = ({ toolUse }: Fields): boolean => isFields(toolUse) && !isHostedUse(toolUse)

const idIn = (value: unknown): string => textOf(fieldsOf(value)["toolUseId"])

/** Ids by the order of their calls. */
function nameCalls(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { toolUse } of messages.flatMap(({ content }) => content).filter(isCall)) {
    const id = idIn(toolUse)
    if (!names.has(id)) names.set(id, `call ${names.size + 1}`)
  }
  return names
}

/** The results at the beginning of a message may stand in any order. */
function inOrderOfCalls(content: readonly Fields[], answer: readonly Fields[]): readonly Fields[] {
  const calls = answer.filter(isCall).map(({ toolUse }) => idIn(toolUse))
  const placeOf = ({ toolResult }: Fields): number => calls.indexOf(idIn(toolResult))
  const end = content.findIndex((block) => !isFields(block["toolResult"]) || placeOf(block) < 0)
  const leading = end < 0 ? content.length : end
  const results = content.slice(0, leading).toSorted((a, b) => placeOf(a) - placeOf(b))
  return [...results, ...content.slice(leading)]
}

function plainCall(block: Fields, names: ReadonlyMap<string, string>): Fields {
  if (!isCall(block)) return block
  const use = fieldsOf(block["toolUse"])
  return { ...block, toolUse: { ...use, toolUseId: names.get(idIn(use)) } }
}

/** Words of a result as one text before its images, and no status where it went well. */
function plainInput(block: Fields, names: ReadonlyMap<string, string>): Fields {
  const { toolResult } = block
  if (!isFields(toolResult)) return block
  const { words, images, strange } = writtenResult(toolResult["content"])
  const { status } = toolResult
  const text = isBlank(words) && images.length === 0 ? textOfNothing : words
  return {
    ...block,
    toolResult: {
      ...toolResult,
      toolUseId: names.get(idIn(toolResult)) ?? idIn(toolResult),
      status: status === "success" || status === null ? undefined : status,
      content:
        strange.length > 0 ? toolResult["content"] : { text: isBlank(text) ? undefined : text, images },
    },
  }
}
