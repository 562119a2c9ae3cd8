/**
 * Plays: what happens in each scenario, and what the runtime must have recorded of it.
 *
 * A play speaks to one wire through the whole runtime and knows no format. Where wires differ in
 * what they can say, the difference is a line of `differences`.
 */
import { hash } from "node:crypto"
import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import { expect } from "vitest"
import type { Tool } from "@holdfast/core/tools/index"
import type { Reply } from "@holdfast/provider-sim"
import { cutNotice } from "@holdfast/recall"
import type { Json } from "@holdfast/schema/json"
import { png, takeImage } from "../stage/png.ts"
import type { ExchangeStage } from "./exchange.ts"
import { framedAnswer, type FramedScenario, hostedBlocks } from "./frames.ts"
import type { ScenarioName, WireName } from "./scenarios.ts"
import { hostedTools } from "./speakers.ts"

const differences = {
  /** The field in which sealed reasoning comes and goes back. */
  sealedAs: {
    "anthropic-messages": "signature",
    "openai-responses": "encrypted_content",
    "openai-chat": "reasoning_details",
    gemini: "thoughtSignature",
    "bedrock-converse": "signature",
  } satisfies Readonly<Record<WireName, string>>,
  /** Gemini caches by itself and tells only what was read. */
  tellsWrites: (wire: WireName) => wire !== "gemini",
  /** Where a result takes no image, the image stands right behind it, among the user's. */
  imagePlace: (wire: WireName) => (wire === "openai-chat" || wire === "gemini" ? "prompt" : "result"),
}

const resultImage = { bytes: png(7, 5), name: "7.png" }

/** Works on a step; a step below zero is shown as an image. */
export const work: Tool = {
  name: "work",
  description: "Does the work.",
  inputSchema: { type: "object", properties: { step: { type: "integer" } }, required: ["step"] },
  repeatable: true,
  run: (input) => {
    const { step } = input as { step: number }
    const text = `worked on ${step} ✓`
    if (step >= 0) return Effect.succeed({ text })
    return Effect.map(takeImage(resultImage), (image) => ({ text, images: [image] }))
  },
}

const says = (text: string, more: Partial<Reply> = {}): Reply => ({
  blocks: [{ type: "text", text }],
  chunkChars: 8,
  ...more,
})
const calls = (...steps: readonly number[]): Reply => ({
  blocks: steps.map((step) => ({ type: "tool_use", name: "work", input: { step } })),
})

export type Play = (stage: ExchangeStage, wire: WireName) => void

