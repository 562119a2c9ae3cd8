/**
 * Speakers: two models on every wire, each with a strict provider where one is simulated.
 *
 * The second of a wire differs from the first in what its provider takes, so a pair of one wire with
 * itself is a switch as well.
 */
import { plainOptions, type RequestOptions } from "@holdfast/llm/options"
import type { Target } from "@holdfast/llm/segments"
import type { Wire } from "@holdfast/llm/wire"
import { wires } from "@holdfast/llm/wires"
import {
  createProviderSim,
  type ProviderSim,
  type ProviderSimOptions,
  type SimModel,
  textReply,
} from "@holdfast/provider-sim"

export interface Speaker {
  readonly wire: Wire
  readonly target: Target
  /** The other model of the wire. */
  readonly sibling: Target
  /** Null where no provider speaks the wire: the AI SDK is called, not sent to. */
  readonly judge: (() => ProviderSim) | null
  /** Its provider is simulated with tools of its own. */
  readonly judgesHosted: boolean
  /** Its provider shows what the model thinks. */
  readonly shows: boolean
}

const outputTokensMax = 4_000
const budget = { kind: "budget", tokens: 1_024 } as const
const effort = { kind: "effort", effort: "medium" } as const

interface Row {
  readonly model: string
  readonly options: RequestOptions
  readonly sim?: Partial<SimModel>
  readonly shows?: false
  readonly dialect?: NonNullable<ProviderSimOptions["dialect"]>
}

const reasoning = (kind: typeof budget | typeof effort, traits: RequestOptions["traits"] = {}) =>
  plainOptions(outputTokensMax, { model: { reasoning: kind }, traits: { reasoning: true, ...traits } })

const rows: Readonly<Record<string, readonly [first: Row, second: Row]>> = {
  "anthropic-messages": [
    { model: "claude-sonnet-4-5", options: reasoning(budget) },
    {
      model: "claude-opus-4-8",
      options: reasoning(budget, { systemRole: true }),
      sim: { systemRole: true },
    },
  ],
  "openai-responses": [
    { model: "gpt-5.5", options: reasoning(effort) },
    { model: "gpt-5.6", options: reasoning(effort, { systemRole: true, cacheMarkers: "openai" }) },
  ],
  "openai-chat": [
    {
      model: "anthropic/claude-sonnet-4.5",
      options: reasoning(effort, { profile: "openrouter" }),
      dialect: "openrouter",
    },
    { model: "gpt-5.5", options: reasoning(effort, { profile: "openai" }), shows: false },
  ],
  gemini: [
    { model: "gemini-3-pro", options: reasoning(budget) },
    // Its provider wants no signature on the calls of others.
    { model: "gemini-2.5-flash", options: plainOptions(outputTokensMax), sim: { thinking: false } },
  ],
  "bedrock-converse": [
    { model: "anthropic.claude-sonnet-4-5-20250929-v1:0", options: reasoning(budget) },
    { model: "amazon.nova-pro-v1:0", options: plainOptions(outputTokensMax) },
  ],
  "ai-sdk": [
    { model: "large", options: plainOptions(outputTokensMax) },
    { model: "small", options: plainOptions(outputTokensMax, { traits: { systemRole: true } }) },
  ],
}

export const wireNames: readonly string[] = Object.keys(rows)

const rowOf = (name: string, which: 0 | 1): Row => (rows[name] as (typeof rows)[string])[which]

const targetOf = (name: string, which: 0 | 1): Target => {
  const { model, options } = rowOf(name, which)
  return { provider: name, model, endpoint: `http://${name}.invalid`, options }
}

export function speakerOf(name: string, which: 0 | 1): Speaker {
  const wire = wires[name] as Wire
  const { model, sim, dialect, shows = true } = rowOf(name, which)
  const judged: SimModel = {
    reply: () => textReply("Understood."),
    thinking: true,
    prefill: false,
    limit: { context: 100_000_000, output: 64_000 },
    ...sim,
  }
  const judge = () =>
    createProviderSim({
      models: { [model]: judged },
      logMax: 1,
      ...(dialect === undefined ? {} : { dialect }),
    })
  return {
    wire,
    target: targetOf(name, which),
    sibling: targetOf(name, which === 0 ? 1 : 0),
    judge: name === "ai-sdk" ? null : judge,
    shows,
    judgesHosted: name !== "anthropic-messages" && name !== "bedrock-converse",
  }
}

export interface Verdict {
  /** The provider's words, empty if it accepts. */
  readonly refused: string
  /** Hashes of the images that its model got to see, in order. */
  readonly images: readonly string[]
}

export function judgeBody(sim: ProviderSim, { wire, target }: Speaker, body: Uint8Array): Verdict {
  const { pathname, search } = new URL(wire.address(target.endpoint, target.model))
  sim.respond({ method: "POST", path: pathname + search, headers: wire.headers("key"), body }, 0)
  const { error, images = [] } = sim.log.at(-1) ?? {}
  return { refused: error === undefined ? "" : error.message, images: images.map(({ hash }) => hash) }
}
