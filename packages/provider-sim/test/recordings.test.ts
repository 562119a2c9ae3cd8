/**
 * Recordings: the events of the simulated provider have the shapes of real traffic.
 *
 * For each recorded request the same request is sent here, to a model that says what was recorded.
 * Then every event type of the answer must be recorded for that request, with the same keys. Our own
 * recordings pin what the simulated provider once said; the real ones are compared where they are at hand.
 */
import { expect, test } from "vitest"
import { loadInteractions } from "../../../test/recordings/recordings.ts"
import { createProviderSim, scripted } from "../src/index.ts"
import type { ChatDialect, Reply, ReplyBlock, SimResponse } from "../src/index.ts"
import { framesOf } from "./bedrock/frames.ts"
import { postGemini } from "./clients.ts"
import { postTo } from "./openai/requests.ts"

const recordings = loadInteractions([
  "openai-responses",
  "openai-responses-cache",
  "openai-chat",
  "openai-compatible-chat",
  "gemini",
  "bedrock-converse",
])

/** Fields that a server gained or lost while the recordings were made, by event and path. */
const unsteady = new Set(["response.reasoning.context"])

test.each(recordings)("$name has the recorded shape", (recording) => {
  const { pathname, search } = new URL(recording.request.url)
  const request = JSON.parse(recording.request.body) as { readonly model?: string }
  const name = request.model ?? decodeURIComponent(/models?\/([^/:]+)/.exec(pathname)?.[1] ?? "")
  const theirBytes = Buffer.from(
    recording.response.body,
    recording.response.bodyEncoding === "base64" ? "base64" : "utf8",
  )
  const events = dataOf(theirBytes)
  const sim = createProviderSim({
    dialect: dialectOf(recording.request.url),
    models: { [name]: scripted(() => replyOf(events), { thinking: /^gpt-5|^gemini/.test(name) }) },
  })
  const post = pathname.includes("gemini") ? postGemini : postTo
  const response = sim.respond(post(`${pathname}${search}`, recording.request.body), 0)
  expect(sim.log[0]?.error?.message).toBeUndefined()
  const ours = shapesOf(dataOf(bytesOf(response)))
  const theirs = shapesOf(events)
  expect([...ours.keys()].sort()).toEqual([...theirs.keys()].sort())
  for (const [type, keys] of ours) expect([type, keys]).toEqual([type, theirs.get(type)])
})

type Json = Readonly<Record<string, unknown>>

function dataOf(body: Buffer): readonly Json[] {
  const isBinary = body[0] === 0
  if (isBinary) return framesOf(body).map(({ type, payload }) => ({ type, ...payload }))
  return body
    .toString()
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)) as Json)
}

function bytesOf(response: SimResponse): Buffer {
  return Buffer.concat([...response.frames].flatMap((frame) => (frame.kind === "bytes" ? [frame.bytes] : [])))
}

function dialectOf(url: string): ChatDialect {
  return (["deepseek", "groq", "openrouter"] as const).find((name) => url.includes(name)) ?? "openai"
}

/** What the recorded model said, as a reply. */
function replyOf(events: readonly Json[]): Reply {
  const text = JSON.stringify(events)
  const blocks: ReplyBlock[] = []
  // None of them has a summary.
  const isThinking = text.includes('"type":"reasoning"') || text.includes("thoughtsTokenCount")
  if (isThinking) blocks.push({ type: "redacted_thinking" })
  if (/"(function_call|tool_calls|functionCall|toolUse)"/.test(text)) {
    blocks.push(
      text.includes("get_weather")
        ? { type: "tool_use", name: "get_weather", input: { city: "Paris" } }
        : { type: "tool_use", name: "tide_at", input: { harbour: "Lisbon" } },
    )
  } else blocks.push({ type: "text", text: "Hello!" })
  return { blocks, chunkChars: text.includes("candidates") ? 99 : 5 }
}

/** Every path of every event, by the type of the event or by what the chunk carries. */
function shapesOf(events: readonly Json[]): ReadonlyMap<string, readonly string[]> {
  const shapes = new Map<string, Set<string>>()
  for (const event of events) {
    const type = typeof event["type"] === "string" ? typeOf(event) : chunkKind(event)
    const paths = shapes.get(type) ?? new Set<string>()
    for (const path of pathsOf(event, "")) if (!unsteady.has(path)) paths.add(path)
    shapes.set(type, paths)
  }
  return new Map([...shapes].map(([type, paths]) => [type, [...paths].sort()]))
}

function typeOf(event: Json): string {
  const item = event["item"] as { readonly type?: string } | undefined
  return [event["type"], item?.type].filter((part) => part !== undefined).join(" ")
}

function chunkKind(event: Json): string {
  if (event["candidates"] !== undefined) return "response"
  const [choice] = event["choices"] as readonly { readonly delta: Json; readonly finish_reason: unknown }[]
  if (choice === undefined) return "usage"
  if (choice.finish_reason !== null) return event["usage"] ? "finish with usage" : "finish"
  return `delta ${Object.keys(choice.delta).sort().join(" ")}`
}

/** Tools, schemas and padding are the request's or nobody's business. */
const opaque = new Set(["parameters", "metadata", "obfuscation", "args"])

function pathsOf(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, `${path}[]`))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => {
    const at = path === "" ? key : `${path}.${key}`
    return opaque.has(key) ? [at] : [at, ...pathsOf(item, at)]
  })
}
