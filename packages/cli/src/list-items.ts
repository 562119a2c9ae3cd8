/** Lists read to their end, or to as many items as a command shows. */
import { pageSizeMax } from "@holdfast/schema/page"
import { everyItem, type Page, type PageInput } from "@holdfast/sdk"

export async function listItems<Item>(
  read: (page: PageInput) => Promise<Page<Item>>,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<readonly Item[]> {
  const start = { limit: Math.min(limit, pageSizeMax) }
  const items: Item[] = []
  for await (const item of everyItem((page) => read(page.cursor === undefined ? start : page))) {
    items.push(item)
    if (items.length >= limit) break
  }
  return items
}
