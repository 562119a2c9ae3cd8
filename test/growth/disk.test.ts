/**
 * A Session of many turns with long streams and large outputs: what the store takes on disk stays
 * within three times the transcript and grows with it evenly, and no turn does more than the first.
 */
import { existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { Stage } from "../session/harness.ts"
import { workTool } from "../session/tools.ts"
import { meterWork, type WorkMeter } from "./work.ts"

const exchanges = Number(process.env["HOLDFAST_LONG_EXCHANGES"] ?? 40)
const diskFactorMax = 3
const unevenFactorMax = 1.2
const stepsFactorMax = 1.5
const outputChars = 24_000
const answerChars = 3_000
const timeout = 30_000 + exchanges * 500

let stage: Stage
afterEach(() => stage.close())

/** One prompt, one call with a large output, one answer in many pieces that checkpoints see half done. */
function exchange(session: SessionId, n: number): void {
  stage.replies.push(
    { blocks: [{ type: "tool_use", name: "work", input: {} }] },
    { blocks: [{ type: "text", text: filler(`Answer ${n}`, answerChars) }], chunkChars: 500, delayMs: 400 },
  )
  expect(stage.converse(session, filler(`Prompt ${n}`, 400))).toEqual({ kind: "done" })
  // Only the test would remember all of it.
  for (const list of [stage.sent, stage.live, stage.journal]) list.length = 0
}

const filler = (mark: string, chars: number) => `${mark} ${"All work and no play. ".repeat(chars / 22)}`

test(
  `[ST3 TU3] over ${exchanges} exchanges the store keeps within ${diskFactorMax} times the transcript, evenly, and gives it back`,
  { timeout },
  () => {
    const session = open()
    const half = exchanges / 2
    const marks = [0, half, exchanges].map((until, at) => {
      for (let n = at === 0 ? 0 : (at - 1) * half; n < until; n++) exchange(session, n)
      restart()
      return { disk: diskBytes(), transcript: transcriptBytes(session) }
    })
    const [start, middle, end] = marks as [Mark, Mark, Mark]
    console.log(marks.map(({ disk, transcript }) => `${kib(disk)} for ${kib(transcript)}`).join("; "))
    expect(end.transcript).toBeGreaterThan(exchanges * (outputChars + answerChars))
    expect(end.disk).toBeLessThanOrEqual(diskFactorMax * end.transcript)
    expect(end.disk - middle.disk).toBeLessThanOrEqual(unevenFactorMax * (middle.disk - start.disk))
    stage.ask((runtime) => runtime.remove(session))
    restart()
    expect(diskBytes()).toBeLessThanOrEqual(start.disk + slackBytes)
  },
)

test(
  `[TU2 DR10] an exchange costs the store as much after ${exchanges} others, also right after a restart`,
  { timeout },
  () => {
    const session = open()
    for (let n = 0; n < filling; n++) exchange(session, n)
    const early = sample(session)
    for (let n = 0; n < exchanges; n++) exchange(session, n)
    const late = sample(session)
    console.log(JSON.stringify({ early, late }))
    expect(early.reductions).toBeGreaterThan(1)
    expect(late.reductions).toBeGreaterThan(early.reductions + 2)
    expect(late.warm).toBeLessThanOrEqual(stepsFactorMax * early.warm)
    expect(late.creating).toBeLessThanOrEqual(stepsFactorMax * early.creating)
    // The window names every reduction that was ever applied, so these alone may add up.
    const named = stepsPerReductionMax * (late.reductions - early.reductions)
    expect(late.cold).toBeLessThanOrEqual(stepsFactorMax * early.cold + named)
  },
)

/** After so many the summary of what was cut is as long as it gets: from there on, old parts of it are archived. */
const filling = 48
/** From one reduction to the next there are fewer exchanges. */
const sampled = 8
const stepsPerReductionMax = 40

/** What an exchange takes in a drain that remembers, and in a process that has just started: mostly, without a Fold and without what the index merges now and then. */
function sample(session: SessionId) {
  const warm: number[] = []
  const cold: number[] = []
  for (let n = 0; n < sampled; n++) {
    warm.push(workOf(() => exchange(session, n)))
    restart()
    cold.push(workOf(() => exchange(session, n)))
  }
  const creating = workOf(() => stage.create())
  const reductions = stage.facts(session, "pass.applied").length
  return { warm: median(warm), cold: median(cold), creating, reductions }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

interface Mark {
  readonly disk: number
  readonly transcript: number
}

const slackBytes = 65_536
const kib = (bytes: number) => `${(bytes / 1_024).toFixed(0)} KiB`

let meter: WorkMeter

function open() {
  stage = new Stage({
    contextTokens: 60_000,
    tools: [workTool(() => {}, { text: filler("Output", outputChars), output: "" })],
  })
  watch()
  return stage.create()
}

/** What waits for a quiet moment is done when the store closes. */
function restart(): void {
  stage.restart()
  watch()
}

function watch(): void {
  if (stage.database === null) throw new Error("no store is open")
  meter = meterWork(stage.database)
}

function workOf(act: () => void): number {
  const before = meter.steps()
  act()
  return meter.steps() - before
}

/** The file, its log and the blobs beside it. */
function diskBytes(): number {
  const sizes = readdirSync(dirname(stage.disk.file()), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return sizes.reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0)
}

/** What people and models said and what tools answered, as text. */
function transcriptBytes(session: SessionId): number {
  let bytes = 0
  for (let afterSeq = 0; ;) {
    const page = stage.ask((runtime) => runtime.messages(session, { afterSeq, limit: 200 }))
    const last = page.at(-1)
    if (last === undefined) return bytes
    bytes += page.reduce((sum, message) => sum + Buffer.byteLength(textOf(message)), 0)
    afterSeq = last.seq
  }
}

function textOf(message: Message): string {
  if (message.kind !== "assistant") return message.text
  const texts = message.parts.map(({ part }) => {
    if (part.type === "call") return JSON.stringify(part.input) + (part.outcome?.output ?? "")
    return "text" in part ? part.text : ""
  })
  return texts.join("")
}
