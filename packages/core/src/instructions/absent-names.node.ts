/**
 * Absent names: places in folders where there was nothing, known for as long as the folder stays as it is.
 *
 * Every turn looks for files that most folders do not have. A name comes into a folder or goes only by
 * a change of the folder, so one look at it answers for all names that were absent, and for all that
 * would lie below them. A link to nothing is no absent name: what it leads to may come without a change here.
 */
import { lstat, stat } from "node:fs"
import { basename, dirname } from "node:path"
import { keepNewest } from "../newest.ts"
import { shareLooks } from "./shared-look.ts"
import { isSame, tellsChanges, type Stamp, stampOf } from "./stamp.node.ts"

export interface AbsentNames {
  /** Whether something may be at a path; says no only where the folder was asked again. */
  readonly ask: (path: string, answer: (mayBeThere: boolean) => void) => void
  /** Nothing was found at a path: looks whether its name is absent, while nobody waits. */
  readonly learn: (path: string) => void
}

const foldersMax = 512
const namesMax = 64

/** A folder that is not there has no stamp. */
interface Folder {
  readonly stamp: Stamp | null
  readonly absent: Set<string>
}

/** Undefined where the folder cannot be judged; with the time before the look. */
interface Seen {
  readonly stamp: Stamp | null | undefined
  readonly atMs: number
}

export function makeAbsentNames(nowMs: () => number): AbsentNames {
  const folders = new Map<string, Folder>()

  const stampFolder = shareLooks<Seen>((path, answer) => {
    const atMs = nowMs()
    stat(path, (cause, stats) => {
      const gone = cause !== null && (cause.code === "ENOENT" || cause.code === "ENOTDIR")
      answer({ stamp: cause === null ? stampOf(stats) : gone ? null : undefined, atMs })
    })
  })

  const isUnchanged = (folder: Folder, stamp: Stamp | null | undefined): boolean =>
    folder.stamp === null || !stamp ? stamp === folder.stamp : isSame(stamp, folder.stamp)

  const ask: AbsentNames["ask"] = (path, answer) => {
    const place = dirname(path)
    const folder = folders.get(place)
    if (folder?.absent.has(basename(path)) !== true) return answer(true)
    const judge = ({ stamp }: Seen): void => {
      const unchanged = isUnchanged(folder, stamp)
      if (!unchanged && folders.get(place) === folder) folders.delete(place)
      answer(!unchanged)
    }
    if (folder.stamp !== null) return stampFolder(place, judge)
    ask(place, (mayBeThere) => (mayBeThere ? stampFolder(place, judge) : answer(false)))
  }
  const learn: AbsentNames["learn"] = (path) => {
    const place = dirname(path)
    stampFolder(place, ({ stamp, atMs }) => {
      if (stamp === undefined || (stamp !== null && !tellsChanges(stamp, atMs))) return
      if (stamp === null && place !== path) learn(place)
      // After the stamp was taken: what comes later changes it.
      lstat(path, (cause) => {
        if (cause?.code !== "ENOENT" && cause?.code !== "ENOTDIR") return
        const known = folders.get(place)
        const folder =
          known !== undefined && isUnchanged(known, stamp) ? known : { stamp, absent: new Set<string>() }
        if (folder.absent.size < namesMax) folder.absent.add(basename(path))
        keepNewest(folders, place, folder, foldersMax)
      })
    })
  }
  return { ask, learn }
}
