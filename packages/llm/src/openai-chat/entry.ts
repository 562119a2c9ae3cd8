/**
 * One entry of history as messages, made once for as long as the entry object lives.
 *
 *   LL2  A system entry takes the server's role in time, or is wrapped on the user's side.
 *   LL4  Reasoning comes back to the target that streamed it, where its server takes it; to another
 *        target its visible text becomes ordinary text.
 */
import type { SegmentName } from "@holdfast/schema/turn"
import { isNativeTo, makeLowering } from "../request/lowering.ts"
import { imagesBehind } from "../image/behind-results.ts"
import { isBlank } from "../request/runtime-words.ts"
import type { EntryPart, PartOf } from "../segments.ts"
import type { Block } from "../wire.ts"
import { type AnswerCall, answerMessage, imagesMessage, resultMessage, textMessage } from "./message-shape.ts"
import { callExtra, type ReasoningOpaque, reasoningOpaque } from "./native.ts"
import type { ChatProfile } from "./profiles.ts"

/** What decides how entries are written. */
export interface EntryKey {
  readonly tag: string
  readonly profile: ChatProfile
  readonly updateRole: string | null
}

export const lowerSaid = makeLowering<readonly Block[], EntryKey>({
  idOf: ({ tag, profile, updateRole }, kind) =>
    kind === "user" || kind === "notice" ? "" : `${profile.name} ${updateRole} ${tag}`,
  user: (words, images, segment) => [
    images.length > 0 ? imagesMessage(segment, images, words) : textMessage(segment, "user", "user", words),
  ],
  runtime: (words, segment, _, kind) => [textMessage(segment, "user", "user", words, kind)],
  system: (text, segment, { updateRole }) =>
    updateRole === null ? null : [textMessage(segment, "system", updateRole, text, "system")],
  answer: answerBlocks,
  nothing: [],
})

function answerBlocks(parts: readonly EntryPart[], segment: SegmentName, key: EntryKey): readonly Block[] {
  const { tag, profile } = key
  const calls = parts.flatMap((part) => (part.type === "call" ? [callOf(part, tag)] : []))
  const texts = parts.flatMap((part) => textOfPart(part, tag)).filter((text) => !isBlank(text))
  if (texts.length === 0 && calls.length === 0) return []
  const replayed =
    profile.replaysReasoning === "always" || (profile.replaysReasoning === "with-calls" && calls.length > 0)
  const reasoning = parts
    .flatMap((part) => reasoningOf(part, tag))
    .filter(({ sent }) => replayed || sent === true)
  const answer = answerMessage(
    segment,
    {
      text: texts.join("\n\n"),
      reasoning,
      calls,
      emptyReasoning: profile.wantsEmptyReasoning && calls.length > 0 ? "reasoning_content" : null,
      emptyContent: calls.length > 0 ? profile.emptyContent : "",
      callId: profile.callId,
    },
    tag,
  )
  const results = parts.flatMap((part) =>
    part.type === "call" ? [resultMessage(segment, part, profile.callId)] : [],
  )
  const behind = imagesBehind(parts)
  return behind === null
    ? [answer, ...results]
    : [answer, ...results, imagesMessage(segment, behind.images, behind.words)]
}

/** What a part says in words: text, and reasoning of somebody else. */
function textOfPart(part: EntryPart, tag: string): readonly string[] {
  if (part.type === "text") return [part.text]
  if (part.type !== "reasoning" || part.native === null) return []
  return isNativeTo(part.native, tag) ? [] : [part.text]
}

function reasoningOf(part: EntryPart, tag: string): readonly ReasoningOpaque[] {
  if (part.type !== "reasoning" || !isNativeTo(part.native, tag)) return []
  const opaque = reasoningOpaque(part.native.opaque)
  return opaque === null ? [] : [opaque]
}

const callOf = (part: PartOf<"call">, tag: string): AnswerCall => ({
  call: part.call,
  name: part.name,
  input: part.input,
  extra: isNativeTo(part.native, tag) ? callExtra(part.native.opaque) : null,
})
