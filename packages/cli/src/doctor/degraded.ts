/** Parts that work less well than they should, as findings with a remedy (FA1). */
import { age } from "../figures.ts"
import { type Finding, ok, warning } from "./finding.ts"

/** A part that works less well than it should, by the records of the store or the account of the server. */
export interface Degraded {
  readonly part: string
  readonly cause: string
  readonly since: number
}

const remedies: Readonly<Record<string, string>> = {
  dreamer: "In that project, holdfast dream tries it again.",
  historian:
    "Set another model as historian, or mend that; holdfast rebuild then has it write a Session anew.",
}

export const judgeDegraded = (degraded: readonly Degraded[], now: number): readonly Finding[] =>
  degraded.length === 0
    ? [ok("background", "nothing is known to fail")]
    : degraded.map(({ part, cause, since }) =>
        warning(
          "degraded",
          `${part} is degraded, ${toldSince(now - since)}: ${cause}`,
          remedies[part] ?? null,
        ),
      )

const toldSince = (ms: number): string => (age(ms) === "now" ? "since just now" : `for ${age(ms)}`)
