/**
 * Embedding as the runtime sees it (SE2, SE3): what was said gets its vectors beside the turns, and questions
 * theirs while somebody waits, if it comes in time.
 *
 *   turn settles   ─▶ the Session stands in the queue of the store ─▶ the worker is told
 *   memory changes ─▶ it stands there already ────────────────────▶ the worker is told
 *
 * A process that stays asks for each Session that it works on; a command that ends soon asks for none. Trouble is
 * told by `health` and ends there (FA1).
 */
import { Clock, Effect, Queue, type Scope } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Degradation } from "@holdfast/schema/health"
import type { SessionId } from "@holdfast/schema/id"
import type { EmbeddingState } from "@holdfast/schema/search/embedding"
import type { AskEmbedding } from "@holdfast/store/search/embedding"
import type { QuestionMeaning } from "@holdfast/store/search/units"
import type { Store } from "@holdfast/store/port"
import type { makeCommitIndex } from "../search/commits.ts"
import type { CommitEvent, CommitHub } from "../watch/commits.ts"
import { meaningFloor } from "./embedder.ts"
import type { EmbeddingWorker } from "./process.ts"

/**
 * Asks for a question to a project, or to all, as a vector of its model: null where there is no model, else what waits for
 * the vector, which comes to null where there is none in time. Neither fails.
 */
export type Meaning = (
  text: string,
  projectRoot: string | null,
) => Effect.Effect<Effect.Effect<QuestionMeaning | null> | null>

export interface EmbeddingPort {
  readonly worker: EmbeddingWorker
  /** The model of a project, or that of the user; null where meaning is not compared (SE3). */
  readonly modelOf: (projectRoot: string | null) => Effect.Effect<string | null>
  readonly chunkCharacters: number
  /** How long a question waits for its vector. */
  readonly questionMs: number
  /** What the worker cannot do, and since when; null where it works. */
  readonly trouble: () => Degradation | null
}

type CommitIndex = ReturnType<typeof makeCommitIndex>

/** Sessions that wait to be asked for; of more, the oldest wait for their next turn. */
const waitingMax = 64
/** After a turn: what follows at once is asked for together, and a process that ends soon starts no worker. */
const settleMs = 10_000

export const makeMeaning =
  (store: Pick<Store, "hasVectors">, { worker, modelOf, questionMs }: EmbeddingPort): Meaning =>
  (text, projectRoot) =>
    Effect.gen(function* () {
      const model = yield* modelOf(projectRoot)
      if (model === null || !(yield* store.hasVectors(model))) return null
      const asked = worker.question(model, text, questionMs)
      return Effect.promise(() => asked).pipe(
        Effect.map((vector) => vector && { model, vector, floor: meaningFloor(model) }),
      )
    }).pipe(Effect.orElseSucceed(() => null))

/** Asks for the Sessions that this process works on, until the scope closes. */
export const embedSettled = Effect.fnUntraced(function* (
  store: Store,
  port: EmbeddingPort,
  commits: Pick<CommitHub, "subscribe">,
  indexCommits: CommitIndex,
): Effect.fn.Return<void, never, Scope.Scope> {
  const waiting = yield* Queue.sliding<SessionId | typeof memoriesChanged>(waitingMax)
  const listen = () =>
    commits.subscribe((event) => {
      const due = changesMemory(event) ? memoriesChanged : settledIn(event)
      if (due !== null) Queue.offerUnsafe(waiting, due)
    })
  yield* Effect.acquireRelease(Effect.sync(listen), (end) => Effect.sync(end))
  const some = Effect.gen(function* () {
    const first = yield* Queue.take(waiting)
    yield* Effect.sleep(settleMs)
    const sessions = new Set([first, ...(yield* Queue.clear(waiting))])
    const roots = new Map<string, string | null>()
    for (const session of sessions) {
      // A memory that changed stands in the queue of the store already.
      const row = session === memoriesChanged ? null : yield* store.session(session)
      if (row === null) continue
      const { projectRoot } = row.location
      if (!roots.has(projectRoot)) roots.set(projectRoot, yield* port.modelOf(projectRoot))
      const model = roots.get(projectRoot) ?? null
      if (model !== null) yield* store.commit(askFor(port, { session: row.id }, model))
    }
    port.worker.due()
    for (const root of roots.keys()) yield* indexCommits(root)
    // Commits that were not there before are due now.
    port.worker.due()
    for (const model of new Set(roots.values())) {
      if (model === null) continue
      while (yield* store.loadVectors(model)) yield* Effect.yieldNow
    }
  })
  const unlessItFails = Effect.catchCause(some, (cause) =>
    Effect.logWarning("What was said could not be given to the worker.", cause),
  )
  yield* Effect.forkScoped(Effect.forever(unlessItFails))
})

