/**
 * Files: which version of a file a Session knows, so that no call overwrites what it has not seen.
 *
 * Derived from settlements alone: what a call read, and what it left behind. Of the newest
 * `filesMax` files; one that is forgotten has to be read again before it is overwritten. Nothing
 * here needs effect.
 */
import type { FactOf } from "../event.ts"

export interface FileVersion {
  /** Null where a call took the file away. */
  readonly hash: string | null
  /** The settlement that says so. */
  readonly seq: number
}

/** A settlement at the edge is kept with all its files. */
export const filesMax = 200

type Files = ReadonlyMap<string, FileVersion>

export function knowFiles(files: Files, seq: number, fact: FactOf<"call.settled">): Files {
  const named = namedFiles(fact)
  if (named.length === 0) return files
  const known = new Map(files)
  for (const [path, hash] of named) {
    if ((known.get(path)?.seq ?? 0) > seq) continue
    known.delete(path)
    known.set(path, { hash, seq })
  }
  return newestOf(known)
}

/** What a settlement says of each file that it names. */
export function namedFiles({
  seen = [],
  effects,
}: FactOf<"call.settled">): readonly (readonly [path: string, hash: string | null])[] {
  const named = new Map<string, string | null>(seen.map(({ path, hash }) => [path, hash]))
  for (const { path, from, after } of effects) {
    if (from !== undefined) named.set(from, null)
    named.set(path, after)
  }
  return [...named]
}

function newestOf(files: Files): Files {
  if (files.size <= filesMax) return files
  const seqs = [...files.values()].map(({ seq }) => seq).sort((a, b) => b - a)
  const oldest = seqs[filesMax - 1] ?? 0
  return new Map([...files].filter(([, { seq }]) => seq >= oldest))
}
