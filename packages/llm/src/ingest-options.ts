/**
 * The one door through which foreign options come in (CA2).
 *
 * Options of models.dev and AI-SDK shape mix three domains in one object, under several spellings.
 * Here they are parted: what every provider understands, what a provider means by it, and what is
 * passed on as it is. Nothing is encoded; that is the wire's. What must never reach a request or a
 * record (keys, headers, addresses) is refused by name.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { fieldsOf, isFields, lookUp } from "./json-fields.ts"
import * as setting from "./reading/read-options.ts"
import type {
  CacheTtl,
  GenerationControls,
  ModelRequestOptions,
  Reasoning,
  StructuredOutput,
  ToolChoice,
} from "./options.ts"

export interface IngestedOptions {
  readonly generation: Partial<GenerationControls>
  readonly model: ModelRequestOptions
  readonly body: JsonObject
  /** Names that were left out, and may be shown: secrets, addresses, settings of the runtime's own. */
  readonly refused: readonly string[]
}

/** `names`: under which names options for this target stand in `providerOptions`. */
export function ingestOptions(given: JsonObject, names: readonly string[] = []): IngestedOptions {
  const found: Draft = { generation: {}, model: {}, body: {}, refused: [], efforts: {} }
  takeAll(found, given, names)
  const reasoning = reasoningOf(found.efforts)
  return {
    generation: found.generation,
    model: reasoning === null ? found.model : { ...found.model, reasoning },
    body: found.body,
    refused: found.refused,
  }
}

/** What is said about reasoning in several places and means one thing. */
interface Efforts {
  effort?: string
  budget?: number
  mode?: "on" | "off" | "adaptive"
}

interface Draft {
  generation: { -readonly [K in keyof GenerationControls]?: GenerationControls[K] }
  model: { -readonly [K in keyof ModelRequestOptions]: ModelRequestOptions[K] }
  body: Record<string, Json>
  refused: string[]
  efforts: Efforts
}

type Take = (draft: Draft, value: Json, names: readonly string[]) => boolean

function takeAll(draft: Draft, given: JsonObject, names: readonly string[]): void {
  for (const [name, value] of Object.entries(given)) {
    const take = lookUp(takers, name.replaceAll(/[-_]/g, "").toLowerCase())
    if (value === null || take?.(draft, value, names) === true) continue
    if (forbidden.test(name) || take !== undefined) draft.refused.push(name)
    else draft.body[name] = value
  }
}

/** Headers and secrets, wherever they stand in a declaration; a member may well be called `key`. */
const secret = /^headers?$|\wkey$|secret|token$|authoriz|password|credential/i

/** Settings that belong to the way to a provider, or to the runtime, and secrets whatever they are called. */
const forbidden =
  /^(?:store|include|stream\w*|messages?|input|instructions|system|tools|model|previous_?response_?id|fetch|name|timeout\w*|chunk_?timeout|set_?cache_?key|experimental\w*|headers?|base_?url|api|npm|url|endpoint)$|key$|secret|token$|authoriz|password|credential/i

/** By the name without case and separators. */
const takers: Readonly<Record<string, Take>> = {
  maxoutputtokens: said(setting.outputLimit),
  maxtokens: said(setting.outputLimit),
  maxcompletiontokens: said(setting.outputLimit),
  temperature: said(setting.temperature),
  topp: said(setting.topP),
  stop: said(setting.stop),
  stopsequences: said(setting.stop),
  toolchoice: said((value) => generation("toolChoice", choiceOf(value as Json))),
  responseformat: said((value) => generation("structured", formatOf(value as Json))),
  reasoningeffort: takeEffort,
  effort: takeEffort,
  reasoningsummary: said(setting.word("reasoningSummary")),
  thinking: takeThinking,
  thinkingconfig: takeThinking,
  reasoning: takeReasoning,
  textverbosity: said(setting.word("verbosity")),
  verbosity: said(setting.word("verbosity")),
  promptcachekey: said(setting.word("cacheKey")),
  promptcacheretention: takeTtl,
  cachecontrol: (draft, value) => takeTtl(draft, fieldsOf(value)["ttl"] ?? "5m"),
  servicetier: said(setting.word("serviceTier")),
  paralleltoolcalls: said(setting.parallelCalls),
  disableparalleltooluse: said((value) => setting.parallelCalls(typeof value === "boolean" ? !value : value)),
  hostedtools: takeHostedTools,
  body: takeBody,
  extrabody: takeBody,
  provider: (draft, value) => takeBody(draft, fieldsOf(value)["body"] as Json),
  options: takeNested,
  provideroptions: (draft, value, names) => {
    if (!isFields(value)) return false
    for (const [name, options] of Object.entries(value)) {
      if (names.includes(name) && isFields(options)) takeAll(draft, options as JsonObject, names)
      else draft.refused.push(`providerOptions.${name}`)
    }
    return true
  },
}

