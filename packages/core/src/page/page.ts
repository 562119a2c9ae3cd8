/**
 * Pages: cut from a list that can be read from a place, both ways.
 *
 *   plan   query or cursor ──▶ place to read from        (a bad cursor ends here)
 *   read   one item more than asked, which tells whether the list goes on
 *   cut    items ──▶ page with cursors on both ends
 */
import { Effect } from "effect"
import { InvalidCursor } from "@holdfast/schema/error"
import { type Cursor, type MessageOrder, type Page, pageSizeDefault } from "@holdfast/schema/page"
import type { SequenceList } from "@holdfast/store/port"
import type { Cursors, ListName, Place } from "./cursor.ts"

export interface PageQuery {
  readonly cursor?: string
  readonly limit?: number
  readonly after?: number
  readonly system?: boolean
  readonly order?: MessageOrder
  readonly archived?: boolean
  readonly of?: Readonly<Record<string, string>>
}

/** Where a page is read; a null anchor is the start of the list. */
export type PageStart = Omit<Place, "anchor"> & { readonly anchor: Place["anchor"] | null }

/** A list that can be paged. Both ways answer in the order of the list. */
export interface PageSource<Item, Failure> {
  readonly anchorOf: (item: Item) => Place["anchor"]
  /** At most `limit` items behind the anchor. */
  readonly behind: (
    anchor: Place["anchor"] | null,
    limit: number,
  ) => Effect.Effect<readonly Item[], Failure | InvalidCursor>
  /** The last `limit` items before the anchor. */
  readonly before: (
    anchor: Place["anchor"],
    limit: number,
  ) => Effect.Effect<readonly Item[], Failure | InvalidCursor>
}

/** The place that a query or a cursor asks for. */
export function planPage(
  cursors: Cursors,
  list: ListName,
  session: string | null,
  query: PageQuery,
): Effect.Effect<PageStart, InvalidCursor> {
  if (query.cursor === undefined) {
    const { limit: size = pageSizeDefault, after = 0, order = "oldest-first", of } = query
    const { system = false, archived = false } = query
    const asked = { size, after, system, order, archived, ...(of && { of }) }
    return Effect.succeed({ list, session, ...asked, direction: "next", anchor: null })
  }
  const place = cursors.open(query.cursor)
  if (place === null) return invalid("unreadable", "This cursor was not made here. Start the list anew.")
  if (place.list !== list || place.session !== session) {
    return invalid("foreign", "This cursor belongs to another list. Start this list anew.")
  }
  return Effect.succeed(place)
}

export const readPage = <Item, Failure>(
  cursors: Cursors,
  start: PageStart,
  source: PageSource<Item, Failure>,
): Effect.Effect<Page<Item>, Failure | InvalidCursor> =>
  Effect.gen(function* () {
    const limit = start.size + 1
    if (start.direction === "previous" && start.anchor !== null) {
      const found = yield* source.before(start.anchor, limit)
      // What preceded the anchor may be gone by now: then the anchor's page is the first.
      if (found.length > 0) return cutPage(cursors, start, source, found)
    }
    const anchor = start.direction === "next" ? start.anchor : null
    const forward: PageStart = { ...start, direction: "next", anchor }
    return cutPage(cursors, forward, source, yield* source.behind(anchor, limit))
  })

/** Of one item more than asked, the page and the ways on from it. */
function cutPage<Item>(
  cursors: Cursors,
  start: PageStart,
  source: Pick<PageSource<Item, never>, "anchorOf">,
  found: readonly Item[],
): Page<Item> {
  const backward = start.direction === "previous"
  const more = found.length > start.size
  const items = backward ? found.slice(-start.size) : found.slice(0, start.size)
  const link = (direction: Place["direction"], item: Item | undefined, there: boolean): Cursor | null =>
    item === undefined || !there ? null : cursors.seal({ ...start, direction, anchor: source.anchorOf(item) })
  return {
    items,
    next: link("next", items.at(-1), backward || more),
    previous: link("previous", items[0], backward ? more : start.anchor !== null),
  }
}

