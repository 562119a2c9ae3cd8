/** A runtime whose models speak every wire, each to a strict provider of its own. */
import { join } from "node:path"
import { Effect } from "effect"
import type { Runtime } from "@holdfast/core/runtime"
import type { ModelSetup } from "@holdfast/core/session/ports"
import type { Tool } from "@holdfast/core/tools/index"
import { plainOptions, type RequestOptions } from "@holdfast/llm/options"
import { wires } from "@holdfast/llm/wires"
import { createProviderSim, type ProviderSim, type Reply, type RequestView } from "@holdfast/provider-sim"
import type { ModelRef } from "@holdfast/schema/model"
import { modelSetup } from "../stage/model.ts"
import { makeFolder, type OpenedRuntime, openRuntime } from "../stage/opened.ts"
import { takeImage } from "../stage/png.ts"
import { plainTransport } from "../stage/transport.ts"

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

export async function openWorld(
  reply: (view: RequestView) => Reply,
  tools: readonly Tool[],
): Promise<WiresWorld> {
  const { directory, remove } = makeFolder("wires")
  const providers = new Map(
    wireNames.map((wire) => {
      const model = { reply, thinking: true }
      return [wire, createProviderSim({ models: { [modelOf(wire).model]: model } })]
    }),
  )
  const stalls = makeStalls()
  const processes: OpenedRuntime[] = []
  // Only one is up at a time: whoever else holds a Session was killed.
  const boot = async () => {
    processes.push(
      await openRuntime(join(directory, "holdfast.db"), {
        instance: `process-${processes.length}`,
        // The host of an address is the name of the wire.
        transport: plainTransport((host) => providers.get(host), { beforeFrame: stalls.pass }),
        tools,
        model: (asked) => Effect.succeed(setupOf(asked?.provider ?? wireNames[0] ?? "")),
        normaliseImage: takeImage,
      }),
    )
  }
  await boot()
  const runtime = () => (processes.at(-1) as OpenedRuntime).runtime
  const close = async () => {
    stalls.end()
    for (const each of processes) await each.close()
    remove()
  }
  return { runtime, directory, providers, stalls, reboot: boot, close }
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
  return modelSetup({
    ref: modelOf(name),
    wire,
    options,
    url: `http://${name}`,
    credential: "sk-never-shown",
  })
}
