/**
 * Connection owner: which processes of this machine hold the other end of a TCP connection, as /proc
 * tells it. It looks through all processes, so it is for rare and weighty requests alone (PE5).
 */
import { readFile, readdir, readlink } from "node:fs/promises"

/** The two ports of a connection, as our end sees them. */
export interface Connection {
  readonly localPort: number
  readonly remotePort: number
}

export type Owner =
  /** `pids` is empty where the processes are those of another user. */
  | { readonly kind: "there"; readonly pids: readonly number[] }
  /** The other end is closed, or not on this machine. */
  | { readonly kind: "gone" }

/** Null where the system does not tell. */
export async function findOwner(connection: Connection): Promise<Owner | null> {
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "latin1").catch(() => null)),
  )
  if (tables.every((table) => table === null)) return null
  const sockets = tables.flatMap((table) => otherEnds(table ?? "", connection))
  if (sockets.length === 0) return { kind: "gone" }
  const pids = (await readdir("/proc")).map(Number).filter(Number.isInteger)
  const holds = await Promise.all(pids.map((pid) => holdsOne(pid, sockets)))
  return { kind: "there", pids: pids.filter((_, at) => holds[at]) }
}

/** Sockets, as links of open files name them, whose own port is our remote one. */
export function otherEnds(table: string, { localPort, remotePort }: Connection): readonly string[] {
  const [own, other] = [remotePort, localPort].map((port) => port.toString(16).toUpperCase().padStart(4, "0"))
  return table.split("\n").flatMap((line) => {
    const [, local = "", remote = "", , , , , , , inode = "0"] = line.trim().split(/\s+/)
    const isIt = local.endsWith(`:${own}`) && remote.endsWith(`:${other}`) && inode !== "0"
    return isIt ? [`socket:[${inode}]`] : []
  })
}

async function holdsOne(pid: number, sockets: readonly string[]): Promise<boolean> {
  const folder = `/proc/${pid}/fd`
  // A process that ended meanwhile, or of another user, shows nothing.
  const files = await readdir(folder).catch(() => [])
  const links = await Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => "")))
  return links.some((link) => sockets.includes(link))
}