/** Reads a stretch of a list in ascending order. It may leave out damaged items (ST3). */
export type ReadStretch<Item, Failure> = (list: SequenceList) => Effect.Effect<readonly Item[], Failure>

/** Pages of a list in the order of a sequence, or in the opposite one. */
export function sequenceSource<Item, Failure>(
  { after: floor, order }: Pick<PageStart, "after" | "order">,
  seqOf: (item: Item) => number,
  read: ReadStretch<Item, Failure>,
): PageSource<Item, Failure> {
  // Fewer than asked may mean damage in between; nothing at all is taken for the end.
  const above = Effect.fnUntraced(function* (anchor: number, limit: number) {
    const found: Item[] = []
    for (let afterSeq = Math.max(floor, anchor); found.length < limit;) {
      const items = yield* read({ afterSeq, limit })
      const last = items.at(-1)
      if (last === undefined) break
      found.push(...items)
      afterSeq = seqOf(last)
    }
    return found.slice(0, limit)
  })
  const below = Effect.fnUntraced(function* (anchor: number, limit: number) {
    let found: readonly Item[] = []
    for (let beforeSeq = anchor; found.length < limit;) {
      const items = yield* read({ afterSeq: floor, beforeSeq, limit })
      const [first] = items
      if (first === undefined) break
      found = [...items, ...found]
      beforeSeq = seqOf(first)
    }
    return found.slice(-limit)
  })
  const turned = Effect.map((items: readonly Item[]) => items.toReversed())
  return order === "oldest-first"
    ? {
        anchorOf: seqOf,
        behind: (anchor, limit) => above(Number(anchor ?? 0), limit),
        before: (anchor, limit) => below(Number(anchor), limit),
      }
    : {
        anchorOf: seqOf,
        behind: (anchor, limit) => turned(below(Number(anchor ?? Number.MAX_SAFE_INTEGER), limit)),
        before: (anchor, limit) => turned(above(Number(anchor), limit)),
      }
}

/** A stretch of a list that can only be read forward. */
export const forwardOnly =
  <Item, Failure>(
    seqOf: (item: Item) => number,
    read: (afterSeq: number, limit: number) => Effect.Effect<readonly Item[], Failure>,
  ): ReadStretch<Item, Failure> =>
  ({ afterSeq, beforeSeq, limit }) =>
    beforeSeq === undefined ? read(afterSeq, limit) : readUpTo(seqOf, read, afterSeq, beforeSeq, limit)

/** Sequences of a list have holes, so the reach doubles until enough lies within it. */
const readUpTo = Effect.fnUntraced(function* <Item, Failure>(
  seqOf: (item: Item) => number,
  read: (afterSeq: number, limit: number) => Effect.Effect<readonly Item[], Failure>,
  floor: number,
  end: number,
  limit: number,
) {
  for (let reach = limit; ; reach *= 2) {
    const from = Math.max(floor, end - 1 - reach)
    const found: Item[] = []
    for (let after = from; ;) {
      const items = yield* read(after, limit)
      found.push(...items.filter((item) => seqOf(item) < end))
      const last = items.at(-1)
      if (last === undefined || seqOf(last) >= end - 1) break
      after = seqOf(last)
    }
    if (found.length >= limit || from <= floor) return found.slice(-limit)
  }
})

/** A stretch of a list that is there at once. */
export const stretchOf =
  <Item>(items: readonly Item[], seqOf: (item: Item) => number): ReadStretch<Item, never> =>
  ({ afterSeq, beforeSeq = Number.MAX_SAFE_INTEGER, limit }) => {
    const between = items.filter((item) => seqOf(item) > afterSeq && seqOf(item) < beforeSeq)
    return Effect.succeed(
      beforeSeq < Number.MAX_SAFE_INTEGER ? between.slice(-limit) : between.slice(0, limit),
    )
  }

export const invalid = (code: InvalidCursor["code"], message: string): Effect.Effect<never, InvalidCursor> =>
  Effect.fail(new InvalidCursor({ code, message }))
