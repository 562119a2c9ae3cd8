/** The first items of a stream by a key, kept in bounded memory whatever goes by. */

export interface Leading<Item> {
  readonly add: (item: Item) => void
  /** Whether an item of this key would come too late in the order to be kept. */
  readonly isBeyond: (key: string) => boolean
  /** Of all that were added the first ones in order, so many that their weights reach the maximum, or all. */
  readonly items: () => readonly Item[]
}

export interface LeadingRules<Item> {
  readonly keyOf: (item: Item) => string
  readonly order: (some: string, other: string) => number
  readonly weightOf: (item: Item) => number
  readonly weightMax: number
}

export function keepLeading<Item>({ keyOf, order, weightOf, weightMax }: LeadingRules<Item>): Leading<Item> {
  let kept: Item[] = []
  let weight = 0
  /** Nothing behind it is kept; null as long as everything is. */
  let last: string | null = null
  const isBeyond = (key: string) => last !== null && order(key, last) > 0
  const cut = () => {
    kept.sort((some, other) => order(keyOf(some), keyOf(other)))
    weight = 0
    const end = kept.findIndex((item) => (weight += weightOf(item)) >= weightMax)
    if (end === -1) return
    kept = kept.slice(0, end + 1)
    last = keyOf(kept[end] as Item)
  }
  return {
    isBeyond,
    add(item) {
      if (isBeyond(keyOf(item))) return
      kept.push(item)
      weight += weightOf(item)
      // Sorting what doubled costs each item little, however many there are.
      if (weight > 2 * weightMax) cut()
    },
    items() {
      cut()
      return kept
    },
  }
}
