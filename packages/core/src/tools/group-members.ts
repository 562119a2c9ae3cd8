/**
 * Members of a control group: what lives in its folder, killed at once, and the folder removed.
 *
 * Apart from control-groups.ts because the process that holds terminals needs this much and loads
 * nothing else of the runtime. Every function may be repeated.
 */
import { readFile, readdir, rmdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

const depthMax = 16

/** Live processes of the group and of groups that were made inside it. */
export async function groupProcesses(group: string): Promise<readonly number[]> {
  const folders = await foldersOf(group)
  const lists = await Promise.all(
    folders.map((folder) => readFile(join(folder, "cgroup.procs"), "utf8").catch(() => "")),
  )
  // A process that this PID namespace does not show reads as 0.
  return lists.flatMap((list) =>
    list
      .split("\n")
      .map(Number)
      .filter((pid) => pid > 0),
  )
}

/** Kills all that is in the group at once, whoever it belongs to. */
export async function killGroup(group: string): Promise<void> {
  // Kernels before 5.14 have no such file; there each process is signalled by the caller.
  await writeFile(join(group, "cgroup.kill"), "1", { flag: "r+" }).catch(() => {})
}

/** Removes a group that is empty; true once it is gone. */
export async function removeGroup(group: string): Promise<boolean> {
  if (await removeFolder(group)) return true
  for (const folder of (await foldersOf(group)).toReversed()) {
    if (!(await removeFolder(folder))) return false
  }
  return true
}

/** False where something in it still lives, or another group is inside (EBUSY). */
const removeFolder = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  )

/** The group and those inside it, outer ones first. */
async function foldersOf(group: string, depth = 0): Promise<readonly string[]> {
  const entries = await readdir(group, { withFileTypes: true }).catch(() => [])
  const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(group, name))
  if (depth >= depthMax) return [group]
  return [group, ...(await Promise.all(inner.map((folder) => foldersOf(folder, depth + 1)))).flat()]
}
