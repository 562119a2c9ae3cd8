/**
 * Request meaning: a body without what means the same to its provider, so that a request which was
 * read and encoded again can be compared with the recorded one.
 *
 * Shorthand is written out, `developer` and `system` are one role, and what this project adds by
 * policy (nothing stored, sealed reasoning, a cache key, markers at places of its own) is left out
 * where the recording has none. Images of a message stand before its text. A wire without rules of its own is compared member by member.
 */
import { isHostedTool as isMessagesTool } from "../anthropic-messages/hosted-tool.ts"
import { partTools } from "../gemini/hosted-tool.ts"
import { fieldsOf, isFields, listOf, lookUp } from "../json-fields.ts"
import { isHostedTool as isResponsesTool } from "../openai-responses/hosted-tool.ts"

export type Body = Readonly<Record<string, unknown>>

/** `asked` is the recorded body, which says what of our policy it knows. */
export function requestMeaning(wire: string, body: Body, asked: Body): Body {
  const policy = ["store", "include", "prompt_cache_key"].filter((name) => asked[name] === undefined)
  const kept = Object.entries(body).filter(([name]) => !policy.includes(name) && name !== "store")
  const named = Object.fromEntries(kept.map(([name, value]) => [lookUp(otherNames, name) ?? name, value]))
  return (lookUp(rules, wire) ?? ((meaning: Body) => meaning))(named)
}

/** Two names of one setting. */
const otherNames: Readonly<Record<string, string>> = { max_completion_tokens: "max_tokens" }

const rules: Readonly<Record<string, (body: Body) => Body>> = {
  "anthropic-messages": (body) =>
    withoutMarkers({
      ...withOrderedTools(body, isMessagesTool),
      ...(body["system"] === undefined ? {} : { system: textBlocks(body["system"]) }),
      messages: listOf(body["messages"])
        .map(fieldsOf)
        .map((message) => ({ ...message, content: textBlocks(message["content"]) })),
    }),
  "openai-responses": (body) =>
    withoutMarkers({
      ...withOrderedTools(body, isResponsesTool),
      input: listOf(body["input"]).map(writtenOut),
    }),
  "openai-chat": (body) =>
    withoutMarkers({
      ...body,
      messages: listOf(body["messages"])
        .map(withOneRole)
        .map((message) => ({ ...message, content: textBlocks(message["content"]) }))
        .map((message: Body) =>
          message["role"] === "user" ? { ...message, content: imagesFirst(message["content"]) } : message,
        ),
    }),
  gemini: (body) => (body["tools"] === undefined ? body : { ...body, tools: partTools(body["tools"]) }),
  // The address names the model; cache points stand at places of our own.
  "bedrock-converse": (body) => without("modelId", withoutCachePoints(body) as Body),
}

/** Functions before the tools that the provider runs: their order among each other says nothing. */
function withOrderedTools(body: Body, isHosted: (tool: Body) => boolean): Body {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const given = tools.map(fieldsOf)
  return { ...body, tools: [...given.filter((tool) => !isHosted(tool)), ...given.filter(isHosted)] }
}

/** Text as the one block that it stands for. */
const textBlocks = (content: unknown): unknown =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

/** An input item with its type, and its text as a part. */
function writtenOut(value: unknown): Body {
  const item = fieldsOf(value)
  const { content } = item
  const parts = typeof content === "string" ? [{ type: "input_text", text: content }] : content
  const { output } = item
  const shown = Array.isArray(output) ? { output: output.map(plainImage) } : {}
  return withOneRole({ type: "message", ...item, ...shown, content: imagesFirst(parts) })
}

/** Images before the text of their message, as this project writes them. */
function imagesFirst(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  const parts = content.map(plainImage)
  return [...parts.filter(isImage), ...parts.filter((part) => !isImage(part))]
}

const isImage = ({ type }: Body): boolean => type === "input_image" || type === "image_url"

/** An image without a detail that is the default, its address written out. */
function plainImage(value: unknown): Body {
  const part = fieldsOf(value)
  if (part["type"] === "input_image") return withoutAuto(part)
  if (part["type"] !== "image_url") return part
  const { image_url: given } = part
  return { ...part, image_url: typeof given === "string" ? { url: given } : withoutAuto(fieldsOf(given)) }
}

const withoutAuto = (part: Body): Body => (part["detail"] === "auto" ? without("detail", part) : part)

function withOneRole(value: unknown): Body {
  const item = fieldsOf(value)
  return item["role"] === "system" ? { ...item, role: "developer" } : item
}

const markers: ReadonlySet<string> = new Set(["cache_control", "prompt_cache_breakpoint"])

function withoutMarkers(body: Body): Body {
  const text = JSON.stringify(body, (name, item: unknown) => (markers.has(name) ? undefined : item))
  return JSON.parse(text) as Body
}

const without = (left: string, body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== left))

function withoutCachePoints(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => fieldsOf(item)["cachePoint"] === undefined).map(withoutCachePoints)
  }
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutCachePoints(item)]))
}
