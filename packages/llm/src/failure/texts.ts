/**
 * What providers say, as data: the words by which a refusal is recognised when no code tells it (TU5).
 *
 * `source` says where the words come from: `documented` by the provider, `recorded` in traffic or
 * quoted in public reports, `assumed`. A pattern is for the part of the words that stays the same.
 */
export interface KnownText {
  readonly pattern: RegExp
  readonly by: string
  readonly source: "documented" | "recorded" | "assumed"
}

const text = (pattern: RegExp, by: string, source: KnownText["source"]): KnownText => ({
  pattern,
  by,
  source,
})

export const saysAny = (known: readonly KnownText[], words: string): boolean =>
  known.some(({ pattern }) => pattern.test(words))

/** The request does not fit into the context window. */
export const overflowTexts: readonly KnownText[] = [
  text(/prompt is too long/i, "Anthropic", "recorded"),
  text(/input is too long/i, "Bedrock", "recorded"),
  text(/input length and `?max_tokens`? exceed/i, "Anthropic", "recorded"),
  text(
    /exceeds? (?:the )?(?:model'?s )?(?:maximum )?context|exceeds the context window/i,
    "OpenAI",
    "recorded",
  ),
  text(/context[ _-](?:window|length)[^.]{0,40}exceed/i, "OpenAI", "recorded"),
  text(/maximum context length/i, "OpenAI, OpenRouter, DeepSeek, vLLM, Together, Fireworks", "recorded"),
  text(/maximum prompt length is \d+/i, "xAI", "recorded"),
  text(/reduce the length of the (?:messages|prompt|input)/i, "OpenAI, Groq", "recorded"),
  text(/exceeds? the available context size|exceed_context_size_error/i, "llama.cpp", "recorded"),
  text(/greater than the context length/i, "LM Studio", "recorded"),
  text(
    /context (?:length|size) of only \d+ tokens|not enough (?:for|to) (?:the )?context/i,
    "LM Studio",
    "assumed",
  ),
  text(/prompt token count of \d+ exceeds the limit/i, "Copilot", "recorded"),
  text(/input token count[^.]{0,40}exceeds the maximum/i, "Gemini", "recorded"),
  text(/context window exceeds limit/i, "MiniMax", "recorded"),
  text(/exceeded model token limit/i, "Moonshot", "recorded"),
  text(/prompt contains \d+ tokens[^.]{0,40}too large for model/i, "Mistral", "recorded"),
  text(/too large for model with \d+ maximum context/i, "Mistral", "recorded"),
  text(
    /input tokens exceed the configured limit|tokens? \+ `?max_new_tokens`? must be/i,
    "OpenAI, TGI",
    "recorded",
  ),
  text(/decoder prompt \(length \d+\) is longer than the maximum model length/i, "vLLM", "recorded"),
  text(/prompt too long; exceeded (?:max )?context length/i, "Ollama", "recorded"),
  text(/number of input tokens exceeds|input tokens exceeded/i, "Bedrock (Nova)", "assumed"),
  text(/input length \d+ exceeds (?:the )?maximum/i, "several", "assumed"),
  text(/prompt exceeds max length/i, "Zhipu", "assumed"),
  text(/range of input length should be/i, "DashScope", "assumed"),
  text(/token limit exceeded|too many (?:input )?tokens/i, "several", "assumed"),
]

/** A limit per minute that one request alone passes: waiting does not help, a smaller request does. */
export const oversizeRateTexts: readonly KnownText[] = [
  text(/request too large for (?:model|[\w.-]+)/i, "OpenAI, Groq", "recorded"),
  text(/input or output tokens must be reduced/i, "OpenAI", "recorded"),
]

/** Reasoning of an earlier answer is refused: it is left out and the request sent again (LL4). */
export const signatureTexts: readonly KnownText[] = [
  text(/invalid [`'"]?(?:signature|data)[`'"]? in [`'"]?(?:redacted_)?thinking/i, "Anthropic", "recorded"),
  text(
    /thinking[`'"]? (?:or [`'"]?redacted_thinking[`'"]? )?blocks? .{0,60}cannot be modified/i,
    "Anthropic",
    "recorded",
  ),
  text(/encrypted content .{0,200}could not be (?:verified|decrypted)/is, "OpenAI", "recorded"),
  text(/was provided without its required (?:following item|'reasoning' item)/i, "OpenAI", "recorded"),
  text(
    /item with id '?(?:rs|fc|msg)_\w+'? not found|items are not persisted when `?store`?/i,
    "OpenAI",
    "recorded",
  ),
]

/** Only money or a new month lifts it. */
export const quotaTexts: readonly KnownText[] = [
  text(/credit balance/i, "Anthropic", "recorded"),
  text(/insufficient[ _](?:quota|credits?|funds|balance)/i, "OpenAI, OpenRouter, DeepSeek", "recorded"),
  text(/exceeded your current quota/i, "OpenAI", "recorded"),
  text(/requires more credits/i, "OpenRouter", "recorded"),
  text(/billing|usage limits?|spend(?:ing)? limit/i, "several", "assumed"),
]

/** A filter withheld the answer. */
export const policyTexts: readonly KnownText[] = [
  text(/content (?:filtering|policy|management policy)/i, "Anthropic, Azure", "recorded"),
  text(/blocked by .{0,40}(?:filter|policy)/i, "several", "assumed"),
  text(
    /flagged (?:as|for) .{0,60}(?:violat|usage polic)|violat\w+ .{0,40}usage polic/i,
    "OpenAI",
    "recorded",
  ),
]
