/**
 * The environment of a terminal, layer by layer (PT1); a later one wins.
 *
 *   inherited   the runtime's own, filtered as for commands
 *   given       values of the caller
 *   overlay     values of whoever hosts the runtime
 *   forced      what the terminal is: `TERM`, and the mark by which its processes are found
 */
import { callMark, groupMark, launcherMark } from "../tools/call-processes.ts"
import { inheritedEnvironment } from "../tools/bash.ts"
import { terminalMark } from "./process-tree.ts"

export type TerminalEnvironment = Readonly<Record<string, string>>

export interface EnvironmentLayers {
  readonly own: Readonly<Record<string, string | undefined>>
  readonly given: TerminalEnvironment
  readonly overlay: TerminalEnvironment
}

/** What the screen of a terminal understands. */
const terminalKind = "xterm-256color"

/** They speak of the terminal that the runtime itself was started in. */
const foreign = ["COLUMNS", "LINES", "TERMCAP", "TMUX", "TMUX_PANE", "STY", "WINDOW", "WINDOWID"]

export function terminalEnvironment(id: string, layers: EnvironmentLayers): Record<string, string> {
  const inherited = inheritedEnvironment(layers.own)
  for (const name of foreign) delete inherited[name]
  const environment = { ...inherited, ...layers.given, ...layers.overlay }
  // A terminal is nobody's call, whatever it was told.
  for (const mark of [callMark, groupMark, launcherMark]) delete environment[mark]
  return { ...environment, TERM: terminalKind, [terminalMark]: id }
}