/** Stands for all memories that changed. */
const memoriesChanged = "memories"

const changesMemory = ({ type, ...event }: CommitEvent): boolean =>
  (type === "change-memory" || type === "dream") && "outcome" in event && event.outcome.kind === "changed"

/** The Session whose turn a commit settles, or null. */
function settledIn(event: CommitEvent): SessionId | null {
  if (event.type !== "append" || event.outcome.kind !== "appended") return null
  return event.command.facts.some(({ type }) => type === "turn.settled") ? event.command.session : null
}

const askFor = ({ chunkCharacters }: EmbeddingPort, of: AskEmbedding["of"], model: string): AskEmbedding => ({
  kind: "ask-embedding",
  of,
  model,
  chunkCharacters,
})

/** Puts old history into the queue, wakes the worker, and tells how far it is; a repeat only tells. */
export const embedHistory = Effect.fnUntraced(function* (
  store: Store,
  port: EmbeddingPort | undefined,
  of: AskEmbedding["of"],
  indexCommits: CommitIndex,
): Effect.fn.Return<EmbeddingState, StoreFailure> {
  const models = new Set<string>()
  const state = { sessions: 0, done: 0, due: 0 }
  const all = port === undefined ? [] : [...(yield* askedOf(store, of))]
  for (const [projectRoot, asked] of all) {
    if (!("session" in of)) yield* indexCommits(projectRoot)
    const model = yield* port?.modelOf(projectRoot) ?? Effect.succeed(null)
    if (port === undefined || model === null) continue
    models.add(model)
    state.sessions += (yield* store.commit(askFor(port, asked, model))).sessions
  }
  port?.worker.due()
  const usual = all.length === 0 ? yield* port?.modelOf(null) ?? Effect.succeed(null) : null
  if (usual !== null) models.add(usual)
  for (const model of models) {
    const { done, due } = yield* store.embeddingProgress(model)
    state.done += done
    state.due += due
  }
  const named = models.size === 0 ? null : [...models].join(", ")
  return { model: named, ...state, trouble: port?.trouble()?.cause ?? null }
})

const projectsMax = 10_000

/** Each project by itself: another may have another model. */
const askedOf = Effect.fnUntraced(function* (
  store: Store,
  of: AskEmbedding["of"],
): Effect.fn.Return<ReadonlyMap<string, AskEmbedding["of"]>, StoreFailure> {
  if ("session" in of) {
    const row = yield* store.session(of.session)
    return new Map(row === null ? [] : [[row.location.projectRoot, of]])
  }
  if (of.projectRoot !== null) return new Map([[of.projectRoot, of]])
  const known = yield* store.roots(projectsMax)
  return new Map(known.map((projectRoot) => [projectRoot, { projectRoot }]))
})

/** What `health` says of a worker, by what it was told last. */
export function makeTrouble(): {
  readonly tell: (cause: string | null) => void
  readonly trouble: () => Degradation | null
} {
  let known: Degradation | null = null
  const now = () => Effect.runSync(Clock.currentTimeMillis)
  return {
    tell: (cause) =>
      (known = cause === null ? null : { part: "search/embedding", cause, since: known?.since ?? now() }),
    trouble: () => known,
  }
}
