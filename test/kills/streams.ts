/**
 * What the provider has really sent, and when: a frame counts once it is written to the socket,
 * which is when the next one is asked for.
 */
import type { ProviderSim, SimFrame } from "@holdfast/provider-sim"
import { streamOpening } from "./shapes.ts"

export interface Stream {
  readonly run: number
  readonly text: string
  /** Characters written so far, with the time of each write. */
  readonly sent: { readonly at: number; readonly length: number }[]
}

export interface WatchedStreams {
  readonly list: readonly Stream[]
  readonly watch: (sim: ProviderSim) => ProviderSim
}

export function watchStreams(): WatchedStreams {
  const list: Stream[] = []
  const watch = (sim: ProviderSim): ProviderSim => ({
    log: sim.log,
    respond: (request, nowMs) => {
      const response = sim.respond(request, nowMs)
      const text = sim.log.at(-1)?.reply?.text ?? ""
      const opening = streamOpening.exec(text)
      if (opening === null) return response
      const stream: Stream = { run: Number(opening[1]), text, sent: [] }
      list.push(stream)
      return { ...response, frames: timed(response.frames, stream) }
    },
  })
  return { list, watch }
}

/** How much of a stream had been written at a moment. */
export const sentBefore = (stream: Stream, at: number): number =>
  stream.sent.findLast((write) => write.at <= at)?.length ?? 0

/** When a length had been written. */
export const sentAt = (stream: Stream, length: number): number | undefined =>
  stream.sent.find((write) => write.length >= length)?.at

function* timed(frames: Iterable<SimFrame>, stream: Stream): Iterable<SimFrame> {
  let length = 0
  for (const frame of frames) {
    yield frame
    if (frame.kind !== "bytes") continue
    length += deltaLength(Buffer.from(frame.bytes).toString("utf8"))
    if (length > 0) stream.sent.push({ at: Date.now(), length })
  }
}

function deltaLength(frame: string): number {
  const data = /^data: (.*)$/m.exec(frame)?.[1]
  if (data === undefined) return 0
  const { delta } = JSON.parse(data) as { delta?: { type?: string; text?: string } }
  return delta?.type === "text_delta" ? (delta.text?.length ?? 0) : 0
}
