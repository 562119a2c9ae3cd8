/** Images in the words of every wire, pinned. */
import { describe, expect, test } from "vitest"
import { promptWithImages } from "../../src/ai-sdk/image-forms.ts"
import type { ModelTraits } from "../../src/options.ts"
import type { Entry } from "../../src/segments.ts"
import type { Wire } from "../../src/wire.ts"
import { wires } from "../../src/wires.ts"
import { base64Of, bodyText, photo, pixel } from "../any-wire/images.ts"
import { targetOfWire } from "../any-wire/targets.ts"
import { answer, call, segmentsOf, showing, user } from "../requests.ts"

const png = base64Of(pixel)
const jpeg = base64Of(photo)

/** What a wire's conversation says of the entries, without prompts. */
function sent(name: string, entries: readonly Entry[], traits: ModelTraits = {}): readonly unknown[] {
  const wire = wires[name] as Wire
  const target = targetOfWire(name, traits)
  const encoded = wire.encode(segmentsOf(entries, { system: "", agent: "" }), target)
  expect(wire.lint(encoded, target)).toEqual([])
  const body = JSON.parse(bodyText(wire.place(encoded, target, 0)), (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  ) as Record<string, readonly unknown[]>
  return body["messages"] ?? body["input"] ?? body["contents"] ?? body["prompt"] ?? []
}

const anthropicImage = (media_type: string, data: string) => ({
  type: "image",
  source: { type: "base64", media_type, data },
})
const inputImage = (type: string, data: string) => ({
  type: "input_image",
  image_url: `data:${type};base64,${data}`,
})
const imageUrl = (type: string, data: string) => ({
  type: "image_url",
  image_url: { url: `data:${type};base64,${data}` },
})
const inline = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } })
const converseImage = (format: string, bytes: string) => ({ image: { format, source: { bytes } } })
const file = (mediaType: string, data: string) => ({ type: "file", mediaType, data })
const cachePoint = { cachePoint: { type: "default" } }

describe("[LL1 LL7] images of a prompt stand before its words", () => {
  const shown = [showing("What is it?", pixel, photo)]
  const text = { type: "text", text: "What is it?" }

  test.each<readonly [wire: string, expected: unknown]>([
    [
      "anthropic-messages",
      { role: "user", content: [anthropicImage("image/png", png), anthropicImage("image/jpeg", jpeg), text] },
    ],
    [
      "openai-responses",
      {
        type: "message",
        role: "user",
        content: [
          inputImage("image/png", png),
          inputImage("image/jpeg", jpeg),
          { type: "input_text", text: "What is it?" },
        ],
      },
    ],
    [
      "openai-chat",
      { role: "user", content: [imageUrl("image/png", png), imageUrl("image/jpeg", jpeg), text] },
    ],
    [
      "gemini",
      {
        role: "user",
        parts: [inline("image/png", png), inline("image/jpeg", jpeg), { text: "What is it?" }],
      },
    ],
    [
      "bedrock-converse",
      {
        role: "user",
        content: [
          converseImage("png", png),
          converseImage("jpeg", jpeg),
          { text: "What is it?" },
          cachePoint,
        ],
      },
    ],
    ["ai-sdk", { role: "user", content: [file("image/png", png), file("image/jpeg", jpeg), text] }],
  ])("%s", (wire, expected) => expect(sent(wire, shown)).toEqual([expected]))
})

describe("[LL1 LL3] an image needs no words", () => {
  test.each<readonly [wire: string, expected: unknown]>([
    ["anthropic-messages", { role: "user", content: [anthropicImage("image/png", png)] }],
    ["openai-responses", { type: "message", role: "user", content: [inputImage("image/png", png)] }],
    ["openai-chat", { role: "user", content: [imageUrl("image/png", png)] }],
    ["gemini", { role: "user", parts: [inline("image/png", png)] }],
    ["bedrock-converse", { role: "user", content: [converseImage("png", png), cachePoint] }],
    ["ai-sdk", { role: "user", content: [file("image/png", png)] }],
  ])("%s", (wire, expected) => expect(sent(wire, [showing(" \n", pixel)])).toEqual([expected]))
})

const looked = [
  user("go"),
  answer(call(1, { result: "one pixel", images: [pixel] }), call(2, { result: "", images: [photo] })),
]
/** How images that stand behind results are told. */
const behind = (...lines: readonly string[]): string =>
  `<notice from="runtime">\nThese images belong to the results above, in this order:\n${lines.join("\n")}\n</notice>`
const ofFirst = '- of result 1, read: image "pixel.png", image/png, 1 × 1, media:bc09c2590d25'
const ofSecond = "- of result 2, read: image image/jpeg, 800 × 600, media:6e568e1f67fb"

