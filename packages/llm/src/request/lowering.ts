/**
 * Entries to blocks, made once for as long as they live (TU1).
 *
 * A turn mostly repeats what was sent before. A wire says how one entry becomes blocks; here the
 * blocks are kept and found again, so that a turn does work for what is new. Each wire keeps its
 * own, and the key says on what else the blocks depend: whom they are for (LL4).
 */
import type { Json } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { Native } from "@holdfast/schema/message"
import type { SegmentName } from "@holdfast/schema/turn"
import { imagesBehind } from "../image/behind-results.ts"
import type { Entry, EntryPart, PartOf, Segments, Target } from "../segments.ts"
import type { Block } from "../wire.ts"
import { isBlank, textOfNothing, inTags } from "./runtime-words.ts"

/** Whom native metadata belongs to. */
export const nativeTag = (of: Pick<Target, "provider" | "model" | "endpoint">): string =>
  JSON.stringify([of.provider, of.model, of.endpoint])

/** The tag by which a request finds its own metadata; none is found where it must be left out. */
export const replayTag = (target: Target): string =>
  target.options.traits.withoutNative === true ? "" : nativeTag(target)

/** Whether the metadata is repeated to the target of this tag (LL4). */
export const isNativeTo = (native: Native | null | undefined, tag: string): native is Native =>
  native !== null && native !== undefined && nativeTag(native) === tag

/** Places and keys for which one entry keeps its blocks: an old place is not needed again. */
const variantsMax = 2

interface Variant<Made> {
  readonly segment: SegmentName
  readonly key: string
  readonly made: Made
}

/** The entries of one segment, as they were lowered last. */
interface Run<Made> {
  readonly entries: readonly Entry[]
  readonly segment: SegmentName
  readonly key: string
  readonly made: readonly Made[]
}

/** How a wire writes what an entry says; `key` is what that depends on beside the entry. */
export interface EntryForms<Made, Key> {
  /** The part of the key on which such an entry depends, as a text: most say the same to everybody. */
  readonly idOf: (key: Key, kind: Entry["kind"]) => string
  /** Words are blank only beside images. */
  readonly user: (words: string, images: readonly Media[], segment: SegmentName, key: Key) => Made
  /** The runtime's words on the user's side (PR7): a notice, or an instruction wrapped. */
  readonly runtime: (words: string, segment: SegmentName, key: Key, kind: "notice" | "system") => Made
  /** An instruction in time (LL2); null, or absent, where it is wrapped on the user's side. */
  readonly system?: (text: string, segment: SegmentName, key: Key) => Made | null
  readonly answer: (parts: readonly EntryPart[], segment: SegmentName, key: Key) => Made
  readonly nothing: Made
}

/** Everything said in a request, in order. */
export function makeLowering<Made, Key>(
  forms: EntryForms<Made, Key>,
): (segments: Segments, key: Key) => readonly Made[] {
  const cache = new WeakMap<Entry, readonly Variant<Made>[]>()
  /** By the first entry: a segment mostly grows at its end, so one lookup finds nearly all of it. */
  const runs = new WeakMap<Entry, Run<Made>>()

  function lower(entry: Entry, segment: SegmentName, key: Key): Made {
    if (entry.kind === "user") {
      const { text, images = [] } = entry
      return forms.user(isBlank(text) && images.length === 0 ? textOfNothing : text, images, segment, key)
    }
    if (entry.kind === "assistant") return forms.answer(entry.parts, segment, key)
    if (isBlank(entry.text)) return forms.nothing
    if (entry.kind === "notice") return forms.runtime(inTags("notice", entry.text), segment, key, "notice")
    return (
      forms.system?.(entry.text, segment, key) ??
      forms.runtime(inTags("context-update", entry.text), segment, key, "system")
    )
  }

  function one(entry: Entry, segment: SegmentName, key: Key): Made {
    const variants = cache.get(entry) ?? []
    const own = forms.idOf(key, entry.kind)
    for (const known of variants) if (known.segment === segment && known.key === own) return known.made
    const made = lower(entry, segment, key)
    cache.set(entry, [{ segment, key: own, made }, ...variants].slice(0, variantsMax))
    return made
  }

  function run(entries: readonly Entry[], segment: SegmentName, key: Key, id: string): readonly Made[] {
    const first = entries[0]
    if (first === undefined) return []
    const last = runs.get(first)
    let same = 0
    if (last !== undefined && last.segment === segment && last.key === id) {
      while (same < entries.length && last.entries[same] === entries[same]) same += 1
      if (same === entries.length && same === last.entries.length) return last.made
    }
    const made = last === undefined ? [] : last.made.slice(0, same)
    for (let i = same; i < entries.length; i++) made.push(one(entries[i] as Entry, segment, key))
    runs.set(first, { entries: [...entries], segment, key: id, made })
    return made
  }

  return (segments, key) => {
    const id = kinds.map((kind) => forms.idOf(key, kind)).join("\n")
    const history = [
      ...run(segments.historyBaseline, "history-baseline", key, id),
      ...run(segments.historyDelta, "history-delta", key, id),
    ]
    const tail = run(segments.tail, "tail", key, id)
    return history.length === 0 ? tail : history.concat(tail)
  }
}

const kinds = ["assistant", "system", "user"] as const

/** How a wire writes a block of the user's side. */
export interface UserForms {
  readonly image: (media: Media) => Block
  readonly words: (text: string, kind: "text" | "notice") => Block
}

/** documented by most: images before the text that speaks of them are read best. */
export const userBlocks = (words: string, images: readonly Media[], forms: UserForms): readonly Block[] => [
  ...images.map((media) => forms.image(media)),
  ...(isBlank(words) ? [] : [forms.words(words, "text")]),
]

/** Results of an answer, and behind them the images that cannot stand inside. */
export function resultBlocks(
  parts: readonly EntryPart[],
  result: (call: PartOf<"call">) => Block,
  forms: UserForms,
  stands?: (call: PartOf<"call">) => boolean,
): readonly Block[] {
  const results = parts.flatMap((part) => (part.type === "call" ? [result(part)] : []))
  const behind = imagesBehind(parts, stands)
  if (behind === null) return results
  return [...results, ...behind.images.map(forms.image), forms.words(behind.words, "notice")]
}

/** What the provider's own tool did, and what came of it, belong together by their id. */
export interface HostedSide {
  readonly id: string
  readonly side: "does" | "tells"
}

/** LL9: the provider's call and its result go together; an answer that was cut may hold one of them. */
export function withoutLoneHosted(
  parts: readonly EntryPart[],
  tag: string,
  sideOf: (opaque: Json) => HostedSide | null,
): readonly EntryPart[] {
  const own = (part: EntryPart): HostedSide | null =>
    part.type === "hosted" && isNativeTo(part.native, tag) ? sideOf(part.native.opaque) : null
  const found = new Set(parts.map(own).flatMap((side) => (side === null ? [] : [`${side.side} ${side.id}`])))
  return parts.filter((part) => {
    const side = own(part)
    return (
      part.type !== "hosted" ||
      (side !== null && found.has(`does ${side.id}`) && found.has(`tells ${side.id}`))
    )
  })
}
