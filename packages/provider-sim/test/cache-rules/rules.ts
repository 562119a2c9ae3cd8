/**
 * Every rule of a provider's prompt cache, in our words, under the name it has in the collected
 * rules of the providers. A rule has a case in one of the tables, is one of prices, which the
 * catalog's own tests compare with its rows, or stands in `notModelled`.
 */
export const rules = {
  "anthropic.match": "A prefix is the same byte for byte or it is not read.",
  "anthropic.order": "Tools come before the system, the system before messages.",
  "anthropic.max_breakpoints": "A request has four markers at most.",
  "anthropic.lookback_blocks": "From a marker twenty positions are tried, the marked block being the first.",
  "anthropic.read_only_at": "A read ends where an earlier request had a marker, nowhere else.",
  "anthropic.ttl_s.5m": "A short entry lives 300 seconds.",
  "anthropic.ttl_s.1h": "A long entry lives 3,600 seconds.",
  "anthropic.ttl_clock": "A life counts from the start of the request that wrote or last read the entry.",
  "anthropic.mixed_ttl": "Long markers stand before short ones, and each is written at its own price.",
  "anthropic.write_mult.5m": "A short write costs more than input.",
  "anthropic.write_mult.1h": "A long write costs twice the input.",
  "anthropic.read_mult": "A read costs a tenth of the input.",
  "anthropic.visible_after": "An entry can be read once the answer to its request has begun.",
  "anthropic.scope": "A cache belongs to a workspace, not to a key.",
  "anthropic.min_tokens.opus-5|fable-5.1|mythos-5.1": "The newest models cache from 512 tokens on.",
  "anthropic.min_tokens.opus-4.8|sonnet-5|sonnet-4.6|sonnet-4.5|opus-4.1|opus-4|sonnet-4":
    "Most models cache from 1,024 tokens on.",
  "anthropic.min_tokens.opus-4.7|mythos-preview|haiku-3.5": "Some models cache from 2,048 tokens on.",
  "anthropic.min_tokens.opus-4.6|opus-4.5|haiku-4.5": "Some models cache from 4,096 tokens on.",
  "anthropic.invalidates.tool_defs": "Another tool loses everything.",
  "anthropic.invalidates.model": "Another model loses everything.",
  "anthropic.invalidates.speed|web_search|citations": "Three switches lose the system and the messages.",
  "anthropic.invalidates.system": "Another system loses itself and the messages; the tools stay.",
  "anthropic.invalidates.tool_choice|images":
    "Another tool choice, or the first image, loses the messages alone.",
  "anthropic.invalidates.thinking|effort": "Other thinking or effort loses the messages.",
  "anthropic.invalidates.message_content": "Another message loses what follows it.",
  "anthropic.escape_hatches.system change": "A system message in the conversation keeps what stands before.",
  "anthropic.escape_hatches.tools change": "Tools that are added in the conversation keep the prefix.",
  "anthropic.thinking": "Older models drop the thinking of a turn that is over, and the prefix ends there.",
  "anthropic.conflicts": "Where sources disagree, the more pessimistic is simulated.",
  "openai_pre_5_6.match": "Two prompts share what they begin with alike.",
  "openai_pre_5_6.min_tokens": "Nothing under 1,024 tokens is read.",
  "openai_pre_5_6.granularity": "What is read is a multiple of 128.",
  "openai_pre_5_6.breakpoints": "A request needs no marker.",
  "openai_pre_5_6.routing": "Another cache key, or another beginning, reaches another machine.",
  "openai_pre_5_6.ttl": "Five minutes without use end a life in memory; a day, where that was asked for.",
  "openai_pre_5_6.write_mult": "A write costs nothing beyond the input.",
  "openai_pre_5_6.read_mult": "A read costs a part of the input.",
  "openai_pre_5_6.includes": "Tools, images and the output schema are part of the prefix.",
  "openai_5_6_plus.match": "A read ends exactly at a breakpoint and falls back to nothing shorter.",
  "openai_5_6_plus.min_tokens": "Nothing under 1,024 tokens is written.",
  "openai_5_6_plus.implicit":
    "The newest message has a breakpoint of its own, beside three marked ones; in explicit mode four marked.",
  "openai_5_6_plus.max_writes_per_request": "A request writes four breakpoints at most.",
  "openai_5_6_plus.match_candidates": "The latest eighty breakpoints are tried.",
  "openai_5_6_plus.lookback_blocks": "How many blocks lie between two breakpoints does not matter.",
  "openai_5_6_plus.ttl": "A breakpoint lives thirty minutes.",
  "openai_5_6_plus.write_mult": "A write costs more than input.",
  "openai_5_6_plus.usage_fields": "Both counts are reported.",
  "gemini.implicit.min_tokens.3/3.1/3.5 per third party":
    "Models of the third generation read from 4,096 on.",
  "gemini.implicit.min_tokens.3 pro|2.5 pro (official table)": "Large models read from 4,096 tokens on.",
  "gemini.implicit.min_tokens.3 flash|2.5 flash (official table)": "Small models read from 1,024 tokens on.",
  "gemini.implicit.min_tokens.vertex page": "On Vertex the minimum is 2,048 tokens.",
  "gemini.implicit.read_mult": "A read costs a tenth of the input.",
  "gemini.implicit.write_mult": "A write costs nothing beyond the input.",
  "gemini.implicit.guarantee": "Nothing is promised; a request is right without a read.",
  "gemini.explicit.ttl_default_s": "A stored content lives an hour.",
  "gemini.explicit.read_mult.2.5+": "A read of stored content costs a tenth of the input.",
  "gemini.explicit.read_mult.2.0": "A read of stored content costs a quarter of the input.",
  "gemini.explicit.storage": "Stored content is paid for by the hour.",
  "bedrock.claude": "Claude on Bedrock caches as at Anthropic, at cache points.",
  "bedrock.nova.mode":
    "Nova takes cache points, not among tools or behind results; what it caches by itself is not reported.",
  "bedrock.nova.ttl_s": "An entry of Nova lives 300 seconds, and none lives longer.",
  "bedrock.nova.limits": "Nova caches from 1,024 tokens on and up to 20,000, at four cache points at most.",
  "bedrock.cache_reads_count_to_quota": "Reads do not count towards a quota.",
  "deepseek.match": "Only whole units of the prefix are read.",
  "deepseek.units_at": "A unit ends at fixed intervals, and at some ends of what was said.",
  "deepseek.write_mult": "A write costs nothing beyond the input.",
  "deepseek.read_mult.flash": "A read of the small model costs a fiftieth.",
  "deepseek.read_mult.v4-pro": "A read of the large model costs a thirtieth.",
  "deepseek.breakpoints": "A request needs no marker.",
  "deepseek.peak": "Prices double at certain hours.",
} as const

