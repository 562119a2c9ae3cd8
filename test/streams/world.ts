/**
 * A server that comes and goes: one store, a runtime on it that may be closed and opened again, and
 * a router in memory that may be disposed and made anew. Bodies are cut at the byte that is asked for.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { empty } from "@holdfast/core/context/index"
import { makeRuntime, type Runtime } from "@holdfast/core/runtime"
import { makeLiveHub } from "@holdfast/core/session/live"
import { type RuntimePorts, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry } from "@holdfast/core/tools/index"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import { createProviderSim, type ProviderSim, type Reply, scripted } from "@holdfast/provider-sim"
import { idFromBytes } from "@holdfast/schema/id"
import { type Handler, makeHandler } from "@holdfast/server"
import { openInlineStore } from "@holdfast/store"
import type { Store } from "@holdfast/store/port"
import { plainTransport } from "../../packages/server/test/plain-transport.ts"
import { workTool } from "../session/tools.ts"

export const token = "token-of-a-stream"

export class StreamWorld {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-streams-")))
  /** Played in order, then plain answers. */
  readonly replies: Reply[] = []
  runtime!: Runtime
  private handler!: Handler
  private store!: Store
  private scope!: Scope.Closeable
  private boots = 0
  private readonly provider: ProviderSim = createProviderSim({
    models: {
      script: scripted(() => this.replies.shift() ?? { blocks: [{ type: "text", text: "Understood 💡." }] }),
    },
  })

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
    await this.shutDown()
    await this.boot()
    this.makeRouter()
    await old.dispose()
  }

  async close(): Promise<void> {
    await this.handler.dispose()
    await this.shutDown()
    rmSync(this.directory, { recursive: true })
  }

  /** To whichever router is there now. */
  readonly fetch = (input: string, init: RequestInit): Promise<Response> =>
    this.handler.handler(new Request(input, init))

  private makeRouter(): void {
    this.handler = makeHandler(this.runtime, { token, defaultDirectory: this.directory, version: "1" })
  }

  private async boot(): Promise<void> {
    this.store = await Effect.runPromise(openInlineStore({ file: join(this.directory, "holdfast.db") }))
    this.scope = Scope.makeUnsafe()
    const location = { directory: this.directory, projectRoot: this.directory }
    const opening = makeRuntime(this.ports(), { locate: () => Effect.succeed(location) })
    this.runtime = await Effect.runPromise(Scope.provide(opening, this.scope))
  }

  private async shutDown(): Promise<void> {
    await Effect.runPromise(Scope.close(this.scope, Exit.void))
    await Effect.runPromise(this.store.close())
  }

  private ports(): RuntimePorts {
    const instance = `boot-${++this.boots}`
    return {
      store: this.store,
      transport: plainTransport(() => this.provider),
      live: makeLiveHub(),
      limits: { ...runtimeLimits, retry: retryLimits },
      newId: (prefix) => idFromBytes(prefix, randomBytes(20)),
      model: (asked) => Effect.succeed({ ...setup, ref: asked ?? setup.ref }),
      agentPrompt: "You are the agent of a test.",
      tools: createToolRegistry([workTool(() => {})]),
      context: () => Effect.succeed(empty),
      locationExists: () => Effect.succeed(true),
      owner: { boot: "test", space: "test", pid: process.pid, start: "0", instance },
      ownerState: (owner) => Effect.succeed(owner.instance === instance ? "alive" : "gone"),
      endCallProcesses: () => Effect.void,
    }
  }
}

const ref = { provider: "sim", model: "script" }
const setup = {
  ref,
  wire: anthropicMessages,
  target: {
    ...ref,
    endpoint: "http://sim",
    options: plainOptions(1_000),
  },
  contextTokens: 200_000,
  price: null,
  url: "http://sim",
  credential: "key",
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
