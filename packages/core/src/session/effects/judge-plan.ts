/**
 * What became of a plan whose call was killed: the files tell (DR4).
 *
 * A file is changed if it is what the plan would leave, and not changed if it is what the plan
 * found. Anything else is somebody else's doing, or half of a move, and is called unclear.
 */
import type { FileEffect } from "@holdfast/schema/fact/turn"

/** Hashes of files by path: null where there is none, undefined where nobody could tell. */
export type FileHashes = ReadonlyMap<string, string | null | undefined>

export interface JudgedPlan {
  readonly changed: readonly FileEffect[]
  readonly unchanged: readonly FileEffect[]
  readonly unclear: readonly FileEffect[]
}

export function judgePlan(plan: readonly FileEffect[], hashes: FileHashes): JudgedPlan {
  const by = (verdict: keyof JudgedPlan) => plan.filter((effect) => judgeEffect(effect, hashes) === verdict)
  return { changed: by("changed"), unchanged: by("unchanged"), unclear: by("unclear") }
}

/** The paths that have to be looked at. */
export const pathsOf = (plan: readonly FileEffect[]): readonly string[] =>
  plan.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]))

function judgeEffect({ path, from, before, after }: FileEffect, hashes: FileHashes): keyof JudgedPlan {
  const now = hashes.get(path)
  const source = from === undefined ? null : hashes.get(from)
  if (now === undefined || source === undefined) return "unclear"
  if (now === after && source === null) return "changed"
  if (from === undefined) return now === before ? "unchanged" : "unclear"
  return now === null && source === before ? "unchanged" : "unclear"
}
