/** The state of a Session, or of a run, as people read it: a plain phrase, and our term in brackets behind it. */
import type { SessionStatus } from "@holdfast/schema/session"
import type { RunStatus } from "../outcome/outcome.ts"

export const statusWords: Readonly<Record<RunStatus | SessionStatus["state"], string>> = {
  idle: "idle",
  running: "running",
  done: "done",
  failed: "failed",
  interrupted: "interrupted",
  waiting: "tries later (waiting)",
  asking: "waits for your answer (asking)",
  blocked: "cannot begin yet (blocked)",
}
