/**
 * Calls that somebody joins in the middle: they were made before, and settle while one looks on, as
 * those that an answer frees do. Without their names a settlement could not be told.
 */
import { type CallPart, everyItem, type SessionsOperations } from "@holdfast/sdk"

/** Calls of the newest answer that have not settled. */
export async function unsettledCalls(
  { messages }: Pick<SessionsOperations, "messages">,
  sessionID: string,
): Promise<readonly CallPart[]> {
  const newest = everyItem((page) => messages({ sessionID, ...page }), { order: "newest-first", limit: 5 })
  for await (const message of newest) {
    if (message.kind !== "assistant") continue
    return message.parts.flatMap(({ part }) => (part.type === "call" && part.outcome === null ? [part] : []))
  }
  return []
}
