/**
 * Answer: what every wire does to a reply before it puts it into its own shape: cut it where it has
 * to stop, count it, and derive ids.
 */
import { createHash } from "node:crypto"
import type { Reply, ReplyBlock } from "../model.ts"
import { bytesPerToken, tokensOfText } from "../tokens.ts"

export interface FittedReply {
  readonly blocks: readonly ReplyBlock[]
  readonly isCalling: boolean
  /** In the words of Anthropic. documented: a limit wins over whatever the model was about to do. */
  readonly stopReason: string
  /** The text of the request that the answer stopped at. */
  readonly stopSequence: string | null
  readonly outputTokens: number
  /** The part of the output that is thinking. */
  readonly thinkingTokens: number
}

/**
 * documented: generation stops before a stop sequence, and at the output limit. Text and thinking
 * end in the middle; a call that does not fit is left out whole (assumed).
 */
export function fitReply(reply: Reply, tokensMax: number, stops: readonly string[] = []): FittedReply {
  const stopped = stopBlocks(reply.blocks, stops)
  const { blocks, cut } =
    reply.outputTokens === undefined
      ? cutBlocks(stopped.blocks, tokensMax)
      : { blocks: stopped.blocks, cut: false }
  const sizes = blocks.map(sizeOf)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const thinkingTokens = blocks.reduce(
    (sum, block, index) => (block.type.endsWith("thinking") ? sum + (sizes[index] ?? 0) : sum),
    0,
  )
  const outputTokens = reply.outputTokens ?? Math.max(Math.min(1, tokensMax), total)
  const isCalling = blocks.some((block) => block.type === "tool_use")
  const usual = isCalling ? "tool_use" : "end_turn"
  const unknown = reply.unknownEvents === true && !isCalling ? "sim_unknown_reason" : usual
  const stopSequence = cut ? null : stopped.sequence
  const whole = stopSequence === null ? (reply.stopReason ?? unknown) : "stop_sequence"
  const stopReason = cut ? "max_tokens" : whole
  const fitted = { blocks, isCalling, stopReason, stopSequence, outputTokens }
  return { ...fitted, thinkingTokens: Math.min(thinkingTokens, outputTokens) }
}

/** A script that uses a tool of the provider which nobody asked for is a mistake of its author. */
export function assertDeclared(declared: boolean): void {
  if (!declared) throw new Error("The script uses a hosted tool, but the request declares none.")
}

/** The count of a request as it stands inside ids. */
export function counter(sequence: number): string {
  return String(sequence).padStart(6, "0")
}

/** Hexadecimal digits that repeat from run to run and differ from value to value. */
export function digestOf(...values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex")
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/** Letters and digits, as many as wanted (at most 64), made from a digest. */
export function lettersOf(digest: string, length: number): string {
  const bytes = createHash("sha512").update(digest).digest()
  return Array.from(bytes.subarray(0, length), (byte) => letters[byte % letters.length]).join("")
}

/** Some letters and digits as padding, the same for the same place. */
export function paddingOf(...place: readonly unknown[]): string {
  const digest = digestOf(...place)
  return lettersOf(digest, 4 + (Number.parseInt(digest.slice(0, 2), 16) % 12))
}

/** The blocks up to the first stop sequence in a text. */
function stopBlocks(
  blocks: readonly ReplyBlock[],
  stops: readonly string[],
): { readonly blocks: readonly ReplyBlock[]; readonly sequence: string | null } {
  for (const [index, block] of blocks.entries()) {
    if (block.type !== "text") continue
    const [first] = stops
      .map((sequence) => ({ sequence, at: block.text.indexOf(sequence) }))
      .filter(({ sequence, at }) => sequence !== "" && at >= 0)
      .toSorted((a, b) => a.at - b.at)
    if (first === undefined) continue
    const text = block.text.slice(0, first.at)
    const kept = blocks.slice(0, index)
    return { blocks: text === "" ? kept : [...kept, { ...block, text }], sequence: first.sequence }
  }
  return { blocks, sequence: null }
}

function cutBlocks(
  blocks: readonly ReplyBlock[],
  tokensMax: number,
): { blocks: readonly ReplyBlock[]; cut: boolean } {
  const kept: ReplyBlock[] = []
  let left = tokensMax
  for (const block of blocks) {
    const size = sizeOf(block)
    if (size <= left) {
      kept.push(block)
      left -= size
      continue
    }
    if (block.type === "text" || block.type === "thinking") {
      const text = headOf(block.text, left * bytesPerToken)
      if (text.trim() !== "") kept.push({ ...block, text })
    }
    return { blocks: kept, cut: true }
  }
  return { blocks: kept, cut: false }
}

/** The longest beginning of a text within so many bytes, code points whole. */
function headOf(text: string, bytesMax: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, bytesMax)).replace(/\uFFFD+$/, "")
}

function sizeOf(block: ReplyBlock): number {
  if (block.type === "tool_use") return tokensOfText(block.name + JSON.stringify(block.input))
  if (block.type === "hosted") return tokensOfText(JSON.stringify(block.native))
  return block.type === "redacted_thinking" ? 1 : tokensOfText(block.text)
}