export const plays: Readonly<Record<ScenarioName, Play>> = {
  text(stage) {
    stage.replies.push(says("Grüße, 世界 😀."))
    expect(stage.converse("Hello")).toEqual({ kind: "done" })
    expect(partsOf(stage)).toMatchObject([{ type: "text", text: "Grüße, 世界 😀.", interrupted: false }])
    expect(ledgers(stage)).toMatchObject([{ finish: "stop", attempts: [answered] }])
    expect(ledgers(stage)[0]?.usage.output).toBeGreaterThan(0)
  },

  "tool call"(stage) {
    stage.replies.push(calls(1), says("Done."))
    expect(stage.converse("Work")).toEqual({ kind: "done" })
    expect(statuses(stage)).toEqual(["continue", "done"])
    expect(ledgers(stage).map(({ finish }) => finish)).toEqual(["calls", "stop"])
    expect(partsOf(stage)[0]).toMatchObject({ type: "call", name: "work", input: { step: 1 } })
    expect(resultsShown(stage, 1)).toEqual(["worked on 1 ✓"])
  },

  "parallel calls"(stage) {
    stage.replies.push(calls(1, 2, 3), says("Done."))
    expect(stage.converse("Work")).toEqual({ kind: "done" })
    expect(statuses(stage)).toEqual(["continue", "done"])
    const settled = stage.facts("call.settled").map(({ outcome }) => outcome.state)
    expect(settled).toEqual(["done", "done", "done"])
    expect(resultsShown(stage, 1)).toEqual(["worked on 1 ✓", "worked on 2 ✓", "worked on 3 ✓"])
  },

  "tool loop"(stage, wire) {
    stage.replies.push(calls(1), calls(2, 3), calls(4), says("Done."))
    expect(stage.converse("Work")).toEqual({ kind: "done" })
    expect(statuses(stage)).toEqual(["continue", "continue", "continue", "done"])
    expect(resultsShown(stage, 3)).toEqual([1, 2, 3, 4].map((step) => `worked on ${step} ✓`))
    // These refuse a thinking budget in a loop that did not begin with thinking, so it is left out.
    const leavesOut = wire === "anthropic-messages" || wire === "bedrock-converse"
    const settings = leavesOut ? { block: 0, segment: "params", reason: "params_changed" } : null
    expect(stage.turns().map(({ started }) => started.break)).toEqual([null, settings, null, null])
  },

  "reasoning and its continuation"(stage, wire) {
    const [call] = calls(1).blocks
    const thought = { type: "thinking", text: "Let me see ✓." } as const
    stage.replies.push({ blocks: [thought, ...(call === undefined ? [] : [call])] }, says("Seen."))
    expect(stage.converse("Think")).toEqual({ kind: "done" })
    expect(partsOf(stage)[0]).toMatchObject({ type: "reasoning", text: thought.text, interrupted: false })
    const kept = partsOf(stage).flatMap((part) => ("native" in part && part.native ? [part.native] : []))
    const sealed = kept.flatMap(({ opaque }) => longTexts(opaque))
    expect(sealed.length).toBeGreaterThan(0)
    stage.replies.push(says("Again."))
    expect(stage.converse("And again")).toEqual({ kind: "done" })
    expect(stage.exchanges[2]?.interaction.request.body).toContain(`"${differences.sealedAs[wire]}":`)
    for (const text of sealed) expect(sentTexts(stage, 2)).toContain(text)
  },

  "image in prompt"(stage) {
    const image = { bytes: png(11, 5), name: "11.png" }
    stage.replies.push(says("I see it."))
    expect(stage.converse("Look", { images: [image] })).toEqual({ kind: "done" })
    expect(stage.views[0]?.images).toMatchObject([shown(image.bytes, "prompt")])
  },

  "image in result"(stage, wire) {
    stage.replies.push(calls(-1), says("I see it."))
    expect(stage.converse("Work")).toEqual({ kind: "done" })
    expect(stage.views[0]?.images).toEqual([])
    expect(stage.views[1]?.images).toMatchObject([shown(resultImage.bytes, differences.imagePlace(wire))])
  },

  "cache write then read"(stage, wire) {
    stage.replies.push(says("One."), says("Two."))
    expect(stage.converse(longText)).toEqual({ kind: "done" })
    expect(stage.converse("More")).toEqual({ kind: "done" })
    const [first, second] = ledgers(stage)
    expect(first?.usage.cacheRead).toBe(0)
    expect((first?.usage.cacheWrite ?? 0) > 0).toBe(differences.tellsWrites(wire))
    expect(second?.usage.cacheRead).toBeGreaterThan(cacheTokensMin)
    expect(stage.turns()[1]?.started.cacheExpected).toBeGreaterThan(cacheTokensMin)
  },

  refusal(stage) {
    stage.replies.push(says("I cannot", { stopReason: "refusal" }))
    expect(stage.converse("Do it")).toMatchObject({ kind: "failed", reason: { code: "refusal" } })
    expect(partsOf(stage)).toMatchObject([{ type: "text", text: "I cannot" }])
    expect(ledgers(stage)).toMatchObject([{ finish: "refusal", attempts: [answered] }])
  },

  "length stop"(stage) {
    stage.replies.push(says("Once upon", { stopReason: "max_tokens" }))
    expect(stage.converse("Tell")).toMatchObject({ kind: "failed", reason: { code: "output_limit" } })
    expect(partsOf(stage)).toMatchObject([{ type: "text", text: "Once upon" }])
    expect(ledgers(stage)).toMatchObject([{ finish: "length", attempts: [answered] }])
  },

  overflow(stage) {
    for (let n = 0; n < 3; n++) {
      stage.replies.push(says(`Answer ${n}.`))
      expect(stage.converse(`Prompt ${n} ${longText}`)).toEqual({ kind: "done" })
    }
    stage.replies.push({ blocks: [], fault: { kind: "overflow" } }, says("Shorter."))
    expect(stage.converse("Four")).toEqual({ kind: "done" })
    expect(stage.facts("pass.applied").map(({ reason }) => reason)).toContain("cut_overflow")
    expect(ledgers(stage).map(({ attempts }) => attempts.map(({ failure }) => failure?.code))).toEqual([
      [undefined],
      [undefined],
      [undefined],
      ["context_overflow"],
      [undefined],
    ])
    const [long, short] = stage.exchanges.slice(-2).map(({ interaction }) => interaction.request.body.length)
    expect(short).toBeLessThan((long ?? 0) * 0.8)
  },

  "rate limit"(stage) {
    stage.replies.push({ blocks: [], fault: { kind: "rate-limited", retryAfter: 7 } }, says("Now."))
    expect(stage.converse("Hello")).toEqual({ kind: "done" })
    expect(ledgers(stage)).toMatchObject([
      { attempts: [{ failure: { code: "rate_limit" }, waitMs: 7_000 }, answered] },
    ])
    const [first, second] = stage.exchanges
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBe(7_000)
    expect(second?.interaction.request).toEqual(first?.interaction.request)
    const waits = stage.facts("session.updated").flatMap(({ waiting }) => waiting ?? [])
    expect(waits).toMatchObject([{ until: second?.atMs, reason: { code: "rate_limit" } }])
  },

  "mid-stream error"(stage) {
    const fault = { kind: "error-event", afterDeltas: 5 } as const
    stage.replies.push(says("abcdefghij", { chunkChars: 1, delayMs: 400, fault }), says("And on."))
    expect(stage.converse("Hello")).toEqual({ kind: "done" })
    expect(statuses(stage)).toEqual(["interrupted", "done"])
    expect(partsOf(stage)).toMatchObject([
      { type: "text", text: "abcde", interrupted: true },
      { type: "text", text: "And on.", interrupted: false },
    ])
    expect(stage.turns()[0]?.settled?.reason).toMatchObject({ code: "overloaded" })
    const said = stage.views[1]?.messages.flatMap(({ blocks }) => blocks) ?? []
    const words = said.flatMap((block) => (block.type === "text" ? [block.text] : []))
    expect(words.slice(0, 2)).toEqual(["Hello", "abcde"])
    expect(words.slice(2).join("")).toContain(cutNotice)
  },

  "hosted tool"(stage, wire) {
    const used = (hostedBlocks[wire] ?? []).map(
      (native) => ({ type: "hosted", native: { ...native } }) as const,
    )
    stage.replies.push({ blocks: [...used, { type: "text", text: "It is so." }] }, says("So it is."))
    playHosted(stage, wire)
  },

  "unknown event"(stage) {
    stage.replies.push(says("Grüße, 世界 😀.", { unknownEvents: true }))
    expect(stage.converse("Hello")).toEqual({ kind: "done" })
    expect(partsOf(stage)).toMatchObject([{ type: "text", text: "Grüße, 世界 😀.", interrupted: false }])
    expect(ledgers(stage)).toMatchObject([{ attempts: [answered] }])
  },
}

