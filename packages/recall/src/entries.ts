/**
 * Entries of one message: what the model reads of it, under what is frozen about it.
 *
 *   TU4   text that was cut is followed by a notice; reasoning without a signature is left out
 *   LL7   an image that is not shown is named; a message in quarantine is replaced by a fixed line
 *   TG1   a unit begins with its tag where the model can drop it, and an image follows its own; what is dropped
 *         says only its number
 *   TG2   a call of which nothing is left goes with its result; of a skeleton, its name and its input stay
 *   TG3   a message without some of its calls, or without its reasoning, goes back without anything that
 *         its provider sealed: such data is bound to what is no longer there
 *   TG5   an old answer may be told in fewer words
 *   ND2   the list of steps stands as a call of its own in the answer that a pass named
 */
import type { Entry, EntryPart } from "@holdfast/llm/segments"
import type { AssistantMessage, CallPart, Message, Native, UserMessage } from "@holdfast/schema/message"
import type { Media } from "@holdfast/schema/media"
import { type Frozen, type StripKind, unitKey } from "@holdfast/schema/state/frozen"
import { imageStub, showsImages } from "./images.ts"
import { droppedTag, droppedText, imageTag, imageTagged, isReduceCall, tagged } from "./reduce/tag.ts"
import { shortTexts } from "./reduce/shorten.ts"
import { skeletonInput } from "./reduce/skeleton.ts"
import { todoPair } from "./reduce/todo-pair.ts"

export const cutNotice = "The answer above was cut off before it was complete."
/** What stands for an output that a pass took out, where its call has no number. */
export const outputCutText = droppedText
export const quarantineNotice = "A message that stood here was taken out of the conversation."
const quarantinedOutput = "[taken out of the conversation]"

interface CachedEntries {
  readonly frozen: Frozen
  readonly entries: readonly Entry[]
}

/** With tags and without: a pass that looks at sizes goes by the latter. */
const entriesByMessage = {
  tagged: new WeakMap<Message, CachedEntries>(),
  plain: new WeakMap<Message, CachedEntries>(),
}

/** The same message under the same frozen state gives the same objects, so that encoded blocks are reused. */
export function entriesOf(message: Message, frozen: Frozen, tags = false): readonly Entry[] {
  const cache = tags ? entriesByMessage.tagged : entriesByMessage.plain
  const cached = cache.get(message)
  if (cached?.frozen === frozen) return cached.entries
  const entries = renderMessage(message, { frozen, tags })
  cache.set(message, { frozen, entries })
  return entries
}

interface Showing {
  readonly frozen: Frozen
  readonly tags: boolean
}

function renderMessage(message: Message, showing: Showing): readonly Entry[] {
  if (message.kind === "system") return [{ kind: "system", text: message.text }]
  if (message.quarantined !== undefined)
    return message.kind === "assistant" ? withoutWords(message) : [quarantinedEntry]
  if (message.kind === "assistant") return renderAssistant(message, showing)
  if (showing.frozen.gone.has(message.id)) return [{ kind: "notice", text: droppedTag(message.seq) }]
  if (message.kind === "user") return renderUser(message, showing)
  return [{ kind: "notice", text: words(message, showing) }, ...beside(message)]
}

const words = ({ seq, text }: { seq: number; text: string }, { tags }: Showing): string =>
  tags ? tagged(seq, text) : text

const beside = ({ added = [] }: Pick<UserMessage, "added">): readonly Entry[] =>
  added.map(({ text }) => ({ kind: "notice", text }))

function renderUser(message: UserMessage, showing: Showing): readonly Entry[] {
  const { images = [] } = message
  const text = words(message, showing)
  if (images.length === 0) return [{ kind: "user", text }, ...beside(message)]
  const { shown, lines } = renderImages({ message, call: null, seq: message.seq, images }, showing)
  const said: Entry = { kind: "user", text, ...(shown.length > 0 && { images: shown }) }
  return lines.length === 0
    ? [said, ...beside(message)]
    : [said, { kind: "notice", text: lines.join("\n") }, ...beside(message)]
}

const noImages = { shown: [], lines: [] }

interface Illustrated {
  readonly message: Message
  readonly call: CallPart["call"] | null
  /** Of what shows them; none where that has no tag. */
  readonly seq: number | undefined
  readonly images: readonly Media[]
}

/** What of them is shown, and lines: tags of those, or what stands for others. */
function renderImages({ message, call, seq, images }: Illustrated, { frozen, tags }: Showing) {
  if (images.length === 0) return noImages
  const shows = showsImages(message, frozen)
  const shown: Media[] = []
  const lines = images.flatMap((media, at): readonly string[] => {
    const tag = seq === undefined ? undefined : imageTag(seq, at + 1)
    if (frozen.gone.has(unitKey({ message: message.id, call, image: at + 1 }))) return [droppedTag(tag)]
    if (!shows) return [imageStub(media)]
    shown.push(media)
    return tags && tag !== undefined ? [imageTagged(tag, media.name)] : []
  })
  return { shown, lines }
}

