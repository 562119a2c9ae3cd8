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

const from =
  (source: KnownText["source"]) =>
  (by: string, pattern: RegExp): KnownText => ({ pattern, by, source })
const recorded = from("recorded")
const assumed = from("assumed")

export const says = (known: readonly KnownText[], words: string): boolean =>
  known.some(({ pattern }) => pattern.test(words))

/** The request does not fit into the context window. */
export const overflow: readonly KnownText[] = [
  recorded("Anthropic", /prompt is too long/i),
  recorded("Bedrock", /input is too long/i),
  recorded("Anthropic", /input length and `?max_tokens`? exceed/i),
  recorded("OpenAI", /exceeds? (?:the )?(?:model'?s )?(?:maximum )?context|exceeds the context window/i),
  recorded("OpenAI", /context[ _-](?:window|length)[^.]{0,40}exceed/i),
  recorded("OpenAI, OpenRouter, DeepSeek, vLLM, Together, Fireworks", /maximum context length/i),
  recorded("xAI", /maximum prompt length is \d+/i),
  recorded("OpenAI, Groq", /reduce the length of the (?:messages|prompt|input)/i),
  recorded("llama.cpp", /exceeds? the available context size|exceed_context_size_error/i),
  recorded("LM Studio", /greater than the context length/i),
  assumed("LM Studio", /context (?:length|size) of only \d+ tokens|not enough (?:for|to) (?:the )?context/i),
  recorded("Copilot", /prompt token count of \d+ exceeds the limit/i),
  recorded("Gemini", /input token count[^.]{0,40}exceeds the maximum/i),
  recorded("MiniMax", /context window exceeds limit/i),
  recorded("Moonshot", /exceeded model token limit/i),
  recorded("Mistral", /prompt contains \d+ tokens[^.]{0,40}too large for model/i),
  recorded("Mistral", /too large for model with \d+ maximum context/i),
  recorded("OpenAI, TGI", /input tokens exceed the configured limit|tokens? \+ `?max_new_tokens`? must be/i),
  recorded("vLLM", /decoder prompt \(length \d+\) is longer than the maximum model length/i),
  recorded("Ollama", /prompt too long; exceeded (?:max )?context length/i),
  assumed("Bedrock (Nova)", /number of input tokens exceeds|input tokens exceeded/i),
  assumed("several", /input length \d+ exceeds (?:the )?maximum/i),
  assumed("Zhipu", /prompt exceeds max length/i),
  assumed("DashScope", /range of input length should be/i),
  assumed("several", /token limit exceeded|too many (?:input )?tokens/i),
]

/** A limit per minute that one request alone passes: waiting does not help, a smaller request does. */
export const oversizeRate: readonly KnownText[] = [
  recorded("OpenAI, Groq", /request too large for (?:model|[\w.-]+)/i),
  recorded("OpenAI", /input or output tokens must be reduced/i),
]

/** Reasoning of an earlier answer is refused: it is left out and the request sent again (LL4). */
export const signature: readonly KnownText[] = [
  recorded("Anthropic", /invalid [`'"]?(?:signature|data)[`'"]? in [`'"]?(?:redacted_)?thinking/i),
  recorded(
    "Anthropic",
    /thinking[`'"]? (?:or [`'"]?redacted_thinking[`'"]? )?blocks? .{0,60}cannot be modified/i,
  ),
  recorded("OpenAI", /encrypted content .{0,200}could not be (?:verified|decrypted)/is),
  recorded("OpenAI", /was provided without its required (?:following item|'reasoning' item)/i),
  recorded("OpenAI", /item with id '?(?:rs|fc|msg)_\w+'? not found|items are not persisted when `?store`?/i),
]

/** Only money or a new month lifts it. */
export const quota: readonly KnownText[] = [
  recorded("Anthropic", /credit balance/i),
  recorded("OpenAI, OpenRouter, DeepSeek", /insufficient[ _](?:quota|credits?|funds|balance)/i),
  recorded("OpenAI", /exceeded your current quota/i),
  recorded("OpenRouter", /requires more credits/i),
  assumed("several", /billing|usage limits?|spend(?:ing)? limit/i),
]

/** A filter withheld the answer. */
export const policy: readonly KnownText[] = [
  recorded("Anthropic, Azure", /content (?:filtering|policy|management policy)/i),
  assumed("several", /blocked by .{0,40}(?:filter|policy)/i),
  recorded("OpenAI", /flagged (?:as|for) .{0,60}(?:violat|usage polic)|violat\w+ .{0,40}usage polic/i),
]
