/** What is said of an instruction file that is too long (IN1). */
import { type CutInstruction, cutInstructions } from "@holdfast/sdk"
import { bytes, count } from "./figures.ts"
import type { Terminal } from "./terminal.ts"

/** Of prose; a rough figure is enough for a warning. */
const bytesPerToken = 4

export const cutText = ({ path, bytes: total, bytesSent }: CutInstruction): string =>
  `${path} has ${bytes(total)}: only its first ${bytes(bytesSent)} are sent, with every request, which is about ${count(Math.round(bytesSent / bytesPerToken))} tokens each time.`

export const cutRemedy = "Shorten the file; say there where the rest can be read."

/** Warns of the files that are in force for a directory. */
export async function warnOfCutInstructions(terminal: Terminal, directory: string): Promise<void> {
  for (const file of await cutInstructions({ directory, environment: terminal.environment }))
    terminal.complain(`${terminal.paint("yellow", "Warning:")} ${cutText(file)} ${cutRemedy}`)
}
