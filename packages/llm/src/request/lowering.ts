/**
 * Entries, prompts and tools to blocks, made once for as long as they live (TU1).
 *
 * A turn mostly repeats what was sent before. A wire says how one entry becomes blocks; here the
 * blocks are kept and found again, so that a turn does work for what is new. Each wire keeps its
 * own, and the key says on what else the blocks depend: whom they are for (LL4).
 */
import type { Native } from "@holdfast/schema/message"
import type { SegmentName } from "@holdfast/schema/turn"
import type { Entry, Segments, Target, ToolDefinition } from "../segments.ts"
import type { Block } from "../wire.ts"
import { isBlank } from "./runtime-words.ts"

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

export interface Lowering<Made> {
  readonly lower: (entry: Entry, segment: SegmentName, key: string) => Made
  /** The part of the key on which this entry depends: most say the same to everybody. */
  readonly keyOf: (entry: Entry, key: string) => string
}

/** Everything said in a request, in order. */
export function makeLowering<Made>(
  lowering: Lowering<Made>,
): (segments: Segments, key: string) => readonly Made[] {
  const cache = new WeakMap<Entry, readonly Variant<Made>[]>()
  /** By the first entry: a segment mostly grows at its end, so one lookup finds nearly all of it. */
  const runs = new WeakMap<Entry, Run<Made>>()

  function one(entry: Entry, segment: SegmentName, key: string): Made {
    const variants = cache.get(entry) ?? []
    const own = lowering.keyOf(entry, key)
    for (const known of variants) if (known.segment === segment && known.key === own) return known.made
    const made = lowering.lower(entry, segment, key)
    cache.set(entry, [{ segment, key: own, made }, ...variants].slice(0, variantsMax))
    return made
  }

  function run(entries: readonly Entry[], segment: SegmentName, key: string): readonly Made[] {
    const first = entries[0]
    if (first === undefined) return []
    const last = runs.get(first)
    let same = 0
    if (last !== undefined && last.segment === segment && last.key === key) {
      while (same < entries.length && last.entries[same] === entries[same]) same += 1
      if (same === entries.length && same === last.entries.length) return last.made
    }
    const made = last === undefined ? [] : last.made.slice(0, same)
    for (let i = same; i < entries.length; i++) made.push(one(entries[i] as Entry, segment, key))
    runs.set(first, { entries: [...entries], segment, key, made })
    return made
  }

  return (segments, key) => [
    ...run(segments.historyBaseline, "history-baseline", key),
    ...run(segments.historyDelta, "history-delta", key),
    ...run(segments.tail, "tail", key),
  ]
}

/** Prompts kept of each kind: one is in use per Epoch and agent. */
const promptsMax = 32

/** The prompts that say something. `variant` is what a block depends on beside its text, such as a role. */
export function keepPrompts(
  make: (segment: "system" | "agent", text: string, variant: string) => Block,
): (segments: Segments, variant?: string) => readonly Block[] {
  const known = { system: new Map<string, Block>(), agent: new Map<string, Block>() }
  const one = (segment: "system" | "agent", text: string, variant: string): Block => {
    const kept = known[segment]
    const key = `${variant}\n${text}`
    let block = kept.get(key)
    if (block !== undefined) return block
    if (kept.size >= promptsMax) kept.clear()
    kept.set(key, (block = make(segment, text, variant)))
    return block
  }
  return (segments, variant = "") =>
    (["system", "agent"] as const).flatMap((segment) =>
      isBlank(segments[segment]) ? [] : [one(segment, segments[segment], variant)],
    )
}

/** A tool's block by what it depends on; a tool lives in few requests of different kinds. */
export function keepTools(
  make: (tool: ToolDefinition, variant: string) => Block,
): (tool: ToolDefinition, variant?: string) => Block {
  const known = new WeakMap<ToolDefinition, Map<string, Block>>()
  return (tool, variant = "") => {
    const kept = known.get(tool)
    const found = kept?.get(variant)
    if (found !== undefined) return found
    const block = make(tool, variant)
    if (kept === undefined || kept.size > variantsMax) known.set(tool, new Map([[variant, block]]))
    else kept.set(variant, block)
    return block
  }
}
