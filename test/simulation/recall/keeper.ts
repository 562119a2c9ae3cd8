/**
 * The keeper: Sessions grow long, a model writes their history beside the turns, well, badly or not at all, and somebody
 * folds, flushes and rebuilds at any moment, through any process.
 */
import { Effect } from "effect"
import type { World } from "../../stage/scheduler.ts"
import type { ClientContext } from "../clients.ts"
import type { Step } from "../plan.ts"
import { words } from "../../stage/words.ts"

/** How the model writes that is asked for history. */
const moods = ["good", "junk", "silent", "failing", "mixed"] as const
export type Mood = (typeof moods)[number]

export interface RecallPlan {
  /** Null where only the extractive historian writes. */
  readonly historian: Mood | null
  /** Whether the model can drop what it needs no more. */
  readonly reduces: boolean
  readonly steps: readonly KeeperStep[]
}

export interface KeeperStep {
  readonly afterMs: number
  /** Which of the Sessions, by its place in the plan. */
  readonly session: number
  readonly act: "fold" | "flush" | "rebuild"
}

const stepsMax = 8
const acts: readonly KeeperStep["act"][] = ["fold", "flush", "rebuild"]

/** A quarter of the seeds have one. */
export function drawRecall(world: World, sessions: number): RecallPlan | null {
  if (world.chance(0.75)) return null
  return {
    historian: world.chance(0.3) ? null : (moods[world.below(moods.length)] ?? "mixed"),
    reduces: world.chance(0.6),
    steps: Array.from({ length: world.below(stepsMax) }, () => ({
      afterMs: world.chance(0.3) ? world.below(60) : world.below(9_000),
      session: world.below(sessions),
      act: acts[world.below(acts.length)] ?? "fold",
    })),
  }
}

const promptsMax = 6
const wordsMax = 1_400

/** Prompts that fill a window. */
export const drawTalk = (world: World, tag: string): readonly Step[] =>
  Array.from({ length: 3 + world.below(promptsMax - 2) }, (_, n) => ({
    afterMs: world.below(6_000),
    operation: {
      kind: "prompt",
      id: `${tag.slice(0, -1)}-long${n}`,
      text: `${tag} long ${n} ${words(world, 100 + world.below(wordsMax))}`,
      delivery: world.chance(0.7) ? "steer" : "queue",
    },
  }))

const retriesMax = 30
const retryMs = 200

export function makeKeeper({ machine, record, note }: ClientContext, plan: RecallPlan | null) {
  const acknowledged = new Map<string, number>()
  const act = Effect.fnUntraced(function* (session: string, kind: KeeperStep["act"]) {
    for (let attempt = 0; attempt < retriesMax; attempt++) {
      const end = yield* machine.call((runtime): Effect.Effect<unknown, { readonly _tag: string }> =>
        kind === "rebuild" ? runtime.rebuild(session, {}) : runtime[kind](session),
      )
      if (end.kind === "ok") return true
      if (end.kind === "failed" && end.error._tag !== "StoreFailure")
        record.problems.push(`${kind} failed: ${String(end.error)}`)
      yield* Effect.sleep(retryMs)
    }
    return false
  })
  return {
    run: Effect.forEach(
      plan?.steps ?? [],
      (step) =>
        Effect.gen(function* () {
          const session = [...record.sessions.values()][step.session]
          note(`keeper ${step.act}`)
          if (session === undefined || !(yield* act(session, step.act))) return
          const key = `${session} ${step.act}`
          acknowledged.set(key, (acknowledged.get(key) ?? 0) + 1)
        }).pipe(Effect.delay(step.afterMs)),
      { discard: true },
    ),
    /** How often somebody was told that it will be done. */
    acknowledged: (session: string) => ({
      fold: acknowledged.get(`${session} fold`) ?? 0,
      flush: acknowledged.get(`${session} flush`) ?? 0,
    }),
  }
}
