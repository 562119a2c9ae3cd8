/** Collects the evidence at the end: everything from the public API, or from the files outside. */
import { everyItem, type Page } from "../../packages/sdk/src/index.ts"
import type { Evidence } from "./accounts.ts"
import type { Stage } from "./stage.ts"

export async function collectEvidence({ holdfast, sessionID, folder, follower }: Stage): Promise<Evidence> {
  const { sessions } = holdfast()
  const session = await sessions.get({ sessionID })
  await follower.reach(session.seq)
  return {
    session,
    history: await all((page) => sessions.history({ sessionID, ...page })),
    turns: await all((page) => sessions.turns({ sessionID, ...page })),
    verified: await all((page) => sessions.verify({ sessionID, ...page })),
    receipts: await folder.receipts(),
    executions: await folder.executions(),
    followed: follower.seen.map(({ seq }) => seq),
  }
}

async function all<Item>(
  read: (page: { readonly cursor?: string }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const item of everyItem(read)) items.push(item)
  return items
}
