/** What is said of an instruction file that is too long (IN1). */
import { type CutInstruction, cutInstructions, unreachedInstructions } from "@holdfast/sdk"
import { bytes, count } from "./figures.ts"
import type { Terminal } from "./terminal.ts"

/** Of prose; a rough figure is enough for a warning. */
const bytesPerToken = 4

export const cutText = ({ path, bytes: total, bytesSent }: CutInstruction): string =>
  `${path} has ${bytes(total)}: only its first ${bytes(bytesSent)} are sent, with every request, which is about ${count(Math.round(bytesSent / bytesPerToken))} tokens each time.`

export const cutRemedy = "Shorten the file; say there where the rest can be read."

/** Warns of the files that are in force for a directory, and of addresses that do not answer (IN4). */
export async function warnOfInstructions(
  terminal: Terminal,
  directory: string,
  { dataDir }: { readonly dataDir?: string },
): Promise<void> {
  const { environment } = terminal
  const unreached = await unreachedInstructions({ environment, ...(dataDir !== undefined && { dataDir }) })
  for (const { message, known } of unreached)
    terminal.complain(
      `${terminal.paint("yellow", "Warning:")} ${message} ${known ? "The instructions that it gave before hold." : "Its instructions are left out."}`,
    )
  for (const file of await cutInstructions({ directory, environment: terminal.environment }))
    terminal.complain(`${terminal.paint("yellow", "Warning:")} ${cutText(file)} ${cutRemedy}`)
}
