/**
 * A server that comes and goes: one store, a runtime on it that may be closed and opened again, and
 * a router in memory that may be disposed and made anew. Bodies are cut at the byte that is asked for.
 */
import { join } from "node:path"
import type { Runtime } from "@holdfast/core/runtime"
import { createProviderSim, type ProviderSim, type Reply, scripted } from "@holdfast/provider-sim"
import { type Handler, makeHandler } from "@holdfast/server"
import { workTool } from "../session/tools.ts"
import { makeFolder, type OpenedRuntime, openRuntime } from "../stage/opened.ts"
import { plainTransport } from "../stage/transport.ts"
import type { Random } from "./random.ts"

export const token = "token-of-a-stream"

export class StreamWorld {
  private readonly folder = makeFolder("streams")
  readonly directory = this.folder.directory
  /** Played in order, then plain answers. */
  readonly replies: Reply[] = []
  private opened!: OpenedRuntime
  private handler!: Handler
  private boots = 0
  private readonly provider: ProviderSim = createProviderSim({
    models: {
      script: scripted(() => this.replies.shift() ?? { blocks: [{ type: "text", text: "Understood 💡." }] }),
    },
  })

  get runtime(): Runtime {
    return this.opened.runtime
  }

  async open(): Promise<this> {
    await this.boot()
    this.makeRouter()
    return this
  }

  /** The router goes and another comes; streams end, and so does what waited. */
  async remakeRouter(): Promise<void> {
    const old = this.handler
    this.makeRouter()
    await old.dispose()
  }

  /** The whole process, as far as one process can play it: what was open is settled by the next. */
  async restart(): Promise<void> {
    const old = this.handler
    old.endStreams()
    await this.opened.close()
    await this.boot()
    this.makeRouter()
    await old.dispose()
  }

  async close(): Promise<void> {
    await this.handler.dispose()
    await this.opened.close()
    this.folder.remove()
  }

  /** To whichever router is there now. */
  readonly fetch: typeof globalThis.fetch = (input, init) => this.handler.handler(new Request(input, init))

  private makeRouter(): void {
    this.handler = makeHandler(this.runtime, { token, defaultDirectory: this.directory, version: "1" })
  }

  private async boot(): Promise<void> {
    this.opened = await openRuntime(join(this.directory, "holdfast.db"), {
      instance: `boot-${++this.boots}`,
      transport: plainTransport(() => this.provider),
      tools: [workTool(() => {})],
    })
  }
}

/** Longer than most frames, so that a stream gets on between two cuts. */
const cutBytesMax = 8_000

/** Whatever it fetches is cut at some byte. */
export const cuttingFetch =
  (fetch: typeof globalThis.fetch, random: Random, onCut: () => void): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    onCut()
    return cutBody(response, 1 + random.below(cutBytesMax), random.pick(["break", "end"]))
  }

/** The body up to so many bytes; then it breaks, or ends as if it were whole. */
export function cutBody(response: Response, bytesMax: number, how: "break" | "end"): Response {
  if (response.body === null) return response
  const reader = response.body.getReader()
  let left = bytesMax
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        const piece = value.subarray(0, left)
        left -= piece.length
        if (piece.length > 0) controller.enqueue(piece)
        if (left > 0) return
        void reader.cancel()
        if (how === "end") controller.close()
        else controller.error(new Error("cut"))
      },
      cancel: () => reader.cancel(),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: response.status, headers: response.headers })
}
