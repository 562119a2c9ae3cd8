/**
 * Process identity: who holds a lease, said so that another process can find out whether the
 * holder is gone.
 *
 *   same boot, same PID namespace, that pid with that start time ─ lives ──▶ alive
 *                                                                ─ is not ─▶ gone
 *   anything else ─▶ unknown: only the beat of the lease can tell
 *
 * A pid alone is not enough, since it is used again. Off Linux the start time of another process
 * cannot be read without starting a program, so there a living pid is unknown, a missing one gone.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { Effect } from "effect"
import type { LeaseOwner } from "@holdfast/store/port"

export type OwnerState = "alive" | "gone" | "unknown"

/** What the host tells about processes. Only reads, so a repeat is safe. */
export interface ProcessFacts {
  readonly pid: number
  /** Identifies this boot of this machine. */
  readonly boot: string
  /** Identifies the PID namespace. */
  readonly space: string
  /** Start time of a process, `gone` if it has ended, `hidden` where it cannot be known. */
  readonly startOf: (pid: number) => ProcessStart
}

export type ProcessStart =
  | { readonly kind: "started"; readonly at: string }
  | { readonly kind: "gone" }
  | { readonly kind: "hidden" }

/** Runtimes that are open in this process: two of them share all but the instance. */
const openInstances = new Set<string>()

/** The identity of one runtime, as long as the scope is open. */
export const holdIdentity = (facts: ProcessFacts, instance: string) =>
  Effect.acquireRelease(
    Effect.sync((): LeaseOwner => {
      openInstances.add(instance)
      const start = facts.startOf(facts.pid)
      return {
        boot: facts.boot,
        space: facts.space,
        pid: facts.pid,
        start: start.kind === "started" ? start.at : "unknown",
        instance,
      }
    }),
    () => Effect.sync(() => openInstances.delete(instance)),
  )

export function judgeOwner(owner: LeaseOwner, facts: ProcessFacts): OwnerState {
  if (owner.boot !== facts.boot || owner.space !== facts.space) return "unknown"
  const start = facts.startOf(owner.pid)
  if (start.kind === "gone") return "gone"
  if (start.kind === "hidden") return "unknown"
  if (start.at !== owner.start) return "gone"
  if (owner.pid !== facts.pid) return "alive"
  return openInstances.has(owner.instance) ? "alive" : "gone"
}

/**
 * Start time of a process from its line in /proc: the 22nd field. The second field is the name of
 * the program in parentheses and may hold anything, so counting begins after the last one. A
 * process that only waits to be collected (Z, X) has ended.
 */
export function parseStat(line: string): ProcessStart {
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ")
  const [state] = fields
  const start = fields[22 - 3]
  if (state === undefined || start === undefined) return { kind: "hidden" }
  return /^[ZXx]$/.test(state) ? { kind: "gone" } : { kind: "started", at: start }
}

export function hostProcessFacts(): ProcessFacts {
  return process.platform === "linux" ? linuxFacts() : portableFacts()
}

function linuxFacts(): ProcessFacts {
  return {
    pid: process.pid,
    boot: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
    space: readlinkSync("/proc/self/ns/pid"),
    startOf: (pid) => {
      try {
        return parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"))
      } catch (error) {
        // ESRCH: it ended between open and read. Anything else hides the process from us.
        return isCode(error, "ENOENT", "ESRCH") ? { kind: "gone" } : { kind: "hidden" }
      }
    },
  }
}

function portableFacts(): ProcessFacts {
  const ownStart = String(Math.round(performance.timeOrigin))
  return {
    pid: process.pid,
    boot: `host:${hostname()}`,
    space: "host",
    startOf: (pid) => {
      if (pid === process.pid) return { kind: "started", at: ownStart }
      try {
        process.kill(pid, 0)
        return { kind: "hidden" }
      } catch (error) {
        return isCode(error, "ESRCH") ? { kind: "gone" } : { kind: "hidden" }
      }
    },
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code))
}
