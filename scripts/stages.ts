/** The stages of `npm run check` that read the tree without running it, and how each is started. */
import { repositoryRoot, run, toolPath } from "./command.ts"
import type { Ended } from "./command.ts"

export interface Stage {
  readonly name: string
  readonly argv: () => readonly string[]
  /** What to do when it fails. */
  readonly remedy: string
}

/** All stages together, as a share of the time that `npm test` may take. */
export const stagesBudgetSeconds = 30

const stageTimeoutMs = 120_000

export const stages: readonly Stage[] = [
  {
    name: "types",
    argv: () => [toolPath("typescript", "tsc"), "-p", "."],
    remedy: "mend the types",
  },
  {
    name: "lint",
    argv: () => [toolPath("oxlint"), "--deny-warnings"],
    remedy: "mend by hand what `npm run fix` leaves",
  },
  {
    name: "format",
    argv: () => [toolPath("oxfmt"), "--check"],
    remedy: "run `npm run fix`",
  },
  {
    name: "dead code",
    argv: () => [toolPath("knip"), "--no-progress", "--no-config-hints"],
    remedy: "remove what is unused, or name the entry point in knip.json",
  },
]

export function runStage(stage: Stage): Promise<Ended> {
  return run({ argv: stage.argv(), cwd: repositoryRoot, timeoutMs: stageTimeoutMs })
}
