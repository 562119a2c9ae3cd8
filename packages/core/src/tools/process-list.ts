/**
 * The processes of this machine as /proc lists them, and signals to several at once.
 *
 * Apart because the process that holds terminals needs this much and loads nothing else of the
 * runtime. Off Linux there is no /proc, and nothing is found.
 */
import { readFile, readdir } from "node:fs/promises"

const readsAtOnceMax = 64

/** Shows the environment of each process, every entry between two NULs. */
export const eachEnvironment = (visit: (pid: number, environment: string) => void): Promise<void> =>
  eachProcess("environ", (pid, environment) => visit(pid, `\0${environment}\0`))

/** Shows the status line of each process. */
export const eachStat = (visit: (pid: number, line: string) => void): Promise<void> =>
  eachProcess("stat", visit)

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // ESRCH: it ended between the scan and the signal, which is what we want.
    }
  }
}

async function eachProcess(file: string, visit: (pid: number, text: string) => void): Promise<void> {
  const pids =
    process.platform === "linux" ? (await readdir("/proc")).map(Number).filter(Number.isInteger) : []
  for (let at = 0; at < pids.length; at += readsAtOnceMax) {
    const batch = pids.slice(at, at + readsAtOnceMax)
    // A process that ended meanwhile, or of another user, is none of ours; a zombie's environment is empty.
    const texts = await Promise.all(
      batch.map((pid) => readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "")),
    )
    for (const [index, pid] of batch.entries()) visit(pid, texts[index] ?? "")
  }
}
