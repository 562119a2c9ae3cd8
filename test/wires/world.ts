/** A runtime whose models speak every wire, each to a strict provider of its own. */
import { randomBytes } from "node:crypto"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { empty } from "@holdfast/core/context/index"
import { makeRuntime, type Runtime } from "@holdfast/core/runtime"
import { makeLiveHub } from "@holdfast/core/session/live"
import { type ModelSetup, type RuntimePorts, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry, type Tool } from "@holdfast/core/tools/index"
import { plainOptions, type RequestOptions } from "@holdfast/llm/options"
import { wires } from "@holdfast/llm/wires"
import { createProviderSim, type ProviderSim, type Reply, type RequestView } from "@holdfast/provider-sim"
import { idFromBytes } from "@holdfast/schema/id"
import type { ModelRef } from "@holdfast/schema/model"
import { openInlineStore } from "@holdfast/store"
import { plainTransport } from "../../packages/server/test/plain-transport.ts"
import { takeImage } from "../session/media/png.ts"

const outputTokensMax = 4_000
const budget = { kind: "budget", tokens: 1_024 } as const
const effort = { kind: "effort", effort: "medium" } as const
const thinks = { reasoning: true } as const

/** What is asked of each wire: a model that reasons, under a name that its provider could have. */
const spoken: Readonly<Record<string, { readonly model: string; readonly options: RequestOptions }>> = {
  "anthropic-messages": {
    model: "claude-sonnet-4-5",
    options: plainOptions(outputTokensMax, { model: { reasoning: budget }, traits: thinks }),
  },
  "openai-responses": {
    model: "gpt-5.5",
    options: plainOptions(outputTokensMax, { model: { reasoning: effort }, traits: thinks }),
  },
  "openai-chat": {
    model: "gpt-5.5",
    options: plainOptions(outputTokensMax, {
      model: { reasoning: effort },
      traits: { ...thinks, profile: "openai" },
    }),
  },
  gemini: {
    model: "gemini-3-pro",
    options: plainOptions(outputTokensMax, { model: { reasoning: budget }, traits: thinks }),
  },
  "bedrock-converse": {
    model: "anthropic.claude-sonnet-4-5-20250929-v1:0",
    options: plainOptions(outputTokensMax, { model: { reasoning: budget }, traits: thinks }),
  },
}

export const wireNames: readonly string[] = Object.keys(spoken)

export const modelOf = (wire: string): ModelRef => ({ provider: wire, model: spoken[wire]?.model ?? "" })

export interface WiresWorld {
  /** Of the process that is up. */
  readonly runtime: () => Runtime
  readonly directory: string
  readonly providers: ReadonlyMap<string, ProviderSim>
  readonly stalls: Stalls
  /** The process is gone, as after SIGKILL, and another finds what it left. */
  readonly reboot: () => Promise<void>
  readonly close: () => Promise<void>
}

interface Process {
  readonly runtime: Runtime
  readonly end: () => Promise<void>
}

export async function openWorld(
  reply: (view: RequestView) => Reply,
  tools: readonly Tool[],
): Promise<WiresWorld> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-wires-")))
  const providers = new Map(
    wireNames.map((wire) => {
      const model = { reply, thinking: true }
      return [wire, createProviderSim({ models: { [modelOf(wire).model]: model } })]
    }),
  )
  const stalls = makeStalls()
  const processes: Process[] = []
  const boot = async () => {
    const instance = `process-${processes.length}`
    processes.push(
      await startProcess(directory, instance, {
        // The host of an address is the name of the wire.
        transport: plainTransport((host) => providers.get(host), { beforeFrame: stalls.pass }),
        tools: createToolRegistry(tools),
      }),
    )
  }
  await boot()
  const runtime = () => (processes.at(-1) as Process).runtime
  const close = async () => {
    stalls.end()
    for (const { end } of processes) await end()
    rmSync(directory, { recursive: true })
  }
  return { runtime, directory, providers, stalls, reboot: boot, close }
}

async function startProcess(
  directory: string,
  instance: string,
  given: Pick<RuntimePorts, "transport" | "tools">,
): Promise<Process> {
  const store = await Effect.runPromise(openInlineStore({ file: join(directory, "holdfast.db") }))
  const ports: RuntimePorts = {
    ...given,
    store,
    live: makeLiveHub(),
    limits: { ...runtimeLimits, retry: retryLimits },
    newId: (prefix) => idFromBytes(prefix, randomBytes(20)),
    model: (asked) => Effect.succeed(setupOf(asked?.provider ?? wireNames[0] ?? "")),
    fallback: [],
    agentPrompt: "You are the agent of a test.",
    context: () => Effect.succeed(empty),
    locationExists: () => Effect.succeed(true),
    owner: { boot: "test", space: "test", pid: process.pid, start: "0", instance },
    // Only one is up at a time: whoever else holds a Session was killed.
    ownerState: (owner) => Effect.succeed(owner.instance === instance ? "alive" : "gone"),
    normaliseImage: takeImage,
    endCallProcesses: () => Effect.void,
  }
  const scope = Scope.makeUnsafe()
  const locate = () => Effect.succeed({ directory, projectRoot: directory })
  const runtime = await Effect.runPromise(Scope.provide(makeRuntime(ports, { locate }), scope))
  const end = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await Effect.runPromise(Effect.ignore(store.close()))
  }
  return { runtime, end }
}

/** Where a stream stands still, so that its process can be killed there. */
interface Stalls {
  /** Before the frame of this number, counted over all requests from now on. */
  readonly before: (frame: number) => void
  /** Resolves once the stream stands still there. */
  readonly reached: () => Promise<void>
  readonly end: () => void
  /** Called by the transport before it hands over a frame. */
  readonly pass: Effect.Effect<void>
}

function makeStalls(): Stalls {
  let left = Number.POSITIVE_INFINITY
  let reach = () => {}
  let reached = Promise.resolve()
  return {
    before: (frame) => {
      left = frame
      reached = new Promise((resolve) => (reach = resolve))
    },
    reached: () => reached,
    end: () => (left = Number.POSITIVE_INFINITY),
    pass: Effect.suspend(() => {
      left -= 1
      if (left >= 0) return Effect.void
      left = Number.POSITIVE_INFINITY
      reach()
      return Effect.never
    }),
  }
}

function setupOf(name: string): ModelSetup {
  const wire = wires[name]
  const options = spoken[name]?.options
  if (wire === undefined || options === undefined) throw new Error(`There is no wire ${name}.`)
  const ref = modelOf(name)
  const url = `http://${name}`
  return {
    ref,
    wire,
    target: { ...ref, endpoint: url, options },
    contextTokens: 200_000,
    price: null,
    url,
    credential: "sk-never-shown",
  }
}
