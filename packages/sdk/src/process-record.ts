/**
 * Who this process is, said so that another can find out whether it is still there. A pid alone
 * would not do, since it is used again.
 */
import { hostProcessFacts } from "@holdfast/core/host/process-identity"

export interface ProcessRecord {
  readonly boot: string
  readonly space: string
  readonly pid: number
  readonly start: string
}

export function ownProcess(): ProcessRecord {
  const { pid, boot, space, startOf } = hostProcessFacts()
  const start = startOf(pid)
  return { boot, space, pid, start: start.kind === "started" ? start.at : "unknown" }
}

/** `unknown` on another machine or boot, and where start times cannot be read. */
export function judgeProcess(record: ProcessRecord): "alive" | "gone" | "unknown" {
  const facts = hostProcessFacts()
  if (record.boot !== facts.boot || record.space !== facts.space) return "unknown"
  const start = facts.startOf(record.pid)
  if (start.kind === "hidden") return "unknown"
  return start.kind === "started" && start.at === record.start ? "alive" : "gone"
}
