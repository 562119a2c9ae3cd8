/** Items in the shape of OpenAI Responses, as Codex and wire transcripts keep them. */
import type { Json } from "@holdfast/schema/json"
import { imageOfUrl, type JsonFields, elementsOf, objectOf, stringOf } from "../reading/fields.ts"
import type { ForeignImage, ForeignPart, ResultRecord } from "../record.ts"
import { callInputs, hostedKinds, isWrapped, outputKinds } from "./kinds.ts"

/** What an item is; null where nothing here stands for it. */
export type Item =
  | {
      readonly kind: "prompt"
      readonly by: "person" | "agent"
      readonly text: string
      readonly images: readonly ForeignImage[]
    }
  | { readonly kind: "part"; readonly part: ForeignPart }
  | { readonly kind: "result"; readonly result: Pick<ResultRecord, "call" | "state" | "text" | "images"> }

export function itemOf(item: JsonFields): Item | null {
  const kind = stringOf(item["type"]) ?? (item["role"] === undefined ? "" : "message")
  if (kind === "message") return messageOf(item)
  if (kind === "reasoning") return { kind: "part", part: reasoningOf(item) }
  if (outputKinds.has(kind)) return { kind: "result", result: outputOf(item) }
  if (hostedKinds.has(kind)) return { kind: "part", part: { type: "hosted", name: kind, native: item } }
  const field = Object.hasOwn(callInputs, kind) ? callInputs[kind] : undefined
  if (field === undefined) return null
  const input = inputOf(item[field])
  const call = stringOf(item["call_id"]) ?? stringOf(item["id"]) ?? ""
  return { kind: "part", part: { type: "call", call, name: stringOf(item["name"]) ?? kind, input } }
}

function messageOf(item: JsonFields): Item {
  const { text, images } = contentOf(item["content"])
  if (item["role"] === "assistant") return { kind: "part", part: { type: "text", text } }
  const by = item["role"] === "user" && !isWrapped(text) ? "person" : "agent"
  return { kind: "prompt", by, text, images }
}

function reasoningOf(item: JsonFields): ForeignPart {
  const said = [...elementsOf(item["summary"]), ...elementsOf(item["content"])]
  const text = said.map((part) => stringOf(objectOf(part)["text"]) ?? "").join("\n\n")
  return { type: "reasoning", text, native: stringOf(item["encrypted_content"]) === null ? null : item }
}

function outputOf(item: JsonFields): Pick<ResultRecord, "call" | "state" | "text" | "images"> {
  const call = stringOf(item["call_id"]) ?? ""
  const output = item["output"] ?? item["tools"] ?? ""
  const wrapped = typeof output === "object" && !Array.isArray(output) ? objectOf(output) : null
  const { text, images } = contentOf(wrapped === null ? output : wrapped["content"])
  const failed = wrapped?.["success"] === false || item["status"] === "failed"
  const state = /^aborted\b/.test(text) ? "interrupted" : failed ? "failed" : "done"
  return { call, state, text, images }
}

/** Text, or parts of text and images; what is neither stays as its JSON. */
function contentOf(content: Json | undefined): {
  readonly text: string
  readonly images: readonly ForeignImage[]
} {
  if (typeof content === "string") return { text: content, images: [] }
  const texts: string[] = []
  const images: ForeignImage[] = []
  for (const part of elementsOf(content)) {
    const fields = objectOf(part)
    const text = stringOf(fields["text"])
    const url = stringOf(fields["image_url"]) ?? stringOf(objectOf(fields["image_url"])["url"])
    if (text !== null) texts.push(text)
    else if (url !== null) images.push(imageOfUrl(url))
    else texts.push(JSON.stringify(part))
  }
  return { text: texts.join("\n\n"), images }
}

/** Arguments are JSON as text, but for tools that take plain text. */
function inputOf(given: Json | undefined): Json {
  if (typeof given !== "string") return given ?? {}
  try {
    return JSON.parse(given) as Json
  } catch {
    // Plain text, or arguments that the model did not finish: they stay as they are.
    return given
  }
}
