/** Lists, walked: every item, page after page, as it is asked for (PG1). */

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
  readonly previous: string | null
}

/** How a list starts, or the cursor that continues it; never both. What a list does not know it refuses. */
export interface PageInput {
  readonly limit?: number
  readonly cursor?: string
  /** Of durable events: those above this sequence. */
  readonly after?: number
  /** Of messages: system messages too. */
  readonly system?: boolean
  readonly order?: "newest-first" | "oldest-first"
  /** Of Sessions: those that are archived, and no others. */
  readonly archived?: boolean
}

/**
 * Every item of a list to its end. It starts as `start` says and goes on by cursor alone:
 * `for await (const turn of everyItem((page) => sessions.turns({ sessionID, ...page })))`.
 */
export async function* everyItem<Item>(
  read: (page: PageInput) => Promise<Pick<Page<Item>, "items" | "next">>,
  start: PageInput = {},
): AsyncGenerator<Item, void, undefined> {
  for (let page = await read(start); ; page = await read({ cursor: page.next })) {
    yield* page.items
    if (page.next === null) return
  }
}
