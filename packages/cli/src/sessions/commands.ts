/** Commands that change what models read of a Session: `quarantine` and `fold`. */
import type { Command } from "commander"
import type { End } from "../commands.ts"
import type { SharedOptions } from "../opened.ts"
import type { DeclaredOptions } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { QuarantineOptions } from "./quarantine.ts"

type Declared = Pick<DeclaredOptions, "shared" | "session" | "examples">

export function addQuarantine(program: Command, terminal: Terminal, end: End, declared: Declared): void {
  declared
    .shared(program.command("quarantine"))
    .description("take a message that providers refuse out of what models read; it stays stored")
    .addArgument(declared.session())
    .argument("[message]", "the id of the message, as the failure of a turn names it: msg_…")
    .option("--find", "find the message by sending requests without some of them; asks first")
    .option("--yes", "with --find: send the requests and take the message out without asking")
    .addHelpText(
      "after",
      `${declared.examples(["holdfast quarantine ses_… msg_…", "holdfast quarantine ses_… --find", "holdfast quarantine ses_… msg_… --json"])}
It cannot be undone. With --json the message is printed.
--find looks by halves among what was added since the last request that the provider took. Its requests
may cost money: their number and price are told first, and where nobody can be asked --yes is needed.
Exit codes: 0 taken out, 1 not confirmed, not found or failed, 2 there is no such message, or --yes is missing.
`,
    )
    .action(async (session: string, message: string | undefined, options: QuarantineOptions) => {
      const { quarantine } = await import("./quarantine.ts")
      end(await quarantine(terminal, session, message ?? null, options))
    })
}

export function addFold(program: Command, terminal: Terminal, end: End, declared: Declared): void {
  declared
    .shared(program.command("fold"))
    .description("shorten what models read of a Session from its next request on; all of it stays stored")
    .addArgument(declared.session())
    .addHelpText(
      "after",
      `${declared.examples(["holdfast fold ses_…", "holdfast fold ses_… --json"])}
At least half of the request goes, the oldest messages first, and never the newest prompt. It is the way
out where a provider refuses a long conversation. With --json the next request is printed as it is planned.
Exit codes: 0 asked for, 1 failed, 2 there is no such Session.
`,
    )
    .action(async (session: string, options: SharedOptions) => {
      const { foldSession } = await import("./fold.ts")
      end(await foldSession(terminal, session, options))
    })
}
