/**
 * Sight: which images of a request its reader sees (LL3, LL7).
 *
 * An image that the model does not read, or that a request has no room for, becomes one line in the
 * runtime's words: a notice before what the user said (PR7), the end of what a tool gave. Only what
 * stands before an image decides over it, so a request that extends another says the same again.
 * Old images become stubs long before there is no room; that a request is never too large to be sent
 * is what this is for. A seen entry is kept for each entry, so that its blocks are found again.
 */
import { encodedBytes, type Media } from "@holdfast/schema/media"
import { unseenImageLine, isBlank, inTags } from "../request/runtime-words.ts"
import type { Entry, EntryPart, Segments, Target } from "../segments.ts"
import type { ImageRules } from "./rules.ts"

/** Bytes of a body that are kept for everything but images. */
const otherBytesMax = 6_000_000

/** A request as its reader sees it. `takesImages` is false where the server takes none at all. */
export function seenBy(target: Target, rules: ImageRules, segments: Segments, takesImages = true): Segments {
  const all = [segments.historyBaseline, segments.historyDelta, segments.tail]
  // Most requests hold no image, and then nothing has to be made anew.
  if (all.every(holdsNone)) return segments
  const blind = !takesImages || target.options.traits.withoutImages === true
  const room = new Room(rules)
  const whyNot: WhyNot = blind ? () => "this model reads no images" : (media) => room.whyNot(media)
  const see = (entries: readonly Entry[]): readonly Entry[] =>
    entries.flatMap((entry) => {
      if (factsOf(entry).opensMessage) room.openMessage()
      return seenEntry(entry, whyNot)
    })
  return {
    ...segments,
    historyBaseline: see(segments.historyBaseline),
    historyDelta: see(segments.historyDelta),
    tail: see(segments.tail),
  }
}

/** By the first of them: entries that were looked into and hold no image. They mostly grow at their end. */
const imageless = new WeakMap<Entry, readonly Entry[]>()

function holdsNone(entries: readonly Entry[]): boolean {
  const [first] = entries
  if (first === undefined) return true
  const looked = imageless.get(first) ?? []
  let same = 0
  while (same < entries.length && looked[same] === entries[same]) same += 1
  if (same === entries.length) return true
  if (entries.slice(same).some((entry) => factsOf(entry).images.length > 0)) return false
  imageless.set(first, [...entries])
  return true
}

/** Why an image is not seen; null if it is. Asked once for each image, in order. */
type WhyNot = (media: Media) => string | null

/** What a request still has room for. */
class Room {
  readonly #rules: ImageRules
  #images = 0
  #messageImages = 0
  #bytes = 0

  constructor(rules: ImageRules) {
    this.#rules = rules
  }

  openMessage(): void {
    this.#messageImages = 0
  }

  whyNot(media: Media): string | null {
    const { types, perRequestMax, perMessageMax, bodyBytesMax } = this.#rules
    if (!types.includes(media.mediaType)) return `this model reads no images of the type ${media.mediaType}`
    const bytes = this.#bytes + encodedBytes(media.bytes)
    if (
      this.#images === perRequestMax ||
      this.#messageImages === perMessageMax ||
      (bodyBytesMax !== null && bytes > bodyBytesMax - otherBytesMax)
    ) {
      return "this request has no room for more images"
    }
    this.#images += 1
    this.#messageImages += 1
    this.#bytes = bytes
    return null
  }
}

/** What is known of an entry once it was looked into. */
interface Facts {
  readonly images: readonly Media[]
  /** What the user's side says from here on stands behind an answer. */
  readonly opensMessage: boolean
}

const facts = new WeakMap<Entry, Facts>()

function factsOf(entry: Entry): Facts {
  let found = facts.get(entry)
  if (found === undefined) facts.set(entry, (found = lookInto(entry)))
  return found
}

function lookInto(entry: Entry): Facts {
  if (entry.kind === "user") return { images: entry.images ?? [], opensMessage: false }
  if (entry.kind !== "assistant") return nothing
  const { parts } = entry
  return {
    images: parts.flatMap((part) => (part.type === "call" ? (part.images ?? []) : [])),
    opensMessage: parts.some((part) => part.type === "call" || (part.type === "text" && !isBlank(part.text))),
  }
}

const nothing: Facts = { images: [], opensMessage: false }

/** Entries as they were seen last, by the reasons why images were not. */
const known = new WeakMap<Entry, { readonly reasons: string; readonly seen: readonly Entry[] }>()

function seenEntry(entry: Entry, whyNot: WhyNot): readonly Entry[] {
  const { images } = factsOf(entry)
  if (images.length === 0) return [entry]
  const why = images.map(whyNot)
  if (why.every((reason) => reason === null)) return [entry]
  const reasons = JSON.stringify(why)
  const kept = known.get(entry)
  if (kept?.reasons === reasons) return kept.seen
  const rest = [...why]
  const seen = entry.kind === "user" ? seenUser(entry, rest) : [seenAnswer(entry, rest)]
  known.set(entry, { reasons, seen })
  return seen
}

type Reasons = (string | null)[]

function seenUser(entry: Extract<Entry, { kind: "user" }>, why: Reasons): readonly Entry[] {
  const { read, lines } = parted(entry.images, why)
  const notice: Entry = { kind: "notice", text: lines.join("\n") }
  if (read.length > 0) return [notice, { ...entry, images: read }]
  return isBlank(entry.text) ? [notice] : [notice, { kind: "user", text: entry.text }]
}

function seenAnswer(entry: Entry, why: Reasons): Entry {
  return entry.kind === "assistant"
    ? { ...entry, parts: entry.parts.map((part) => seenPart(part, why)) }
    : entry
}

function seenPart(part: EntryPart, why: Reasons): EntryPart {
  if (part.type !== "call") return part
  const { read, lines } = parted(part.images, why)
  if (lines.length === 0) return part
  const notice = inTags("notice", lines.join("\n"))
  const { images: _, ...rest } = part
  const result = isBlank(part.result) ? notice : `${part.result}\n${notice}`
  return read.length === 0 ? { ...rest, result } : { ...rest, result, images: read }
}

/** The next reasons belong to these images. */
function parted(images: readonly Media[] = [], why: Reasons) {
  const own = why.splice(0, images.length)
  return {
    read: images.filter((_, at) => own[at] === null),
    lines: images.flatMap((media, at) => {
      const reason = own[at] ?? null
      return reason === null ? [] : [unseenImageLine(media, reason)]
    }),
  }
}
