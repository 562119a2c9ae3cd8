/**
 * The parts of an answer that are open, as a value: each by the key that its wire knows it by.
 *
 * Nearly every frame adds to the part that the frame before added to. That one is at hand, so adding
 * to it costs the same however many others are open beside it.
 */
import { HashMap, Option } from "effect"

export interface OpenParts<Key, Part> {
  readonly at: { readonly key: Key; readonly part: Part } | null
  readonly others: HashMap.HashMap<Key, Part>
}

export const noParts: OpenParts<never, never> = { at: null, others: HashMap.empty() }

export function partAt<Key, Part>({ at, others }: OpenParts<Key, Part>, key: Key): Part | undefined {
  return at?.key === key ? at.part : Option.getOrUndefined(HashMap.get(others, key))
}

export function withPart<Key, Part>(
  { at, others }: OpenParts<Key, Part>,
  key: Key,
  part: Part,
): OpenParts<Key, Part> {
  const taken = { key, part }
  if (at?.key === key) return { at: taken, others }
  const rest = HashMap.remove(others, key)
  return { at: taken, others: at === null ? rest : HashMap.set(rest, at.key, at.part) }
}

export function withoutPart<Key, Part>(parts: OpenParts<Key, Part>, key: Key): OpenParts<Key, Part> {
  const { at, others } = parts
  return at?.key === key ? { at: null, others } : { at, others: HashMap.remove(others, key) }
}

/** In no order. */
export function allParts<Key, Part>({ at, others }: OpenParts<Key, Part>): readonly (readonly [Key, Part])[] {
  return at === null ? [...others] : [[at.key, at.part], ...others]
}

export const isNone = ({ at, others }: OpenParts<unknown, unknown>): boolean =>
  at === null && HashMap.isEmpty(others)
