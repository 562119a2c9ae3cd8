/** HI5: facts of a published history become memories of the project in the commit that publishes it. */
import type { FactOf } from "@holdfast/schema/event"
import type { MessageId } from "@holdfast/schema/id"
import { memoryCategories, memoryTextMax } from "@holdfast/schema/memory/categories"
import type { MemoryCategory } from "@holdfast/schema/memory/memory"
import type { ProjectPlace } from "../../memory.ts"
import type { Connection } from "../connection.ts"
import type { KeyedSession } from "../session-row.ts"
import { changeMemories } from "./change.ts"
import { addFact } from "./rows.ts"

/** Messages that a learned fact names as where it came from. */
const messagesMax = 20

export function learnFacts(
  connection: Connection,
  project: ProjectPlace,
  { key, id }: KeyedSession,
  time: number,
  { facts, fromSeq, toSeq, observations }: FactOf<"history.published">,
): void {
  noteObservations(connection, project, id, time, observations)
  const known = facts.filter(({ category, text }) => isCategory(category) && isStatement(text))
  if (known.length === 0) return
  const said = connection.all<{ id: MessageId }>(
    "SELECT id FROM message WHERE session = ? AND kind = 'user' AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?",
    key,
    fromSeq,
    toSeq,
    messagesMax,
  )
  const messages = said.map((message) => message.id)
  const last = connection.get<{ time: number }>(
    "SELECT time FROM event WHERE session = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
    key,
    toSeq,
  )
  const saidAt = last?.time ?? time
  const source = { by: "historian", session: id, messages, fromSeq, toSeq } as const
  changeMemories(
    connection,
    project,
    time,
    known.map(({ category, text }) => ({
      change: "write",
      category: category as MemoryCategory,
      text,
      source,
      expiresAt: null,
      supersedes: [],
      saidAt,
    })),
  )
}

/** UP1: who publishes leaves them out where no profile is kept. */
function noteObservations(
  connection: Connection,
  place: ProjectPlace,
  session: KeyedSession["id"],
  time: number,
  observations: readonly string[],
): void {
  for (const text of observations.filter((one) => one !== ""))
    addFact(connection, place, time, {
      type: "profile.observed",
      source: { by: "historian", session, messages: [] },
      text,
    })
}

const isStatement = (text: string): boolean => text.trim() !== "" && text.length <= memoryTextMax

const isCategory = (category: string): boolean => memoryCategories.some((known) => known === category)
