/**
 * Content rules: the shape of one block, wherever it stands.
 *
 * Paths name the block's type after its index, as the provider's do (recorded).
 */
import { isObject, wordOf } from "../../json.ts"
import type { JsonObject } from "../../json.ts"
import type { Role } from "../../model.ts"
import { all, always, anything, firstRefusal, named, needed, orNull } from "../../shape.ts"
import type { Check } from "../../shape.ts"
import type { Verdict } from "../../sim-wire.ts"
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import { blocksOf } from "../request-body.ts"
import type { MessagesBody } from "../request-body.ts"
import { cacheControl } from "./cache-control.ts"
import { flag, list, loose, matching, object, oneOf, text, variants } from "./shape.ts"

/** The blocks of each role. */
const tagsOfRole: Readonly<Record<Role, string>> = {
  user: "container_upload document image search_result text tool_result",
  assistant: [
    "mcp_tool_use mcp_tool_result redacted_thinking server_tool_use text thinking tool_use",
    ...facts.hostedResults,
  ].join(" "),
  system: "text",
}

/** One message's content: a string, or blocks that the role may hold. */
export function checkContent(path: string, role: Role, content: unknown): Verdict {
  if (content === undefined) return invalid(facts.fieldRequired(path))
  if (typeof content === "string") return content === "" ? undefined : checkText("messages", content)
  return list(all(checkSide(role, path.replace(/\.content$/, "")), blocks))(path, content)
}

/** The top-level system prompt: a string or text blocks. */
export function checkSystem(value: unknown): Verdict {
  if (typeof value === "string") return value === "" ? undefined : checkText("system", value)
  // recorded: only text.
  const block = all(loose({ type: always(oneOf(["text"])) }), textBlock("system"))
  return value === undefined ? undefined : list(block)("system", value)
}

/** Blocks on a side where nobody has seen them, accepted or refused. */
export function doubtsOfContent({ messages }: MessagesBody): readonly string[] {
  return messages.flatMap(({ role, content }, index) =>
    blocksOf(content).flatMap(({ type }) =>
      hasPlace(type, role) ? [] : [facts.blockSide(`messages.${index}`, type, role)],
    ),
  )
}

const hasPlace = (tag: string, role: Role) => tagsOfRole[role].split(" ").includes(tag)

const checkSide =
  (role: Role, message: string): Check =>
  (_, block) => {
    const tag = isObject(block) ? wordOf(block["type"]) : ""
    if (!Object.hasOwn(checkers, tag) || hasPlace(tag, role)) return undefined
    // recorded: calls, results and thinking have a side. documented: a system message is text.
    if (tag === "tool_use") return invalid(facts.toolUseSide(message))
    if (tag === "tool_result") return invalid(facts.toolResultSide(message))
    if (tag.endsWith("thinking")) return invalid(facts.thinkingSide(message))
    return role === "system" ? invalid(facts.blockSide(message, tag, role)) : undefined
  }

function checkText(area: string, value: string): Verdict {
  if (value === "") return invalid(facts.textEmpty(area))
  return value.trim() === "" ? invalid(facts.textBlank(area)) : undefined
}

function textBlock(area: string): Check {
  const fields = { ...named("type citations"), text: needed(text()), cache_control: cacheControl }
  return all(object(fields), (path, value) => {
    const block = value as { readonly text: string; readonly cache_control?: object | null }
    const isMarked = (block.cache_control ?? undefined) !== undefined
    return block.text === "" && isMarked ? invalid(facts.markerOnEmpty(path)) : checkText(area, block.text)
  })
}

const imageData = object({
  type: anything,
  media_type: always(oneOf(facts.mediaTypes)),
  data: needed(text()),
})

/** documented: three kinds of source. */
const imageSource = variants({
  // recorded: empty data has words of its own.
  base64: all(imageData, (path, source) =>
    (source as JsonObject)["data"] === "" ? invalid(facts.imageEmpty(path)) : undefined,
  ),
  url: object({ type: anything, url: needed(text()) }),
  file: object({ type: anything, file_id: needed(text()) }),
})

const image = object({
  ...named("type transforms"),
  source: needed(imageSource),
  cache_control: cacheControl,
})

/** documented: where a document comes from; what is in it is the model's business. */
const document = object({
  ...named("type citations"),
  source: needed(loose({ type: always(oneOf(facts.documentSources)) })),
  title: orNull(text()),
  context: orNull(text()),
  cache_control: cacheControl,
})

const searchResult = object({
  ...named("type citations"),
  content: needed(list(textBlock("messages"))),
  source: needed(text()),
  title: needed(text()),
  cache_control: cacheControl,
})

const callId = needed(matching(facts.callIdPattern))
const hostedId = needed(matching(facts.hostedIdPattern))

/** What the provider found is its own business. */
const hostedResult = object({
  ...named("type cache_control caller"),
  tool_use_id: hostedId,
  content: needed(anything),
})

const result = object({
  ...named("type content toolset_name"),
  tool_use_id: callId,
  is_error: flag,
  cache_control: cacheControl,
})
const resultContent = list(
  variants({
    document,
    image,
    search_result: searchResult,
    text: textBlock("messages"),
    tool_reference: object({
      type: anything,
      tool_name: needed(text()),
      cache_control: cacheControl,
    }),
  }),
)

const checkers: Readonly<Record<string, Check>> = {
  text: textBlock("messages"),
  image,
  // recorded: a marker on thinking is an extra field.
  thinking: object({ type: anything, thinking: needed(text()), signature: needed(text()) }),
  redacted_thinking: object({ type: anything, data: needed(text()) }),
  tool_use: object({
    // recorded: streams carry `caller`, so it may come back.
    ...named("type caller toolset_name"),
    id: callId,
    name: needed(matching(facts.toolNamePattern)),
    // recorded: an input is an object, never a string of JSON.
    input: needed(loose()),
    cache_control: cacheControl,
  }),
  tool_result: all(result, (path, value) => {
    const { content, is_error: isError } = value as JsonObject
    // documented: no content, an empty string and an empty list are fine.
    if (content === undefined || typeof content === "string") return undefined
    const parts = resultContent(`${path}.content`, content)
    if (parts !== undefined || isError !== true) return parts
    return firstRefusal(content as readonly JsonObject[], ({ type }) =>
      type === "image" ? invalid(facts.errorWithImage(path)) : undefined,
    )
  }),
  server_tool_use: object({
    ...named("type cache_control caller"),
    id: hostedId,
    name: needed(text()),
    input: always(loose()),
  }),
  mcp_tool_use: loose({ id: needed(text()), name: needed(text()) }),
  mcp_tool_result: loose({ tool_use_id: needed(text()) }),
  ...Object.fromEntries(facts.hostedResults.map((type) => [type, hostedResult])),
  container_upload: object({ type: anything, file_id: needed(text()), cache_control: cacheControl }),
  document,
  search_result: searchResult,
}
const blocks = variants(checkers)
