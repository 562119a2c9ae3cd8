/** What is said of an instruction file that is not sent whole (IN1). */
import {
  type CutInstruction,
  cutInstructions,
  type IrregularInstruction,
  unreachedInstructions,
} from "@holdfast/sdk"
import { bytes, count } from "./figures.ts"
import type { Terminal } from "./terminal.ts"

/** Of prose; a rough figure is enough for a warning. */
const bytesPerToken = 4

type InstructionWarning = readonly [
  code: "instructions_cut" | "instructions_irregular",
  text: string,
  remedy: string,
]

export function instructionWarning(file: CutInstruction | IrregularInstruction): InstructionWarning {
  const { path } = file
  if ("irregular" in file) {
    const text = `${path} is no file, so no instructions are read from it.`
    return ["instructions_irregular", text, "Write a file in its place, or remove it."]
  }
  const sent = bytes(file.bytesSent)
  const tokens = count(Math.round(file.bytesSent / bytesPerToken))
  return [
    "instructions_cut",
    `${path} has ${bytes(file.bytes)}: only its first ${sent} are sent, with every request, which is about ${tokens} tokens each time.`,
    "Shorten the file; say there where the rest can be read.",
  ]
}

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
  for (const file of await cutInstructions({ directory, environment: terminal.environment })) {
    const [, text, remedy] = instructionWarning(file)
    terminal.complain(`${terminal.paint("yellow", "Warning:")} ${text} ${remedy}`)
  }
}
