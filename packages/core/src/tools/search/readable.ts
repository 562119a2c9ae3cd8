/**
 * Readable files: those that a search may tell of, because reading them need not be asked for (PE1).
 *
 * `grep` says of the others that they are left out, whether a line of theirs matches or not: else
 * their contents could be guessed, one pattern after another.
 */
import { resolve } from "node:path"
import type { ToolContext } from "../tool.ts"
import { counted } from "./result-page.ts"
import { type SearchPlace, shownBelow } from "./search-place.ts"

/** Whether a file below the place may be told of. What was named itself has been judged before. */
export function readableBelow(
  place: SearchPlace,
  { directory, mayRead }: Pick<ToolContext, "directory" | "mayRead">,
): (below: string) => boolean {
  if (mayRead === undefined || place.kind === "file") return () => true
  return (below) => mayRead(resolve(directory, shownBelow(place, below)))
}

export const askedForNote = (place: SearchPlace, { mayRead }: Pick<ToolContext, "mayRead">): string | null =>
  mayRead === undefined || place.kind === "file"
    ? null
    : "files that may be read only after asking are left out"

export const leftOutNote = (count: number): string | null =>
  count === 0 ? null : `${counted(count, "file")} left out, to be read only after asking`
