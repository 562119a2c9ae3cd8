/**
 * What else is known of a project in the two history slots, where it is enabled: key files, always in the Delta and from
 * stored bytes (KF1), and the profile of the user, in the Baseline with a Fold and before that in the Delta (UP1).
 *
 * What is shown is stored with the slots: a file that is edited, or a profile that is written anew, changes nothing
 * before the next break.
 */
import type { KeyFile } from "@holdfast/schema/memory/dream"
import { oneLine } from "./historian/words.ts"
import type { KnownMemory } from "./memory.ts"

export interface ProfileMarker {
  /** Lines that stand in the Baseline. */
  readonly lines: readonly string[]
  /** What the Delta says since. */
  readonly delta: string
}

export const keyFilesText = (files: readonly Pick<KeyFile, "path" | "text">[] | undefined): string =>
  files === undefined || files.length === 0
    ? ""
    : [keyFilesHead, ...files.map(({ path, text }) => `--- ${oneLine(path)}\n${text.trimEnd()}`)].join("\n")

const keyFilesHead =
  "Key files of this project, as they were when they were chosen; read one before you change it, it may be another by now."

/** Key files are left out of a window that they would fill. */
export function fitKeyFiles(
  memory: KnownMemory | null | undefined,
  contextTokens: number,
): KnownMemory | null {
  if (memory?.keyFiles === undefined) return memory ?? null
  const bytes = memory.keyFiles.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  if (bytes / keyFileBytesPerToken <= contextTokens * keyFilesShareMax) return memory
  const { keyFiles: _, ...rest } = memory
  return rest
}

const keyFilesShareMax = 0.1
const keyFileBytesPerToken = 3.5

/** Null where no profile is kept: nothing is said of anybody. */
export function profileBaseline(lines: readonly string[] | undefined): {
  readonly text: string
  readonly marker: ProfileMarker | null
} {
  if (lines === undefined) return { text: "", marker: null }
  const text = lines.length === 0 ? "" : [profileHead, ...lines.map(bullet)].join("\n")
  return { text, marker: { lines, delta: "" } }
}

export function profileDelta(
  lines: readonly string[] | undefined,
  before: ProfileMarker | null,
): ProfileMarker | null {
  if (lines === undefined) return before === null ? null : { ...before, delta: "" }
  const held = before?.lines ?? []
  const fresh = lines.filter((line) => !held.includes(line))
  const delta = fresh.length === 0 ? "" : [profileSince, ...fresh.map(bullet)].join("\n")
  return delta === "" && before === null ? null : { lines: held, delta }
}

const bullet = (line: string): string => `- ${oneLine(line)}`
const profileHead = "How the user wants to be worked with, as seen in earlier sessions:"
const profileSince = "How the user wants to be worked with, seen since:"
