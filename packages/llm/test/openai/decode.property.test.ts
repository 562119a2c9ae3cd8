/** Streams of both OpenAI wires, cut anywhere and damaged anywhere. */
import { describe } from "vitest"
import { openaiChat } from "../../src/openai-chat/index.ts"
import { openaiResponses } from "../../src/openai-responses/index.ts"
import { keepsDecodeProperties, readsAnyChunks } from "../any-wire/decode-properties.ts"
import * as chat from "../fixtures/chat.ts"
import * as responses from "../fixtures/responses.ts"

const streams = [
  [
    "openai-responses",
    openaiResponses,
    [responses.richStream, responses.textStream, responses.strangeStream, responses.lengthStream],
  ],
  ["openai-chat", openaiChat, [chat.richStream, chat.textStream, chat.strangeStream, chat.detailsStream]],
] as const

describe.each(streams)("%s", (_, wire, texts) => {
  const both = texts.flatMap((text) => [text, text.replaceAll("\n", "\r\n")])
  keepsDecodeProperties(
    wire,
    "text/event-stream; charset=utf-8",
    both.map((text) => Buffer.from(text)),
  )
  readsAnyChunks(wire)
})