/** Two prompts whose answers use the provider's own tool: it is declared, and what it did comes back exactly. */
function playHosted(stage: ExchangeStage, wire: WireName): void {
  expect(stage.converse("Search")).toEqual({ kind: "done" })
  expect(stage.converse("And again")).toEqual({ kind: "done" })
  const blocks = hostedBlocks[wire] ?? []
  const kinds = partsOf(stage).map(({ type }) => type)
  expect(kinds.slice(0, blocks.length + 1)).toEqual([...blocks.map(() => "hosted"), "text"])
  const sent = stage.exchanges.map(({ interaction }) => JSON.parse(interaction.request.body) as Json)
  for (const tool of hostedTools[wire] ?? [])
    expect(sent.map((body) => holds(body, tool))).toEqual([true, true])
  for (const block of blocks) expect(sent.map((body) => holds(body, block))).toEqual([false, true])
  expect(stage.turns().map(({ started }) => started.break)).toEqual([null, null])
}

/** What is played with frames in place of the simulated provider. */
export const framedPlays: Readonly<Record<FramedScenario, Play>> = {
  "hosted tool"(stage, wire) {
    const [answer, last] = [framedAnswer("hosted tool", wire), framedAnswer("hosted tool", wire)]
    stage.framed.push(answer, last)
    playHosted(stage, wire)
  },

  refusal(stage, wire) {
    stage.framed.push(framedAnswer("refusal", wire))
    expect(stage.converse("Do it")).toMatchObject({ kind: "failed", reason: { code: "refusal" } })
    expect(ledgers(stage)).toMatchObject([{ finish: "refusal", attempts: [answered] }])
  },

  "length stop"(stage, wire) {
    stage.framed.push(framedAnswer("length stop", wire))
    stage.replies.push(says("Shorter."))
    expect(stage.converse("Tell")).toEqual({ kind: "done" })
    expect(statuses(stage)).toEqual(["continue", "done"])
    expect(partsOf(stage)).toMatchObject([
      { type: "text", text: "Once upon", interrupted: false },
      { type: "call", name: "read" },
      { type: "text", text: "Shorter." },
    ])
    expect(stage.facts("call.settled")).toMatchObject([{ outcome: { state: "failed" } }])
    expect(ledgers(stage)).toMatchObject([{ finish: "length", attempts: [answered] }, { finish: "stop" }])
  },

  "unknown event"(stage, wire) {
    stage.framed.push(framedAnswer("unknown event", wire))
    expect(stage.converse("Hello")).toEqual({ kind: "done" })
    expect(partsOf(stage)).toMatchObject([{ type: "text", text: "Hello", interrupted: false }])
    expect(ledgers(stage)).toMatchObject([{ attempts: [answered] }])
  },
}