export type RuleId = keyof typeof rules

/** Rules of prices: a simulator counts tokens, and `packages/llm/test/cache-rules.test.ts` compares them. */
export const priced: readonly RuleId[] = [
  "anthropic.write_mult.5m",
  "anthropic.write_mult.1h",
  "anthropic.read_mult",
  "openai_pre_5_6.write_mult",
  "openai_pre_5_6.read_mult",
  "openai_5_6_plus.write_mult",
  "gemini.implicit.read_mult",
  "gemini.implicit.write_mult",
  "gemini.explicit.read_mult.2.5+",
  "gemini.explicit.read_mult.2.0",
  "deepseek.write_mult",
  "deepseek.read_mult.flash",
  "deepseek.read_mult.v4-pro",
]

/** Rules without a case, and why. */
export const notModelled: Partial<Record<RuleId, string>> = {
  "gemini.explicit.ttl_default_s":
    "Stored content is made by requests of another kind, which no wire of ours sends and the simulator does not serve: whatever names stored content is refused as unknown.",
  "gemini.explicit.storage":
    "Stored content again, and a price by the hour: a bill of something that is never made.",
  "bedrock.cache_reads_count_to_quota":
    "The simulator has no quotas; being limited is a fault of its script, whatever was read.",
  "deepseek.peak":
    "What is read does not depend on the hour; the catalog holds the price of the busy hours, the higher one.",
}

/** The numbers that the cases are written with; the collected rules must not say others. */
export const numbers: Partial<Record<RuleId, number>> = {
  "anthropic.max_breakpoints": 4,
  "anthropic.lookback_blocks": 20,
  "anthropic.ttl_s.5m": 300,
  "anthropic.ttl_s.1h": 3_600,
  "anthropic.min_tokens.opus-5|fable-5.1|mythos-5.1": 512,
  "anthropic.min_tokens.opus-4.8|sonnet-5|sonnet-4.6|sonnet-4.5|opus-4.1|opus-4|sonnet-4": 1_024,
  "anthropic.min_tokens.opus-4.7|mythos-preview|haiku-3.5": 2_048,
  "anthropic.min_tokens.opus-4.6|opus-4.5|haiku-4.5": 4_096,
  "openai_pre_5_6.min_tokens": 1_024,
  "openai_pre_5_6.granularity": 128,
  "openai_5_6_plus.min_tokens": 1_024,
  "openai_5_6_plus.max_writes_per_request": 4,
  "openai_5_6_plus.match_candidates": 80,
  "gemini.implicit.min_tokens.3/3.1/3.5 per third party": 4_096,
  "gemini.implicit.min_tokens.3 pro|2.5 pro (official table)": 4_096,
  "gemini.implicit.min_tokens.3 flash|2.5 flash (official table)": 1_024,
  "gemini.implicit.min_tokens.vertex page": 2_048,
  "bedrock.nova.ttl_s": 300,
}

/** What the collected rules hold beside rules: their date, and figures that transcripts are held to. */
export const figures = ["as_of", "empirical"] as const

/** What a table shows of a rule, on an oracle that it makes. */
export interface RuleCase<Oracle> {
  readonly rules: readonly RuleId[]
  readonly title: string
  readonly play: (make: () => Oracle) => unknown
  readonly expected: unknown
}

/** An oracle that is wrong about one rule; a case of this rule has to notice. */
export interface PlantedError<Oracle> {
  readonly title: string
  readonly rule: RuleId
  readonly spoil: (right: Oracle) => Oracle
}
