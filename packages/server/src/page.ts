/**
 * Pages, read from sources that can only be read forward.
 *
 *   plan   query or cursor ──▶ place to read from        (a bad cursor ends here)
 *   read   one item more than asked, which tells whether the list goes on
 *   cut    items ──▶ page with cursors on both ends
 */
import { Effect } from "effect"
import { InvalidCursor } from "@holdfast/protocol/error"
import { type Cursor, type Page, pageSizeDefault } from "@holdfast/protocol/page"
import type { Cursors, Place } from "./cursor.ts"

export interface PageQuery {
  readonly cursor?: Cursor
  readonly limit?: number
  readonly after?: number
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
  list: Place["list"],
  session: string | null,
  query: PageQuery,
): Effect.Effect<PageStart, InvalidCursor> {
  if (query.cursor === undefined) {
    const { limit: size = pageSizeDefault, after = 0 } = query
    return Effect.succeed({ list, session, size, after, direction: "next", anchor: null })
  }
  const place = cursors.open(query.cursor)
  if (place === null) {
    return invalid("unreadable", "This cursor was not made by this server. Start the list anew.")
  }
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
    return cutPage(
      cursors,
      { ...start, direction: "next", anchor },
      source,
      yield* source.behind(anchor, limit),
    )
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

/** Reads at most `limit` items above a sequence, in order. It may leave out damaged ones (ST3). */
type ReadAbove<Item, Failure> = (after: number, limit: number) => Effect.Effect<readonly Item[], Failure>

/** Pages of a list in the order of a sequence, which can be read from any sequence on. */
export const sequenceSource = <Item, Failure>(
  floor: number,
  seqOf: (item: Item) => number,
  read: ReadAbove<Item, Failure>,
): PageSource<Item, Failure> => ({
  anchorOf: seqOf,
  behind: Effect.fnUntraced(function* (anchor, limit) {
    const found: Item[] = []
    for (let after = Math.max(floor, Number(anchor ?? 0)); found.length < limit;) {
      const items = yield* read(after, limit)
      const last = items.at(-1)
      // Fewer than asked may mean damage in between; nothing at all is taken for the end.
      if (last === undefined) break
      found.push(...items)
      after = seqOf(last)
    }
    return found.slice(0, limit)
  }),
  before: Effect.fnUntraced(function* (anchor, limit) {
    const end = Number(anchor)
    // Sequences of a list have holes, so the reach doubles until enough lies within it.
    for (let reach = limit; ; reach *= 2) {
      const from = Math.max(floor, end - 1 - reach)
      const found = yield* readBetween(seqOf, read, from, end, limit)
      if (found.length >= limit || from <= floor) return found.slice(-limit)
    }
  }),
})

const readBetween = Effect.fnUntraced(function* <Item, Failure>(
  seqOf: (item: Item) => number,
  read: ReadAbove<Item, Failure>,
  from: number,
  end: number,
  step: number,
) {
  const found: Item[] = []
  for (let after = from; ;) {
    const items = yield* read(after, step)
    found.push(...items.filter((item) => seqOf(item) < end))
    const last = items.at(-1)
    if (last === undefined || seqOf(last) >= end - 1) return found
    after = seqOf(last)
  }
})

export const invalid = (code: InvalidCursor["code"], message: string): Effect.Effect<never, InvalidCursor> =>
  Effect.fail(new InvalidCursor({ code, message }))
