/** The commands that list and answer what Sessions ask. */
import { Argument, type Command, Option } from "commander"
import type { End } from "../commands.ts"
import type { SharedOptions } from "../opened.ts"
import { examples, ruleList, sharedOptions } from "../options.ts"
import { exitCodeList } from "../outcome/exit-code.ts"
import type { Terminal } from "../terminal.ts"
import type { AnswerOptions, Decision } from "./answer.ts"

export function addAsks(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("asks"))
    .description("list what Sessions wait for somebody to allow or to answer, oldest first")
    .addArgument(new Argument("[session]", "only those of this Session, by its id or its beginning"))
    .addHelpText(
      "after",
      `${examples(["holdfast asks", "holdfast asks ses_… --json"])}
Exit codes: 0 listed, 1 failed, 2 there is no such Session.
`,
    )
    .action(async (session: string | undefined, options: SharedOptions) => {
      const { listAsks } = await import("./asks.ts")
      end(await listAsks(terminal, session, options))
    })
}

export function addAnswer(program: Command, terminal: Terminal, end: End): void {
  sharedOptions(program.command("answer"))
    .description("allow or decline what a Session asks for, or answer its question; then the work goes on")
    .addArgument(new Argument("<ask>", "the id of the ask, or its beginning, as holdfast asks shows it"))
    .addArgument(
      new Argument(
        "<decision>",
        "allow it, decline it with a correction, or say the answer to a question",
      ).choices(["allow", "decline", "say"]),
    )
    .addArgument(new Argument("[text]", "the correction, or the answer; - reads it from standard input"))
    .addOption(
      new Option(
        "--for <scope>",
        "how long it is allowed: this once, for the Session, or always in the project (default: once)",
      ).choices(["once", "session", "project"]),
    )
    .option(
      "--rule <rule>",
      "with --for: allow what this rule covers, not only what was asked; may be given several times",
      ruleList,
    )
    .addHelpText(
      "after",
      `${examples(["holdfast answer ask_… allow", "holdfast answer ask_… allow --for session --rule 'write(src/**)'", 'holdfast answer ask_… decline "Use a branch."', 'holdfast answer ask_… say "The second one."'])}
With a server the work goes on there: exit code 0. Without one this command does it, and ends as a run does.
Exit codes: ${exitCodeList}.
`,
    )
    .action(async (ask: string, decision: Decision, text: string | undefined, options: AnswerOptions) => {
      const { answerAsk } = await import("./answer.ts")
      end(await answerAsk(terminal, ask, decision, text, options))
    })
}
