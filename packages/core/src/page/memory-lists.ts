/** Memories and notes as Pages, by id (PG1). */
import { Effect } from "effect"
import type {
  InvalidCursor,
  InvalidId,
  LocationMissing,
  LocationUnknown,
  SessionNotFound,
  StoreFailure,
} from "@holdfast/schema/error"
import type { MemoryCategory, UsedMemory } from "@holdfast/schema/memory/memory"
import type { Note } from "@holdfast/schema/memory/told"
import type { Page } from "@holdfast/schema/page"
import type { Locations } from "../caller/locations.ts"
import type { Runtime } from "../runtime.ts"
import type { Cursors } from "./cursor.ts"
import { type PageQuery, type PageSource, planPage, readPage } from "./page.ts"

type Located = InvalidCursor | LocationMissing | LocationUnknown | StoreFailure

interface Asked extends Pick<PageQuery, "cursor" | "limit"> {
  readonly directory?: string
}

export interface MemoryLists {
  readonly memories: (
    query: Asked & { readonly status?: UsedMemory["status"] | "all"; readonly category?: MemoryCategory },
  ) => Effect.Effect<Page<UsedMemory>, Located>
  /** Of a Session, else of the project. */
  readonly notes: (
    query: Asked & { readonly sessionID?: string },
  ) => Effect.Effect<Page<Note>, Located | SessionNotFound | InvalidId>
}

export function makeMemoryLists(
  runtime: Pick<Runtime, "memories" | "projectNotes" | "sessionNotes">,
  locations: Locations,
  cursors: Cursors,
): MemoryLists {
  return {
    memories: Effect.fnUntraced(function* (query) {
      const start = yield* planPage(cursors, "memories", null, textsOf(query))
      const { directory, status = "active", category } = start.of ?? {}
      const location = yield* locations.at(directory)
      const of = {
        ...(status !== "all" && { status: status as UsedMemory["status"] }),
        ...(category !== undefined && { category: category as MemoryCategory }),
      }
      return yield* readPage(
        cursors,
        start,
        numberedSource((list) => runtime.memories(location, { ...of, ...list })),
      )
    }),
    notes: Effect.fnUntraced(function* (query) {
      const start = yield* planPage(cursors, "notes", null, textsOf(query))
      const { directory, sessionID } = start.of ?? {}
      if (sessionID !== undefined) {
        const notes = yield* runtime.sessionNotes(sessionID)
        const between = ({ after = 0, before = Infinity, limit }: Stretch) => {
          const found = notes.filter((note) => numberOf(note) > after && numberOf(note) < before)
          return Effect.succeed(before < Infinity ? found.slice(-limit) : found.slice(0, limit))
        }
        return yield* readPage(cursors, start, numberedSource(between))
      }
      const location = yield* locations.at(directory)
      return yield* readPage(
        cursors,
        start,
        numberedSource((list) => runtime.projectNotes(location, list)),
      )
    }),
  }
}

function textsOf({ cursor, limit, ...of }: Asked): PageQuery {
  if (cursor !== undefined) return { cursor }
  return { ...(limit !== undefined && { limit }), of: { ...of } }
}

interface Stretch {
  readonly after?: number
  readonly before?: number
  readonly limit: number
}

const numberOf = ({ id }: { readonly id: string }): number => Number(id.slice(1))

const numberedSource = <Item extends { readonly id: string }, Failure>(
  read: (list: Stretch) => Effect.Effect<readonly Item[], Failure>,
): PageSource<Item, Failure> => ({
  anchorOf: numberOf,
  behind: (anchor, limit) => read({ after: Number(anchor ?? 0), limit }),
  before: (anchor, limit) => read({ before: Number(anchor), limit }),
})
