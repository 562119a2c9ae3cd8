/** What a turn takes from outside its log: a model with its window, tools, an agent, and what the sources say. */
import { Effect, Schema } from "effect"
import { combine, make, observe, unavailable, type Observation } from "@holdfast/core/context/index"
import type { Selection } from "@holdfast/core/session/request/request"
import { plainOptions } from "@holdfast/llm/options"
import type { ToolDefinition } from "@holdfast/llm/segments"
import type { Wire } from "@holdfast/llm/wire"
import { wires } from "@holdfast/llm/wires"
import { renderVersion } from "@holdfast/recall"
import type { Draw } from "./draw.ts"

export interface Place {
  readonly model: number
  readonly tools: number
  readonly agent: number
  /** What each source says; null where it cannot be read. */
  readonly says: readonly (string | null)[]
  /** Another codec: what was stored before does not decode, so that the Baseline has to be replaced. */
  readonly codec: number
}

export const firstPlace = (draw: Draw): Place => ({
  model: draw.below(models.length),
  tools: draw.below(toolSets.length),
  agent: 0,
  says: ["1", "1"],
  codec: 0,
})

const models = [
  { wire: "anthropic-messages", name: "small", contextTokens: 6_000 },
  { wire: "anthropic-messages", name: "middle", contextTokens: 10_000 },
  { wire: "openai-responses", name: "other", contextTokens: 14_000 },
  { wire: "openai-chat", name: "chat", contextTokens: 8_000 },
] as const

const outputTokens = 500

const tool = (name: string): ToolDefinition => ({
  name,
  description: "Does it.",
  inputSchema: { type: "object", properties: {} },
})

const toolSets: readonly (readonly ToolDefinition[])[] = [
  ["context_expand", "context_reduce", "read", "todo", "work"],
  ["context_expand", "read", "todo", "work"],
  ["read", "work"],
].map((names) => names.map(tool))

const selections = new Map<string, Selection>()

/** The same object for the same place, as a drain would have it. */
export function selectionAt({ model, tools, agent }: Place): Selection {
  const key = `${model} ${tools} ${agent}`
  const known = selections.get(key)
  if (known !== undefined) return known
  const { wire, name, contextTokens } = models[model % models.length] as (typeof models)[number]
  const made: Selection = {
    render: renderVersion,
    wire: wires[wire] as Wire,
    target: { provider: wire, model: name, endpoint: "http://sim", options: plainOptions(outputTokens) },
    contextTokens,
    contextTokensStated: contextTokens,
    tools: toolSets[tools % toolSets.length] ?? [],
    agent: "build",
    agentPrompt: `Build it, in way ${agent}.`,
  }
  selections.set(key, made)
  return made
}

const observations = new Map<string, Observation>()
const observationsMax = 500

export function observedAt({ says, codec }: Place): Observation {
  const key = JSON.stringify([says, codec])
  const known = observations.get(key)
  if (known !== undefined) return known
  const sources = says.map((text, at) =>
    make({
      key: `sim/${at}`,
      codec: (codec % 2 === 1 ? Schema.Struct({ body: Schema.String }) : Schema.String) as Schema.Codec<
        unknown,
        string
      >,
      mayBeUnavailable: true,
      load: Effect.succeed(text === null ? unavailable : codec % 2 === 1 ? { body: text } : text),
      baseline: () => `Source ${at} is ${text}.`,
      update: () => `Source ${at} is now ${text}.`,
    }),
  )
  const made = Effect.runSync(observe(combine(sources)))
  if (observations.size >= observationsMax) observations.clear()
  observations.set(key, made)
  return made
}

export function movedPlace(place: Place, kind: "model" | "tools" | "agent", draw: Draw): Place {
  if (kind === "model") return { ...place, model: draw.below(models.length) }
  if (kind === "tools") return { ...place, tools: draw.below(toolSets.length) }
  return { ...place, agent: place.agent + 1 }
}

export function sourceChanged(
  place: Place,
  kind: "context" | "incompatible" | "unreadable",
  draw: Draw,
): Place {
  if (kind === "incompatible") return { ...place, codec: place.codec + 1 }
  const at = draw.below(place.says.length)
  const word = kind === "unreadable" ? null : `${draw.below(1_000)} ${"fact ".repeat(draw.below(200))}`.trim()
  return { ...place, says: place.says.with(at, word) }
}

export const readable = (place: Place): Place =>
  place.says.every((text) => text !== null)
    ? place
    : { ...place, says: place.says.map((text) => text ?? "back") }