describe("[LL1 LL7 PR7] images of results stand in them, or behind all of them where they cannot", () => {
  test.each<readonly [wire: string, traits: ModelTraits, expected: readonly unknown[]]>([
    [
      "anthropic-messages",
      {},
      [
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "call_1",
              content: [{ type: "text", text: "one pixel" }, anthropicImage("image/png", png)],
            },
            {
              type: "tool_result",
              tool_use_id: "call_2",
              content: [anthropicImage("image/jpeg", jpeg)],
            },
          ],
        },
      ],
    ],
    [
      "openai-responses",
      {},
      [
        {
          type: "function_call_output",
          call_id: "call_1",
          output: [{ type: "input_text", text: "one pixel" }, inputImage("image/png", png)],
        },
        { type: "function_call_output", call_id: "call_2", output: [inputImage("image/jpeg", jpeg)] },
      ],
    ],
    [
      "openai-chat",
      {},
      [
        { role: "tool", content: "one pixel", tool_call_id: "call_1" },
        { role: "tool", content: "(images alone, behind the results)", tool_call_id: "call_2" },
        {
          role: "user",
          content: [
            imageUrl("image/png", png),
            imageUrl("image/jpeg", jpeg),
            { type: "text", text: behind(ofFirst, ofSecond) },
          ],
        },
      ],
    ],
    [
      "openai-chat",
      { profile: "mistral" },
      [
        { role: "tool", content: "one pixel", tool_call_id: "f2h85b9xv" },
        { role: "tool", content: "(images alone, behind the results)", tool_call_id: "n0bx5hunm" },
        { role: "assistant", content: "Understood." },
        {
          role: "user",
          content: [
            imageUrl("image/png", png),
            imageUrl("image/jpeg", jpeg),
            { type: "text", text: behind(ofFirst, ofSecond) },
          ],
        },
      ],
    ],
    [
      "gemini",
      {},
      [
        {
          role: "user",
          parts: [
            { functionResponse: { name: "read", response: { output: "one pixel" } } },
            {
              functionResponse: { name: "read", response: { output: "(images alone, behind the results)" } },
            },
            inline("image/png", png),
            inline("image/jpeg", jpeg),
            { text: behind(ofFirst, ofSecond) },
          ],
        },
      ],
    ],
    [
      "bedrock-converse",
      { profile: "nova" },
      [
        {
          role: "user",
          content: [
            {
              toolResult: {
                toolUseId: "call_1",
                content: [{ text: "one pixel" }, converseImage("png", png)],
              },
            },
            { toolResult: { toolUseId: "call_2", content: [converseImage("jpeg", jpeg)] } },
          ],
        },
      ],
    ],
    [
      "bedrock-converse",
      { profile: "other" },
      [
        {
          role: "user",
          content: [
            { toolResult: { toolUseId: "call_1", content: [{ text: "one pixel" }] } },
            {
              toolResult: { toolUseId: "call_2", content: [{ text: "(images alone, behind the results)" }] },
            },
            converseImage("png", png),
            converseImage("jpeg", jpeg),
            { text: behind(ofFirst, ofSecond) },
          ],
        },
      ],
    ],
    [
      "ai-sdk",
      {},
      [
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "call_1",
              toolName: "read",
              output: { type: "text", value: "one pixel" },
            },
            {
              type: "tool-result",
              toolCallId: "call_2",
              toolName: "read",
              output: { type: "text", value: "(images alone, behind the results)" },
            },
          ],
        },
        {
          role: "user",
          content: [
            file("image/png", png),
            file("image/jpeg", jpeg),
            { type: "text", text: behind(ofFirst, ofSecond) },
          ],
        },
      ],
    ],
  ])("%s %j", (wire, traits, expected) =>
    expect(sent(wire, looked, traits).slice(-expected.length)).toEqual(expected),
  )
})

describe("[LL3] a failed result holds words alone", () => {
  const failed = [user("go"), answer(call(1, { result: "broken", failed: true, images: [pixel] }))]
  const words = behind(ofFirst)

  test("anthropic-messages", () =>
    expect(sent("anthropic-messages", failed).at(-1)).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_1", content: "broken", is_error: true },
        anthropicImage("image/png", png),
        { type: "text", text: words },
      ],
    }))

  test("bedrock-converse", () =>
    expect(sent("bedrock-converse", failed, { profile: "nova" }).at(-1)).toEqual({
      role: "user",
      content: [
        { toolResult: { toolUseId: "call_1", content: [{ text: "broken" }], status: "error" } },
        converseImage("png", png),
        { text: words },
        cachePoint,
      ],
    }))
})

describe("[LL1] a model object is given images in the form of its version", () => {
  const prompt = sent("ai-sdk", [showing("x", pixel), answer(call(1))]) as readonly object[]

  test.each([
    ["v2", png],
    ["v3", png],
    ["v4", { type: "data", data: png }],
  ])("%s", (version, data) => {
    const [shown, ...rest] = promptWithImages(prompt, version)
    expect(shown).toEqual({
      role: "user",
      content: [
        { type: "file", mediaType: "image/png", data },
        { type: "text", text: "x" },
      ],
    })
    // What holds no image stays as it is.
    expect(rest).toEqual(prompt.slice(1))
  })
})
