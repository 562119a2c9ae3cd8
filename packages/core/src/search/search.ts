/**
 * Search: one question to all that was said in the Sessions of a project (SE1). It decides nothing: the
 * index finds, recall ranks, and what is shown is read from the log as it was recorded.
 */
import { Effect } from "effect"
import {
  type AuthorNames,
  isQuestion,
  type RankedUnit,
  type RankedWeights,
  rankUnits,
  rankWeights,
  readQuestion,
  snippetOf,
} from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import { foundDefault, foundMax } from "@holdfast/schema/search/bounds"
import { searchWords } from "@holdfast/schema/search/words"
import type { FoundOther, FoundPlace, SearchResult } from "@holdfast/schema/search/found"
import type { Meaning } from "../embedding/embedding.ts"
import type { ProjectFinder } from "../memory/project.ts"
import { findOthers, type OtherHit } from "./others.ts"
import type { SearchQuestion, Store, UnitHit } from "@holdfast/store/port"
import type { UnitSaid } from "@holdfast/store/search/units"

export interface SearchRequest extends Pick<SearchQuestion, "projectRoot" | "session" | "unless"> {
  readonly text: string
  readonly limit?: number
  /** Names that a question may mean its user or assistant by, beside these words. */
  readonly names?: AuthorNames
  readonly weights?: RankedWeights
  /** Memories that the window shows. */
  readonly shownMemories?: ReadonlySet<string>
}

export type Search = (request: SearchRequest) => Effect.Effect<SearchResult, StoreFailure>

/** Units that are ranked, and how many times what is shown is read to choose from at most. */
const rankedMax = 100
const readFactor = 4
/** What is embedded of a question. */
const meantCharactersMax = 240

type SearchStore = Pick<
  Store,
  "search" | "units" | "session" | "memories" | "projects" | "place" | "searchCommits" | "nearOthers"
>

export const makeSearch = (
  store: SearchStore,
  meaning: Meaning | null = null,
  project?: ProjectFinder,
): Search =>
  Effect.fnUntraced(function* (request) {
    const { text, limit = foundDefault, names, weights = rankWeights, shownMemories, ...where } = request
    const { words, phrases, author } = readQuestion(text, names)
    // Common words mean nothing, also where they are a phrase.
    const asksMeaning =
      meaning === null || searchWords(text).length === 0
        ? null
        : yield* meaning(text.slice(0, meantCharactersMax), where.projectRoot)
    const meant = asksMeaning === null ? null : yield* Effect.cached(asksMeaning)
    // A directory that moved, or a worktree, is known by its project from now on.
    const root =
      where.projectRoot === null || project === undefined
        ? where.projectRoot
        : (yield* project({ directory: where.projectRoot, projectRoot: where.projectRoot })).root
    const question = { ...where, words, phrases, limit: rankedMax, ...(meant && { meaning: meant }) }
    const { hits, unindexed } = yield* store.search(question)
    const shown = Math.min(limit, foundMax)
    const chosen = yield* readBest(store, rankUnits(hits, author, weights), shown, weights.asking)
    // What one Session said is asked for alone.
    const beside =
      where.session !== undefined
        ? []
        : yield* findOthers(store, root, {
            words,
            phrases,
            meaning: meant === null ? null : yield* meant,
            weight: weights.meaning,
            shownMemories: shownMemories ?? new Set(),
          })
    const { places, also } = together(chosen, beside, shown)
    const sessions = new Map<SessionId, FoundSession>()
    const namesProject = root === null && where.session === undefined
    for (const { found } of places)
      if (!sessions.has(found.session))
        sessions.set(found.session, yield* foundSession(store, found.session, namesProject))
    return {
      found: places.map(({ found, said }) =>
        placeOf(found, said, sessions.get(found.session) ?? { title: null }, words),
      ),
      ...(also.length > 0 && { also }),
      unindexed,
    }
  })

type FoundSession = Pick<FoundPlace, "title" | "project">

/** A worktree, or a directory that adopted a project, is told by the project that it belongs to. */
const foundSession = Effect.fnUntraced(function* (
  store: Pick<SearchStore, "session" | "place">,
  session: SessionId,
  namesProject: boolean,
): Effect.fn.Return<FoundSession, StoreFailure> {
  const row = yield* store.session(session)
  if (row === null || !namesProject) return { title: row?.title ?? null }
  const { projectRoot } = row.location
  return { title: row.title, project: (yield* store.place(projectRoot))?.shares ?? projectRoot }
})

