/** MM1: a directory that may be a copy asks whose memory it has, wherever somebody looks; nothing waits for the answer. */
import type { HoldfastClient, ProjectInfo } from "@holdfast/sdk"
import { type OptionsInForce, pasteable } from "../hint.ts"
import { printable, type Terminal } from "../terminal.ts"

export function tellOfCopy(terminal: Terminal, { copyOf, root }: ProjectInfo, options: OptionsInForce): void {
  if (copyOf.length === 0) return
  const others = copyOf.map(printable).join(", ")
  const asked = `${printable(root)} may be a copy of ${others}, or what became of it. To share that memory: holdfast memory adopt; to keep its own: holdfast memory separate`
  terminal.complain(pasteable(asked, options))
}

/** Once for each Session that is begun there, behind its first answer. */
export async function askOfCopy(
  terminal: Terminal,
  { memories }: HoldfastClient,
  directory: string,
  options: OptionsInForce,
): Promise<void> {
  // The answer was given already; whatever fails here is told by the next command that needs it.
  const project = await memories.project({ directory }).catch(() => null)
  if (project !== null) tellOfCopy(terminal, project, options)
}
