/** A Session that never comes to an end: whatever is too large, and whatever the historian does, there is an answer or a typed refusal. */
import { afterEach, expect, test } from "vitest"
import type { Reply } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import { FactSource } from "../../session/fact-source.ts"
import { Stage, type StageOptions } from "../../session/harness.ts"
import { workTool } from "../../session/tools.ts"

const thousands = Number(process.env["HOLDFAST_STUCK_THOUSANDS"] ?? 120)
const edits = Number(process.env["HOLDFAST_STUCK_EDITS"] ?? 40)
const timeoutMs = 3_600_000

let stage: Stage
afterEach(() => stage.close())
const open = (options: StageOptions = {}): SessionId => {
  stage = new Stage({ contextTokens: 32_000, ...options })
  return stage.create()
}

/** About so many tokens. */
const long = (mark: string, tokens: number): string => `${mark} ${"word ".repeat(Math.round(tokens * 0.7))}`
const says = (text: string): Reply => ({ blocks: [{ type: "text", text }] })
const asked = () => stage.sent.filter(({ model }) => model === "script").length

const historians: readonly (readonly [string, Reply])[] = [
  ["always fails", { blocks: [], fault: { kind: "overloaded" } }],
  ["answers junk", says("Sure! Now implement everything.")],
  ["answers nothing", says("")],
  ["never ends", { ...says("…"), firstByteMs: 3_600_000 }],
]

test.each(historians)(
  "[TU6 HI1 EG1] a Session of many windows is answered at every turn by one request, and no more are made beside it, with a historian that %s",
  (_, reply) => {
    const session = open({ historian: ["historian"] })
    stage.historianReply = () => reply
    const prompts = Math.ceil((thousands * 1_000) / 8_000)
    for (let n = 0; n < prompts; n++) {
      const before = asked()
      expect(stage.converse(session, long(`Prompt ${n}`, 8_000))).toEqual({ kind: "done" })
      expect(asked() - before).toBe(1)
    }
    expect(stage.sent.length - asked()).toBeLessThanOrEqual(prompts)
    expect(stage.provider.log.filter(({ status }) => status === 400)).toEqual([])
    const refused = stage.turns(session).filter(({ settled }) => settled?.status !== "done")
    expect(refused).toEqual([])
  },
  timeoutMs,
)

test("[TU5 TU6] a long Session whose model suddenly takes 32,000 tokens goes on after one refusal", () => {
  const session = open({ contextTokens: 8_000_000 })
  for (let n = 0; n * 50 < thousands; n++)
    expect(stage.converse(session, long(`Prompt ${n}`, 50_000))).toEqual({ kind: "done" })
  stage.replies.push({
    blocks: [],
    fault: { kind: "overflow", tokens: thousands * 1_000, tokensMax: 32_000 },
  })
  const before = stage.sent.length
  expect(stage.converse(session, "Go on")).toEqual({ kind: "done" })
  expect(stage.sent.length).toBe(before + 2)
  expect(stage.sent.at(-1)?.raw.length).toBeLessThan(32_000 * 5)
  expect(stage.converse(session, "And on")).toEqual({ kind: "done" })
  expect(stage.sent.length).toBe(before + 3)
})

test("[TU6 PR1] a message of two million tokens is refused before it is stored, and the next one is answered", () => {
  const session = open()
  stage.converse(session, "First")
  const [sent, events] = [stage.sent.length, stage.events(session).length]
  const text = long("Huge", 2_000_000)
  const refused = stage.failure((runtime) => runtime.prompt({ sessionID: session, text }))
  expect(refused).toMatchObject({ _tag: "PromptRefused", code: "too_long" })
  expect(String(refused)).toMatch(/The prompt has \d{7} bytes; the limit is 1048576/)
  expect([stage.sent.length, stage.events(session).length]).toEqual([sent, events])
  expect(stage.converse(session, "Small again")).toEqual({ kind: "done" })
})

test("[TU6] the longest message that is taken, where no window holds it, is refused with its size, and the next one is answered", () => {
  const session = open()
  stage.converse(session, "First")
  const sent = stage.sent.length
  const end = stage.converse(session, long("Huge", 290_000))
  expect(end).toMatchObject({ kind: "failed", reason: { code: "window_exceeded" } })
  expect(stage.status(session).reason?.message).toMatch(/newest input \d{6} tokens/)
  expect(stage.sent.length).toBe(sent)
  expect(stage.converse(session, "Small again")).toEqual({ kind: "done" })
  expect(stage.sent.length).toBe(sent + 1)
})

test("[TU6] tools that no window holds are named in the refusal, and nothing is sent", () => {
  const tools = Array.from({ length: 400 }, (_, n) => ({
    ...workTool(() => {}, { name: `tool_${n}` }),
    description: long("Does it.", 300),
  }))
  const session = open({ tools })
  const end = stage.converse(session, "Begin")
  expect(end).toMatchObject({ kind: "failed", reason: { code: "window_exceeded" } })
  expect(stage.status(session).reason?.message).toMatch(/tools \d{6} tokens/)
  expect(stage.resume(session)).toMatchObject({ kind: "failed", reason: { code: "window_exceeded" } })
  expect(stage.sent).toEqual([])
})

test(
  "[TU6 EP12] a file of instructions that is edited at every turn never fills the window, and its newest text is there",
  () => {
    const rules = new FactSource("sim/rules", "edit 0")
    const session = open({ sources: [rules] })
    for (let n = 1; n <= edits; n++) {
      rules.value = long(`edit ${n}.`, 1_500)
      expect(stage.converse(session, `Prompt ${n}`)).toEqual({ kind: "done" })
      expect(stage.sent.at(-1)?.raw).toContain(`edit ${n}.`)
    }
    expect(stage.sent).toHaveLength(edits)
    expect(stage.provider.log.every(({ status }) => status === 200)).toBe(true)
  },
  timeoutMs,
)
