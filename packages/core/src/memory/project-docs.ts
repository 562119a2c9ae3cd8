/**
 * Documents of a project that stand in the History Baseline (HB2): read from the root of the project, by name.
 *
 * A document is a plain file inside the root, of at most 256 KiB: what is a link, or lies behind one, is absent, and so is
 * what cannot be read in time. What was read is kept until its file changes.
 */
import { lstat, readFile, realpath } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { ProjectDoc } from "@holdfast/recall"
import type { Location } from "@holdfast/schema/location"
import { visible } from "../markdown/visible.ts"

export type ProjectDocs = (
  location: Location,
  names?: readonly string[],
) => Effect.Effect<readonly ProjectDoc[]>

export const projectDocNames = ["ARCHITECTURE.md", "STRUCTURE.md"] as const
const docBytesMax = 256 * 1_024
const readMsMax = 1_000
/** Files that are kept; all go when there are more. */
const keptMax = 64

interface Kept {
  readonly stamp: string
  readonly text: string
}

export function makeProjectDocs(): ProjectDocs {
  const kept = new Map<string, Kept>()
  const read = async (root: string, name: string): Promise<ProjectDoc | null> => {
    const path = join(root, name)
    const { size, mtimeMs, ino, isFile } = await stamped(path)
    if (!isFile || size > docBytesMax) return null
    const stamp = `${size} ${mtimeMs} ${ino}`
    const known = kept.get(path)
    if (known?.stamp === stamp) return { name, text: known.text }
    if ((await realpath(path)) !== join(await realpath(root), name)) return null
    const text = canonical(await readFile(path, "utf8"))
    if (kept.size >= keptMax) kept.clear()
    kept.set(path, { stamp, text })
    return { name, text }
  }
  return ({ projectRoot }, names = projectDocNames) =>
    Effect.forEach(
      names,
      (name) =>
        Effect.promise(() => read(projectRoot, name).catch(() => null)).pipe(
          Effect.timeoutOption(readMsMax),
          Effect.map((found) => (found._tag === "Some" ? found.value : null)),
        ),
      { concurrency: "unbounded" },
    ).pipe(Effect.map((found) => found.filter((doc) => doc !== null)))
}

async function stamped(path: string) {
  const found = await lstat(path)
  return { size: found.size, mtimeMs: found.mtimeMs, ino: found.ino, isFile: found.isFile() }
}

/** Line ends of one kind, and nothing behind the last word of a line. */
const canonical = (text: string): string =>
  visible(text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n"))
    .replaceAll(/[ \t]+$/gm, "")
    .trim()
