/**
 * Control groups: a folder of the kernel for each command (cgroup v2), which nothing that the
 * command starts can leave by setsid, a double fork, sudo or a cleared environment.
 *
 *   own group of the runtime
 *     └─ holdfast-<PID namespace>-<pid>-<start>-<call id>
 *
 * The name says who made it, so that a later runtime can tell groups of dead ones from those of
 * the living. A group belongs to one call: the launcher's script fills it, and whoever ends the
 * call, the script or this runtime or one that recovers the call, kills and removes it. Every
 * function may be repeated, and a group that is gone is as good as ended.
 *
 * To make and to remove a group takes a tenth of a millisecond. To move a process into one takes
 * about 10 ms (Linux 6.18, two busy cores), because the kernel waits until every core has taken
 * note; only a move right behind another finds that done. Every command pays it before it runs.
 */
import { mkdirSync } from "node:fs"
import { readFile, readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import { hostProcessFacts, type ProcessFacts } from "../host/process-identity.ts"
import { killGroup, removeGroup } from "./group-members.ts"

const nameStart = "holdfast-"
const removeTriesMax = 40
const removePollMs = 25

/** The group of this process as a folder, or null where there is none or it cannot be seen. */
export async function ownGroup(): Promise<string | null> {
  if (process.platform !== "linux") return null
  try {
    const [groups, mounts] = await Promise.all(
      ["cgroup", "mountinfo"].map((name) => readFile(`/proc/self/${name}`, "utf8")),
    )
    return groupFolder(groups ?? "", mounts ?? "")
  } catch {
    return null // a /proc without these files belongs to a kernel without control groups
  }
}

/** Where the tree of cgroup v2 shows the group that `/proc/self/cgroup` names. */
export function groupFolder(groups: string, mounts: string): string | null {
  const path = /^0::(\/.*)$/m.exec(groups)?.[1]
  if (path === undefined || path.startsWith("/..")) return null
  for (const line of mounts.split("\n")) {
    const [fields = "", kind = ""] = line.split(" - ")
    const [root, point] = fields.split(" ").slice(3, 5).map(unescapeMount)
    if (!kind.startsWith("cgroup2 ") || root === undefined || point === undefined) continue
    const below =
      root === "/" ? path : path === root ? "/" : path.startsWith(`${root}/`) ? path.slice(root.length) : null
    if (below !== null) return join(point, below).replace(/(?<=.)\/$/, "")
  }
  return null
}

/** Makes the group of a call; it throws where that is not allowed. */
export function makeGroup(parent: string, callId: string): string {
  const { pid, space, startOf } = hostProcessFacts()
  const start = startOf(pid)
  const owner = [space.replaceAll(/\D/g, ""), pid, start.kind === "started" ? start.at : "0"].join("-")
  const group = join(parent, `${nameStart}${owner}-${callId}`)
  mkdirSync(group)
  return group
}

/** Groups of the call beside those of this runtime, whoever made them. */
export async function groupsOfCall(callId: string): Promise<readonly string[]> {
  const parent = await ownGroup()
  if (parent === null) return []
  const names = await readdir(parent).catch(() => [])
  return names.map((name) => join(parent, name)).filter((group) => isGroupOfCall(group, callId))
}

export const isGroupOfCall = (group: string, callId: string): boolean =>
  parseName(basename(group))?.callId === callId

/** The call that a process belongs to, by what `/proc/<pid>/cgroup` says of it, or null. */
export function callOfGroup(groups: string): string | null {
  const path = /^0::(\/.*)$/m.exec(groups)?.[1] ?? ""
  return (
    path
      .split("/")
      .map(parseName)
      .find((found) => found !== null)?.callId ?? null
  )
}

/** Ends what runtimes that are gone left behind; groups of the living stay untouched. */
export async function sweepGroups(parent: string, facts: ProcessFacts = hostProcessFacts()): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  await Promise.all(
    names.filter((name) => isAbandoned(name, facts)).map((name) => endGroup(join(parent, name))),
  )
}

/** Whether the group was made in this PID namespace, by a process that has ended. */
export function isAbandoned(name: string, facts: ProcessFacts): boolean {
  const owner = parseName(name)
  if (owner === null || owner.space !== facts.space.replaceAll(/\D/g, "")) return false
  const start = facts.startOf(owner.pid)
  return start.kind === "gone" || (start.kind === "started" && start.at !== owner.start)
}

async function endGroup(group: string): Promise<void> {
  for (let tries = 0; tries < removeTriesMax && !(await removeGroup(group)); tries++) {
    await killGroup(group)
    await new Promise((resolve) => setTimeout(resolve, removePollMs))
  }
}

function parseName(name: string) {
  const match = /^holdfast-(\d*)-(\d+)-(\d+)-(.+)$/.exec(name)
  if (match === null) return null
  const [, space = "", pid, start = "", callId = ""] = match
  return { space, pid: Number(pid), start, callId }
}

const unescapeMount = (field: string): string =>
  field.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
