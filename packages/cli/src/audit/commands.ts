/** `holdfast audit` as it is declared. */
import { type Command, InvalidArgumentError } from "commander"
import type { End } from "../commands.ts"
import type { DeclaredOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { AuditOptions } from "./audit.ts"

export function addAudit(program: Command, terminal: Terminal, end: End, declared: DeclaredOptions): void {
  declared
    .json(program.command("audit"))
    .description(
      "show what your sessions with Claude Code, Codex, Pi and OpenCode cost, and why the prompt cache missed",
    )
    .argument("[paths...]", "files or folders (default: where those agents keep their sessions)")
    .option("--session <id>", "only this session and its side chains; the beginning of its id suffices")
    .option(
      "--since <time>",
      "only requests since then: a date, as 2026-06-01, or an age, as 7d or 12h",
      sinceText,
    )
    .option("--html <file>", "write one page with plots to this file, for a browser or for paper")
    .addHelpText(
      "after",
      `${declared.examples(auditExamples)}
It reads and counts. Nothing is sent, and nothing is written but the file of --html.
Exit codes: 0 done, 1 a file that was named is of no known kind, 2 wrong arguments, 130 stopped by Ctrl-C.
`,
    )
    .action(async (paths: readonly string[], options: AuditOptions) => {
      const { auditSessions } = await import("./audit.ts")
      end(await auditSessions(terminal, paths, options, Date.now()))
    })
}

const auditExamples = [
  "holdfast audit",
  "holdfast audit ~/.claude/projects --since 7d",
  "holdfast audit session.jsonl --html audit.html",
  "holdfast audit --session 2a55af89 --json",
]

/** Checked here; what it means depends on when the command runs. */
function sinceText(text: string): string {
  if (sinceTime(text, 0) === null)
    throw new InvalidArgumentError("Write a date, as 2026-06-01, or an age, as 7d, 12h or 2w.")
  return text
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Milliseconds since 1970, or null if it is no time. */
export function sinceTime(text: string, now: number): number | null {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) return now - Number(count) * (unitMs[unit] ?? 0)
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : time
}
