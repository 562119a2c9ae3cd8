/**
 * Makers of models behind Converse, as data: the API is one, what its models take is not (LL1).
 *
 * Marks: `documented` by AWS, `recorded` in traffic or public reports, `assumed` to be the safe
 * choice. A family is named by the traits or known by the model's id; an id that says nothing, such
 * as that of an inference profile, is `other`, which asks for the least.
 */
import type { Target } from "../segments.ts"

export interface ConverseFamily {
  readonly name: string
  /** Blocks behind which a cache point may stand (LL5). */
  readonly markable: "all" | "text" | "none"
  /** Cache points may ask for an hour. */
  readonly takesTtl: boolean
  /** A failed result has a field for it; otherwise its text says so. */
  readonly takesStatus: boolean
  /** Results may hold images; otherwise they stand behind all results. */
  readonly imagesInResults: boolean
  readonly toolChoices: readonly ("auto" | "any" | "tool")[]
  readonly reasoningControl: "thinking" | "reasoningConfig" | "reasoning_effort" | "none"
}

const other: ConverseFamily = {
  name: "other",
  markable: "none",
  takesTtl: false,
  takesStatus: false,
  imagesInResults: false, // documented: Claude and Nova alone
  toolChoices: [],
  reasoningControl: "none",
}

const claude: ConverseFamily = {
  name: "claude",
  markable: "all", // documented
  takesTtl: true, // documented
  takesStatus: true, // documented
  imagesInResults: true, // documented
  toolChoices: ["auto", "any", "tool"], // documented
  reasoningControl: "thinking", // documented
}

export const families: Readonly<Record<string, ConverseFamily>> = {
  other,
  claude,
  "claude-uncached": { ...claude, name: "claude-uncached", markable: "none" }, // documented
  nova: {
    ...other,
    name: "nova",
    markable: "text", // recorded: refused behind tools and results
    takesStatus: true, // documented
    imagesInResults: true, // documented
    toolChoices: ["auto", "any", "tool"], // documented
    reasoningControl: "reasoningConfig", // documented
  },
  mistral: { ...other, name: "mistral", toolChoices: ["auto", "any"] }, // documented
  "gpt-oss": { ...other, name: "gpt-oss", reasoningControl: "reasoning_effort" }, // documented
}

const ids: readonly (readonly [pattern: RegExp, family: string])[] = [
  [/claude-(?:v\d|instant|3-(?:opus|sonnet|haiku)-|3-5-sonnet-)/, "claude-uncached"],
  [/anthropic\.claude/, "claude"],
  [/amazon\.nova/, "nova"],
  [/mistral\./, "mistral"],
  [/openai\.gpt-oss/, "gpt-oss"],
]

export function familyOf({ model, options }: Pick<Target, "model" | "options">): ConverseFamily {
  const { profile, cacheMarkers } = options.traits
  if (profile !== undefined && Object.hasOwn(families, profile)) return families[profile] as ConverseFamily
  // What is known of a model wins over what its id does not say.
  if (cacheMarkers === "anthropic") return claude
  const known = ids.find(([pattern]) => pattern.test(model.toLowerCase()))
  return families[known?.[1] ?? other.name] as ConverseFamily
}
