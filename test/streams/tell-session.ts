/** What the server says of a Session, from its own projections. */
import { expect } from "vitest"
import { everyItem, type HoldfastClient } from "@holdfast/client"
import type { Folded } from "./fold.ts"

export async function tellSession({ sessions }: HoldfastClient, sessionID: string): Promise<Folded> {
  const { seq, turns, model, title, archived, status } = await sessions.get({ sessionID })
  const { items: inbox } = await sessions.inbox({ sessionID, limit: 200 })
  expect(status.pending).toBe(inbox.length)
  const messages: unknown[] = []
  const all = everyItem((page) => sessions.messages({ sessionID, ...page }), { limit: 200, system: true })
  for await (const message of all) messages.push(message)
  return { seq, turns, owing: status.owing, model, title, archived, messages, inbox }
}