interface ReadUnit extends RankedUnit<UnitHit> {
  readonly said: UnitSaid
}

/** Reads the best until no other can stand among those that are shown: a text that asks is worth less, and copies fall out. */
const readBest = Effect.fnUntraced(function* (
  store: Pick<SearchStore, "units">,
  ranked: readonly RankedUnit<UnitHit>[],
  shown: number,
  asking: number,
): Effect.fn.Return<readonly ReadUnit[], StoreFailure> {
  const read: ReadUnit[] = []
  let chosen: readonly ReadUnit[] = []
  for (let from = 0; from < shown * readFactor; from += shown) {
    const some = ranked.slice(from, from + shown)
    const unread = some.flatMap(({ found }) => (found.said === undefined ? [found] : []))
    const records = unread.length === 0 ? [] : yield* store.units(unread)
    const byPlace = new Map(records.map((record) => [placeKey(record), record]))
    for (const { found, worth } of some) {
      const said = found.said ?? byPlace.get(placeKey(found))
      if (said !== undefined) read.push({ found, said, worth: worth - (isQuestion(said.text) ? asking : 0) })
    }
    chosen = withoutCopies(read.toSorted(bestFirst)).slice(0, shown)
    const [last, next] = [chosen[shown - 1], ranked[from + shown]]
    if (next === undefined || (last !== undefined && bestFirst(last, next) <= 0)) break
  }
  return chosen
})

const bestFirst = (a: RankedUnit<UnitHit>, b: RankedUnit<UnitHit>): number =>
  Number(b.found.exact) - Number(a.found.exact) || b.worth - a.worth

/** One order for both kinds: what is exact first, then by worth; no more than are shown. */
function together<R extends { readonly found: UnitHit; readonly worth: number }>(
  chosen: readonly R[],
  beside: readonly OtherHit[],
  shown: number,
): { readonly places: readonly R[]; readonly also: readonly FoundOther[] } {
  const all = [
    ...chosen.map((place) => ({ place, exact: place.found.exact, worth: place.worth, other: null })),
    ...beside.map(({ other, worth }) => ({ place: null, exact: other.exact, worth, other })),
  ]
    .toSorted((a, b) => Number(b.exact) - Number(a.exact) || b.worth - a.worth)
    .slice(0, shown)
  const places: R[] = []
  const also: FoundOther[] = []
  for (const { place, other } of all) {
    if (place !== null) places.push(place)
    if (other !== null) also.push({ ...other, place: places.length })
  }
  return { places, also }
}

const placeKey = ({ session, seq, idx }: Pick<UnitHit, "session" | "seq" | "idx">): string =>
  `${session} ${seq} ${idx}`

/**
 * A fork says what its source said, a long text matches in several places, and what shares no word with the question is the
 * same wherever it was said: the best of them is enough.
 */
function withoutCopies(read: readonly ReadUnit[]): readonly ReadUnit[] {
  const seen = new Set<string>()
  return read.filter(({ found, said }) => {
    const copies = `${found.seq} ${found.idx} ${said.time} ${said.text}`
    const whole = `${found.session} ${found.seq} ${said.range?.fromSeq}`
    const wordless = found.score === 0 && !found.exact ? [`"${said.text}`] : []
    const keys = [copies, whole, ...wordless]
    if (keys.some((key) => seen.has(key))) return false
    for (const key of keys) seen.add(key)
    return true
  })
}

function placeOf(hit: UnitHit, said: UnitSaid, session: FoundSession, words: readonly string[]): FoundPlace {
  const { fromSeq, toSeq } = said.range ?? { fromSeq: hit.messageSeq, toSeq: hit.messageSeq }
  return {
    session: hit.session,
    ...session,
    author: hit.author,
    part: said.range === undefined ? `#${fromSeq}` : `c${fromSeq}-${toSeq}`,
    fromSeq,
    toSeq,
    time: said.time,
    exact: hit.exact,
    ...snippetOf(said.text, words),
  }
}
