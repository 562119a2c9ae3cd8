/** Pages, walked: every item of a list, page after page, as it is asked for. */
import type { Page } from "@holdfast/schema/page"
import type { HistoryInput, MessagesInput } from "./sessions.ts"

/** How any list starts, or its cursor. */
type ListInput = Omit<HistoryInput & MessagesInput, "sessionID">

/**
 * Every item of a list to its end. It starts as `start` says and goes on by cursor alone:
 * `for await (const turn of everyItem((page) => sessions.turns({ sessionID, ...page })))`.
 */
export async function* everyItem<Item>(
  read: (page: ListInput) => Promise<Page<Item>>,
  start: ListInput = {},
): AsyncGenerator<Item> {
  for (let page = await read(start); ; page = await read({ cursor: page.next })) {
    yield* page.items
    if (page.next === null) return
  }
}
