/** Exchanges with images in the prompt and in results, replayed both ways on every wire. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type Interaction, readRecording } from "../../src/recording/recording.ts"
import { readBack } from "../../src/recording/replay.ts"
import { replayAnswer, replayRequest } from "../../src/recording/replay.ts"
import { wireOfUrl } from "../../src/recording/wire-of-url.ts"
import type { Wire } from "../../src/wire.ts"
import { pixel } from "../any-wire/images.ts"

const folder = join(import.meta.dirname, "../fixtures/images")

const recorded = readdirSync(folder).map((file) => {
  const recording = readRecording(readFileSync(join(folder, file), "utf8"))
  if (typeof recording === "string") throw new Error(recording)
  const interaction = recording.interactions[0] as Interaction
  const wire = wireOfUrl(interaction.request.url)?.wire as Wire
  return [file.replace(".json", ""), wire, interaction] as const
})

test("every wire over HTTP has one of each", () =>
  expect(recorded.map(([name]) => name)).toEqual([
    "anthropic-messages-prompt",
    "anthropic-messages-result",
    "bedrock-converse-prompt",
    "bedrock-converse-result",
    "gemini-prompt",
    "gemini-result",
    "openai-chat-prompt",
    "openai-chat-result",
    "openai-responses-prompt",
    "openai-responses-result",
  ]))

describe.each(recorded)("%s", (name, wire, interaction) => {
  const { url, body } = interaction.request

  test("[LL1 LL7] the request means the same when it is read and written again", () => {
    expect(wire.name).toBe(name.replace(/-(?:prompt|result)$/, ""))
    expect(replayRequest(wire, interaction)).toEqual({ kind: "same" })
  })

  test("[LL1 LL7] its images are read with their measures, and their bytes are kept", () => {
    const read = readBack(wire, url, body)?.request
    const tail = read?.segments.tail ?? []
    const shown = tail.flatMap((entry) => {
      if (entry.kind === "user") return entry.images ?? []
      if (entry.kind !== "assistant") return []
      return entry.parts.flatMap((part) => (part.type === "call" ? (part.images ?? []) : []))
    })
    expect(shown[0]).toEqual({ ...pixel, name: null })
    const others = shown.filter(({ hash }) => hash !== pixel.hash)
    for (const media of others) expect(media).toMatchObject({ mediaType: "image/jpeg", width: 3, height: 2 })
    for (const { hash, bytes } of shown) expect(read?.images.get(hash)?.length).toBe(bytes)
  })

  test("[LL1] the answer is told to its end", () => {
    expect(replayAnswer(wire, interaction, 0).at(-1)?.type).toBe("finish")
  })
})

const [, anthropic, asked] = recorded[0] as (typeof recorded)[number]

test.each<readonly [what: string, change: (body: string) => string]>([
  [
    "an address instead of bytes",
    (body) => body.replaceAll(/"type":"base64".*?\}/g, '"type":"url","url":"https://a.example/b.png"}'),
  ],
  ["a type that a Session cannot hold", (body) => body.replaceAll("image/png", "image/tiff")],
  ["base64 in another spelling", (body) => body.replaceAll("ggg==", "ggh==")],
])("[LL7] %s stays unread", (_, change) => {
  const request = { ...asked.request, body: change(asked.request.body) }
  const replayed = replayRequest(anthropic, { ...asked, request })
  expect(replayed).toMatchObject({ kind: "unread" })
  expect(replayed.kind === "unread" && replayed.places).toContain("messages[0].content[0]: image")
})
