/** Images: where a Messages request holds them, and what they cost. */
import { wordOf } from "../json.ts"
import { addressOf, imageWords, readImage } from "../image/sent.ts"
import type { ImageContent, SentImage } from "../image/sent.ts"
import type { ImagePlace } from "../model.ts"
import { tokensPerImage } from "../tokens.ts"
import { facts } from "./facts.ts"
import { blocksOf } from "./request-body.ts"
import type { ContentBlock, ImageBlock, MessagesBody, TextBlock } from "./request-body.ts"

export function imageOf({ source }: ImageBlock, path: string, place: ImagePlace): SentImage {
  if (source["type"] !== "base64") {
    return {
      path,
      place,
      declared: "",
      encodedBytes: 0,
      content: addressOf(source["url"] ?? source["file_id"]),
    }
  }
  const data = wordOf(source["data"])
  const declared = wordOf(source["media_type"])
  return { path, place, declared, encodedBytes: data.length, content: readImage(source, data) }
}

export function imagesOf(body: MessagesBody): readonly SentImage[] {
  return body.messages.flatMap((message, index) =>
    blocksOf(message.content).flatMap((block, place) =>
      imagesOfBlock(block, `messages.${index}.content.${place}`),
    ),
  )
}

/** documented: pixels by 750, after an image that is too large was made smaller. */
export function imageTokens(content: ImageContent): number {
  if (content.kind !== "image") return tokensPerImage
  const { width, height } = content
  const scale = Math.min(1, facts.imageLongEdge / Math.max(width, height))
  const tokens = Math.ceil((width * scale * height * scale) / facts.imagePixelsPerToken)
  return Math.max(1, Math.min(tokens, tokensPerImage))
}

/**
 * The request as the cache sees it: images are as many words as they cost. That there are any
 * enters with the parameters, since their presence alone makes other messages of all (documented).
 */
export function spellImages(body: MessagesBody): MessagesBody {
  if (imagesOf(body).length === 0) return body
  return {
    ...body,
    output_config: { ...body.output_config, holds_images: true },
    messages: body.messages.map((message) => ({
      ...message,
      content: blocksOf(message.content).map(spellBlock),
    })),
  }
}

function imagesOfBlock(block: ContentBlock, path: string): readonly SentImage[] {
  if (block.type === "image") return [imageOf(block, `${path}.image`, "prompt")]
  if (block.type !== "tool_result" || typeof block.content === "string") return []
  return (block.content ?? []).flatMap((part, index) =>
    part.type === "image" ? [imageOf(part, `${path}.tool_result.content.${index}.image`, "result")] : [],
  )
}

function spellBlock(block: ContentBlock): ContentBlock {
  if (block.type === "image") return spell(block)
  if (block.type !== "tool_result" || typeof block.content !== "object") return block
  return { ...block, content: block.content.map((part) => (part.type === "image" ? spell(part) : part)) }
}

function spell(block: ImageBlock): TextBlock {
  const { source: _, ...rest } = block
  const { content } = imageOf(block, "", "prompt")
  return { ...rest, type: "text", text: imageWords(content, imageTokens(content)) }
}