const isStripped = ({ id }: Message, what: StripKind, { strips }: Frozen): boolean =>
  strips.get(id)?.has(what) === true

const quarantinedEntry: Entry = { kind: "notice", text: quarantineNotice }

/** A call and its result are one, so that calls stay, with nothing said in them. */
function withoutWords(message: AssistantMessage): readonly Entry[] {
  const calls = message.parts.flatMap(({ part }): EntryPart[] =>
    part.type !== "call"
      ? []
      : [
          {
            type: "call",
            call: part.call,
            name: part.name,
            input: {},
            result: quarantinedOutput,
            failed: true,
          },
        ],
  )
  return calls.length === 0 ? [] : [{ kind: "assistant", parts: calls }]
}

function renderAssistant(message: AssistantMessage, showing: Showing): readonly Entry[] {
  const { frozen } = showing
  const bare = isBare(message, frozen)
  const short = shortened(message, frozen)
  const parts: EntryPart[] = []
  let cut = false
  let lost = false
  for (const [at, { part }] of message.parts.entries()) {
    if (part.type === "text") {
      const text = short?.[at] ?? part.text
      if (text.trim() !== "") parts.push({ type: "text", text, ...nativeOf(part, bare) })
      cut ||= part.interrupted
    } else if (part.type === "reasoning") {
      if (part.native !== null && !bare)
        parts.push({ type: "reasoning", text: part.text, native: part.native })
      cut ||= part.interrupted
    } else if (part.type === "hosted") {
      parts.push(part)
    } else if (isLost(message, part, frozen)) {
      lost = true
    } else {
      parts.push(renderCall(part, message, showing, bare))
    }
  }
  while (parts.at(-1)?.type === "reasoning") parts.pop()
  if (parts.length === 0) return []
  const pair = frozen.todo?.message === message.id ? todoPair(frozen.todo.list) : null
  if (pair !== null) parts.push(pair)
  const entries: Entry[] = [{ kind: "assistant", parts }]
  if (cut) entries.push({ kind: "notice", text: cutNotice })
  // Results stood here, and the next answer goes on from them.
  else if (lost && !parts.some(({ type }) => type === "call"))
    entries.push({ kind: "notice", text: droppedText })
  return entries
}

const shortened = (message: AssistantMessage, { depths }: Frozen): readonly string[] | null =>
  depths.size === 0 ? null : shortTexts(message, depths.get(message.id) ?? 0)

/** Of which nothing is left. */
export const isLost = (message: AssistantMessage, part: CallPart, frozen: Frozen): boolean =>
  frozen.gone.has(part.call) || (isReduceCall(part) && isStripped(message, "reduce-call", frozen))

/** Whether it goes back without what its provider sealed. What a hosted tool did is never taken apart (LL8). */
export function isBare(message: AssistantMessage, frozen: Frozen): boolean {
  const { strips, gone, skeletons, depths } = frozen
  if (strips.size + gone.size + skeletons.size + depths.size === 0) return false
  if (message.parts.some(({ part }) => part.type === "hosted")) return false
  return (
    isStripped(message, "reasoning", frozen) ||
    shortened(message, frozen) !== null ||
    message.parts.some(
      ({ part }) =>
        part.type === "call" &&
        (isLost(message, part, frozen) ||
          (frozen.skeletons.has(part.call) && skeletonInput(part.input) !== part.input)),
    )
  )
}

function renderCall(
  part: CallPart,
  message: AssistantMessage,
  { frozen, tags }: Showing,
  bare: boolean,
): EntryPart {
  const { outcome, added = [], seq } = part
  const dropped = frozen.skeletons.has(part.call)
  const images = dropped ? [] : (outcome?.images ?? [])
  const { shown, lines } = renderImages({ message, call: part.call, seq, images }, { frozen, tags })
  const output = outcome === null ? unknownOutcome : outcome.output
  const reminders = dropped || isStripped(message, "noise", frozen) ? [] : added
  return {
    type: "call",
    call: part.call,
    name: part.name,
    input: dropped && bare ? skeletonInput(part.input) : part.input,
    result: [
      dropped && outcome !== null
        ? droppedTag(seq)
        : tags && seq !== undefined && !isReduceCall(part)
          ? tagged(seq, output)
          : output,
      ...lines,
      ...reminders.map(({ text }) => text),
    ].join("\n"),
    failed: outcome === null || outcome.state !== "done",
    ...(shown.length > 0 && { images: shown }),
    ...nativeOf(part, bare),
  }
}

const unknownOutcome = "Outcome unknown: the call was not settled."

/** What the provider wants back with a part, if anything (LL4). */
const nativeOf = ({ native }: { readonly native?: Native }, bare: boolean): { readonly native?: Native } =>
  native === undefined || bare ? {} : { native }