const answered = { failure: null, waitMs: 0 }
const cacheTokensMin = 1_024
const longText = "word ".repeat(2_000)

const partsOf = (stage: ExchangeStage) => stage.facts("part.recorded").map(({ part }) => part)
const ledgers = (stage: ExchangeStage) =>
  stage.turns().flatMap(({ settled }) => (settled === null ? [] : [settled.ledger]))
const statuses = (stage: ExchangeStage) => stage.turns().map(({ settled }) => settled?.status)

/** Results in the request of this number, in their order. */
const resultsShown = (stage: ExchangeStage, request: number) =>
  stage.views[request]?.messages
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) => (block.type === "tool_result" ? [block.text] : []))

const shown = (bytes: Uint8Array, place: string) => ({
  hash: hash("sha256", bytes),
  mediaType: "image/png",
  place,
})

const textLengthMin = 12

/** Texts that are long enough to be nobody else's. */
function longTexts(value: Json): readonly string[] {
  if (typeof value === "string") return value.length >= textLengthMin ? [value] : []
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(longTexts)
}

const sentTexts = (stage: ExchangeStage, request: number) =>
  longTexts(JSON.parse(stage.exchanges[request]?.interaction.request.body ?? "null") as Json)

/** Whether a value stands somewhere in another, exactly. */
function holds(value: Json, wanted: object): boolean {
  if (typeof value !== "object" || value === null) return false
  return isDeepStrictEqual(value, wanted) || Object.values(value).some((inner) => holds(inner, wanted))
}
