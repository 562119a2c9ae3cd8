/** `holdfast completion`, with its options and its help. */
import { Argument, type Command } from "commander"
import type { End } from "../commands.ts"
import { examples, helpOption } from "../options.ts"
import type { Terminal } from "../terminal.ts"
import type { CompletionShell } from "./completion.ts"

export const completionShells = ["bash", "zsh", "fish"] as const

export function addCompletion(program: Command, terminal: Terminal, end: End): void {
  helpOption(program.command("completion"))
    .description("print a script that completes commands, options and Sessions in your shell")
    .addArgument(new Argument("<shell>", "the shell that you use").choices(completionShells))
    .addHelpText(
      "after",
      examples([
        "holdfast completion bash >> ~/.bashrc",
        'holdfast completion zsh > "${fpath[1]}/_holdfast"',
        "holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
      ]),
    )
    .action(async (shell: CompletionShell) => {
      const { printCompletion } = await import("./completion.ts")
      end(printCompletion(terminal, program, shell))
    })
}