/** A setting that says one option. */
function said(read: (value: unknown) => setting.Said | null): Take {
  return (draft, value) => {
    const found = read(value)
    Object.assign(draft.generation, found?.generation)
    Object.assign(draft.model, found?.model)
    return found !== null
  }
}

const generation = (name: "toolChoice" | "structured", value: ToolChoice | StructuredOutput | null) =>
  value === null ? null : { generation: { [name]: value } }

function choiceOf(value: Json): ToolChoice | null {
  if (value === "auto" || value === "none" || value === "required") return value
  if (value === "any") return "required"
  const { type, toolName, name, function: named } = fieldsOf(value)
  const tool = toolName ?? name ?? fieldsOf(named)["name"]
  if (typeof tool === "string") return { tool }
  return typeof type === "string" && type !== "tool" && type !== "function" ? choiceOf(type) : null
}

function formatOf(value: Json): StructuredOutput | null {
  const fields = fieldsOf(value)
  const nested = isFields(fields["json_schema"]) ? fields["json_schema"] : fields
  const { schema, name } = nested
  if (!isFields(schema)) return null
  return { name: typeof name === "string" && name !== "" ? name : "answer", schema: schema as JsonObject }
}

function takeEffort(draft: Draft, value: Json): boolean {
  if (typeof value !== "string" || value === "") return false
  if (value === "none" || value === "off") draft.efforts.mode = "off"
  else draft.efforts.effort = value
  return true
}

/** Anthropic's, DeepSeek's and Google's ways to say it. */
function takeThinking(draft: Draft, value: Json): boolean {
  if (!isFields(value)) return false
  const { type, budgetTokens, budget_tokens, thinkingBudget } = value
  const budget = budgetTokens ?? budget_tokens ?? thinkingBudget
  if (type === "disabled" || budget === 0) draft.efforts.mode = "off"
  else if (typeof budget === "number" && budget > 0) draft.efforts.budget = budget
  else if (type === "adaptive") draft.efforts.mode = "adaptive"
  else if (type === "enabled") draft.efforts.mode = "on"
  else return false
  return true
}

/** OpenAI's and OpenRouter's object. */
function takeReasoning(draft: Draft, value: Json): boolean {
  if (!isFields(value)) return false
  const { effort, summary, max_tokens: budget, enabled } = value
  if (typeof effort === "string") takeEffort(draft, effort)
  if (typeof summary === "string") draft.model.reasoningSummary = summary
  if (typeof budget === "number" && budget > 0) draft.efforts.budget = budget
  if (enabled === false) draft.efforts.mode = "off"
  if (enabled === true) draft.efforts.mode = "on"
  const known = ["effort", "summary", "max_tokens", "enabled"]
  return Object.keys(value).every((name) => known.includes(name))
}

const ttls: ReadonlySet<unknown> = new Set<CacheTtl>(["5m", "1h", "24h", "in_memory"])

function takeTtl(draft: Draft, value: unknown): boolean {
  const ttl = value === "in-memory" ? "in_memory" : value
  if (!ttls.has(ttl)) return false
  draft.model.cacheTtl = ttl as CacheTtl
  return true
}

/** Declarations pass as they are; they are recorded with the turn, so no secret may be in them. */
function takeHostedTools(draft: Draft, value: Json): boolean {
  if (!Array.isArray(value) || !value.every(isFields)) return false
  const secrets = namesIn(value).filter((name) => secret.test(name))
  draft.refused.push(...secrets.map((name) => `hostedTools.${name}`))
  if (secrets.length === 0) draft.model.hostedTools = value as readonly JsonObject[]
  return true
}

/** Names of all members, at any depth. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  return isFields(value) ? Object.entries(value).flatMap(([name, item]) => [name, ...namesIn(item)]) : []
}

function takeBody(draft: Draft, value: Json | undefined): boolean {
  if (!isFields(value)) return false
  for (const [name, item] of Object.entries(value as JsonObject)) {
    if (forbidden.test(name)) draft.refused.push(name)
    else draft.body[name] = item
  }
  return true
}

function takeNested(draft: Draft, value: Json, names: readonly string[]): boolean {
  if (!isFields(value)) return false
  takeAll(draft, value as JsonObject, names)
  return true
}

function reasoningOf({ effort, budget, mode }: Efforts): Reasoning | null {
  if (mode === "off") return { kind: "off" }
  if (budget !== undefined) return { kind: "budget", tokens: budget }
  if (mode !== undefined) return { kind: "adaptive", ...(effort === undefined ? {} : { effort }) }
  return effort === undefined ? null : { kind: "effort", effort }
}
