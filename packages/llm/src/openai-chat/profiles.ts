/**
 * Servers that speak Chat Completions, as data: where they differ from each other (LL1).
 *
 * Marks: `documented` by the server's makers, `recorded` in traffic or public reports, `assumed` to
 * be the safe choice. A server that is not listed is `generic`, which asks for the least.
 */
import type { CallIdShape } from "../request/call-shape.ts"
import { openAiSchemaRules, type SchemaRules } from "../request/tool-schema.ts"
import type { Target } from "../segments.ts"

export interface ChatProfile {
  readonly name: string
  /** Role of the prompts at the beginning. */
  readonly promptRole: "developer" | "system"
  /** Role of instructions at their place in time; null where a server hoists or refuses them (LL2). */
  readonly updateRole: "developer" | "system" | null
  readonly outputLimitField: "max_completion_tokens" | "max_tokens"
  /** `stream_options.include_usage` is understood. */
  readonly askForUsage: boolean
  readonly callId: CallIdShape
  /** A user's message may not follow a result: an answer is put between. */
  readonly answersResults: boolean
  /** What an answer without text says. */
  readonly emptyContent: null | ""
  /** Which answers bring their reasoning back (LL4). */
  readonly replaysReasoning: "never" | "with-calls" | "always"
  /** An answer with calls names its reasoning even if there is none. */
  readonly wantsEmptyReasoning: boolean
  readonly reasoningControl: "effort" | "thinking" | "reasoning-object"
  readonly requiredChoice: "required" | "any"
  /** Messages may hold images; what the model takes is the catalog's to say. */
  readonly takesImages: boolean
  readonly structured: "json_schema" | "json_object"
  readonly takesCacheKey: boolean
  readonly takesServiceTier: boolean
  readonly schema: SchemaRules
}

const generic: ChatProfile = {
  name: "generic",
  promptRole: "system",
  updateRole: null, // recorded of some templates: a system message that is not the first is refused
  outputLimitField: "max_tokens",
  askForUsage: true,
  callId: "plain",
  answersResults: false,
  emptyContent: null,
  replaysReasoning: "never",
  wantsEmptyReasoning: false,
  reasoningControl: "effort",
  requiredChoice: "required",
  takesImages: true,
  structured: "json_schema",
  takesCacheKey: false,
  takesServiceTier: false,
  schema: openAiSchemaRules,
}

export const profiles: Readonly<Record<string, ChatProfile>> = {
  generic,
  openai: {
    ...generic,
    name: "openai",
    promptRole: "developer", // documented
    updateRole: "developer", // documented
    outputLimitField: "max_completion_tokens", // documented
    takesCacheKey: true, // documented
    takesServiceTier: true, // documented
  },
  deepseek: {
    ...generic,
    name: "deepseek",
    replaysReasoning: "with-calls", // documented: a turn with calls must bring its reasoning back
    wantsEmptyReasoning: true, // recorded: refused without the field, even if it is empty
    reasoningControl: "thinking", // documented
    structured: "json_object", // documented
    takesImages: false, // documented: content is text
  },
  groq: { ...generic, name: "groq", takesServiceTier: true }, // documented
  openrouter: {
    ...generic,
    name: "openrouter",
    replaysReasoning: "always", // documented: reasoning_details come back unchanged
    reasoningControl: "reasoning-object", // documented
    takesCacheKey: true, // documented
  },
  together: { ...generic, name: "together" },
  fireworks: {
    ...generic,
    name: "fireworks",
    replaysReasoning: "with-calls", // assumed
    takesCacheKey: true, // documented
  },
  mistral: {
    ...generic,
    name: "mistral",
    askForUsage: false, // recorded: unknown fields are refused; usage comes by itself
    callId: "nine", // recorded: nine letters and digits
    answersResults: true, // recorded: Unexpected role 'user' after role 'tool'
    emptyContent: "", // assumed
    requiredChoice: "any", // documented
  },
  xai: { ...generic, name: "xai", updateRole: "system" }, // documented: roles in any order
  ollama: { ...generic, name: "ollama", emptyContent: "" }, // assumed
  lmstudio: { ...generic, name: "lmstudio", emptyContent: "" }, // assumed
  vllm: { ...generic, name: "vllm" },
}

/** Hosts by which a server is known when nothing names its profile. */
const hosts: readonly (readonly [end: string, profile: string])[] = [
  ["api.openai.com", "openai"],
  ["api.deepseek.com", "deepseek"],
  ["api.groq.com", "groq"],
  ["openrouter.ai", "openrouter"],
  ["api.together.xyz", "together"],
  ["api.together.ai", "together"],
  ["api.fireworks.ai", "fireworks"],
  ["api.mistral.ai", "mistral"],
  ["api.x.ai", "xai"],
]

/** The profile that the options name, else the provider's, else that of its host. */
export function profileOf(target: Target): ChatProfile {
  const named = target.options.traits.profile ?? target.provider
  if (Object.hasOwn(profiles, named)) return profiles[named] as ChatProfile
  const host = URL.canParse(target.endpoint) ? new URL(target.endpoint).hostname : ""
  const known = hosts.find(([end]) => host === end || host.endsWith(`.${end}`))
  return profiles[known?.[1] ?? "generic"] as ChatProfile
}

/** The role of instructions in time: what is known of the model wins over its server. */
export function updateRoleOf(profile: ChatProfile, target: Target): string | null {
  const { systemRole } = target.options.traits
  if (systemRole === undefined) return profile.updateRole
  return systemRole ? (profile.updateRole ?? profile.promptRole) : null
}
