/** `holdfast completion`: prints the script that makes a shell complete this command line. */
import type { Command } from "commander"
import type { completionShells } from "./commands.ts"
import type { Terminal } from "../terminal.ts"
import { bashScript } from "./bash.ts"
import { fishScript } from "./fish.ts"
import { describeProgram, type ProgramShape } from "./shape.ts"
import { zshScript } from "./zsh.ts"

export type CompletionShell = (typeof completionShells)[number]

const scripts: Record<CompletionShell, (shape: ProgramShape) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

export function printCompletion(terminal: Terminal, program: Command, shell: CompletionShell): number {
  terminal.write(scripts[shell](describeProgram(program)))
  return 0
}
