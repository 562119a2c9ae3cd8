/**
 * The provider of the benchmark: a bare node:http server in a process of its own.
 *
 * It judges nothing and answers at once, so that what is measured is ours. The first part of the
 * path says how it answers; when each request's first and last body byte came, and when its answer
 * ended, is kept until the parent asks.
 *
 *   /text     a short text                        /tool    a call of `read`, then a short text
 *   /timed    the same with `timed-read`          /blob    the same with a megabyte from `bash`
 *   /steps    the same with ten calls of `timed-step`
 *   /script   the steps that the parent sent
 *   /frames   5,000 deltas, one frame per write   /bursts  the same, many frames per write
 *   /paced    deltas at the pace of a fast model  /slow    400 deltas, one frame every 10 ms
 *
 * Deltas come in the form of Anthropic, or of the wire that stands before them: /gemini/bursts.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { setImmediate as immediate } from "node:timers/promises"
import type { FromProvider, Step, ToProvider } from "../provider-process.ts"
import type { RequestTimes } from "../provider-process.ts"
import { answerFrames, answerText } from "../sse.ts"
import { nowNs } from "../sample.ts"
import { type WireStream, wireStreams } from "../wire-streams.ts"

const deltasOfStream = 5_000
const deltasPaced = 400
const pacedMs = 5
const slowMs = 10
const burstFrames = 64
/** One write for each frame, and far more writes than a reader that rests takes by themselves. */
const frameNs = 50_000

const anthropic = wireStreams["anthropic-messages"] as WireStream

let times: RequestTimes[] = []
let steps: Step[] = []
let score: ((body: unknown) => Record<string, number>) | null = null
let scores: Record<string, number>[] = []
let wanted: number | null = null

const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  let firstNs = 0
  request.on("data", (piece: Buffer) => {
    if (firstNs === 0) firstNs = nowNs()
    pieces.push(piece)
  })
  request.on("end", () => {
    const bodyNs = nowNs()
    const [first = "", second = ""] = request.url?.split("/").slice(1) ?? []
    const wire = wireStreams[first]
    const mode = wire === undefined ? first : second
    void answer(mode, wire ?? anthropic, pieces, response).then((endNs) => {
      times.push({ mode, firstNs, bodyNs, endNs })
      giveTaken()
    })
  })
})
server.keepAliveTimeout = 120_000
server.listen(0, "127.0.0.1", () => {
  tell({ kind: "listening", port: (server.address() as AddressInfo).port })
})

process.on("message", (message: ToProvider) => {
  if (message.kind === "script") steps = [...message.steps]
  if (message.kind === "score") void loadOracle(message.module).then(() => tell({ kind: "ready" }))
  if (message.kind === "take") {
    wanted = message.atLeast
    giveTaken()
  }
})
process.on("disconnect", () => process.exit(0))

/** Answers the parent once as many requests as it asked for are answered. */
function giveTaken(): void {
  if (wanted === null || times.length < wanted) return
  tell({ kind: "taken", times, scores })
  times = []
  scores = []
  wanted = null
}

function tell(message: FromProvider): void {
  process.send?.(message)
}

/** Ends the answer; resolves to the moment just before its last byte was written. */
async function answer(
  mode: string,
  wire: WireStream,
  pieces: readonly Buffer[],
  response: ServerResponse,
): Promise<number> {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const tokens = Math.ceil(bytes / 4)
  response.writeHead(200, { "content-type": wire.contentType })
  if (mode === "frames" || mode === "bursts" || mode === "paced" || mode === "slow") {
    response.write(wire.start(tokens))
    if (mode === "frames") await writeFrames(response, wire)
    if (mode === "bursts") await writeBursts(response, wire)
    if (mode === "paced") await writePaced(response, wire, pacedMs)
    if (mode === "slow") await writePaced(response, wire, slowMs)
    return end(response, wire.end())
  }
  const body = mode === "text" ? null : Buffer.concat(pieces)
  const step = body === null ? textStep : stepFor(mode, body)
  const usage = mode === "script" && body !== null ? scoreBody(body) : { input_tokens: tokens }
  return end(response, answerFrames(step, usage))
}

const textStep: Step = { text: answerText }
const readStep: Step = { text: "Reading.", calls: [{ name: "read", input: { path: "note.txt" } }] }
const timedStep: Step = { text: "Reading.", calls: [{ name: "timed-read", input: { path: "note.txt" } }] }
/** Ten inputs of their own: the same call again and again would be a loop. */
const stepsStep: Step = {
  text: "Reading.",
  calls: Array.from({ length: 10 }, (_, n) => ({
    name: "timed-step",
    input: { path: "note.txt", offset: n + 1 },
  })),
}
const megabyte = { command: "yes 'The prefix holds, and the ledger names each break.' | head -c 1000000" }
const blobStep: Step = { text: "Reading.", calls: [{ name: "bash", input: megabyte }] }

function stepFor(mode: string, body: Buffer): Step {
  if (mode === "script") return steps.shift() ?? textStep
  const newest = body.subarray(body.lastIndexOf('"role":"user"'))
  if (newest.includes('"tool_result"')) return textStep
  const ofMode: Readonly<Record<string, Step>> = { blob: blobStep, timed: timedStep, steps: stepsStep }
  return ofMode[mode] ?? readStep
}

/** By the ruler that measured the peers; what it found is told as usage, as a provider would. */
function scoreBody(body: Buffer): Record<string, number> {
  if (score === null) throw new Error("A script needs an oracle.")
  const found = score(JSON.parse(body.toString()))
  scores.push(found)
  const { input = 0, write = 0, read = 0 } = found
  return { input_tokens: input, cache_creation_input_tokens: write, cache_read_input_tokens: read }
}

async function loadOracle(module: string): Promise<void> {
  const { Oracle } = (await import(module)) as {
    readonly Oracle: new () => { readonly anthropic: (body: unknown) => Record<string, number> }
  }
  const oracle = new Oracle()
  score = (body) => oracle.anthropic(body)
}

async function writeFrames(response: ServerResponse, wire: WireStream): Promise<void> {
  let due = nowNs()
  for (const frame of framesOf(wire)) {
    due = Math.max(due + frameNs, nowNs())
    while (nowNs() < due);
    if (!response.write(frame)) await drained(response)
    await immediate()
  }
}

async function writeBursts(response: ServerResponse, wire: WireStream): Promise<void> {
  const frames = framesOf(wire)
  for (let i = 0; i < frames.length; i += burstFrames) {
    if (!response.write(Buffer.concat(frames.slice(i, i + burstFrames)))) await drained(response)
    await immediate()
  }
}

const framesMade = new Map<WireStream, readonly Uint8Array[]>()

/** Made once: a wire whose frames are dear to make must not be slower for that. */
function framesOf(wire: WireStream): readonly Uint8Array[] {
  let frames = framesMade.get(wire)
  if (frames === undefined) {
    frames = Array.from({ length: deltasOfStream }, (_, at) => wire.delta(at))
    framesMade.set(wire, frames)
  }
  return frames
}

async function writePaced(response: ServerResponse, { delta }: WireStream, everyMs: number): Promise<void> {
  for (let i = 0; i < deltasPaced; i++) {
    response.write(delta(i))
    await sleep(everyMs)
  }
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.once("drain", resolve))

function end(response: ServerResponse, frames: string | Uint8Array): number {
  const endNs = nowNs()
  response.end(frames)
  return endNs
}
