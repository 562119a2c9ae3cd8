/** What every search tells about itself below its results. */
import { type FileChoice, type SearchEnd, searchTimeoutMs } from "./ripgrep.ts"
import { counted } from "./result-page.ts"

export const timeNote = ({ exitCode }: SearchEnd): string | null =>
  exitCode === null
    ? `stopped after ${Math.round(searchTimeoutMs / 1_000)} s; there may be more: search a smaller path`
    : null

export const unreadableNote = ({ unreadable }: SearchEnd): string | null =>
  unreadable === 0
    ? null
    : `${counted(unreadable, "file or directory", "files or directories")} could not be searched`

/** What was not looked at, where nothing was found. */
export function passedOver({ ignored = false, hidden = false }: FileChoice): string {
  const kinds = [...(ignored ? [] : ["ignored"]), ...(hidden ? [] : ["hidden"])]
  return kinds.length === 0 ? "" : ` (${kinds.join(" and ")} files were left out)`
}
