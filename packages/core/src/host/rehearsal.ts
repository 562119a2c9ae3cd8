/**
 * Rehearsal: what the first prompt of a server looks up is looked up once before, while nobody waits.
 *
 * A look that is made for the first time costs several times as much as the second: its code was never run, its statements
 * are not prepared, what reads facts is not built. Nothing is written and nobody is asked over a network. What fails here
 * fails again where somebody waits for it, and is told there.
 */
import { Effect } from "effect"
import { makeSearch } from "../search/search.ts"
import { defaultAgent, type RuntimePorts } from "../session/ports.ts"
import { locate } from "./locations.ts"

/** Long enough to be searched for, and about nothing. */
export const rehearsedPrompt = "Is there anybody who said something about this before?"

const foundMax = 6

export const rehearse = (
  { store, project, sample, masks }: Pick<RuntimePorts, "store" | "project" | "sample" | "masks">,
  directory: string,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const location = yield* locate(directory)
    if (location === null) return
    yield* sample(location, defaultAgent)
    yield* Effect.yieldNow
    const [newest] = yield* store.sessions({ limit: 1 })
    if (newest !== undefined) yield* store.window(newest.id)
    yield* Effect.yieldNow
    const text = masks.text(newest?.title ?? rehearsedPrompt)
    yield* makeSearch(store, null, project)({ text, limit: foundMax, projectRoot: location.projectRoot })
  }).pipe(Effect.catchCause(() => Effect.void))
