/** A file of traffic that a person names: one that cannot be read or judged is a wrong argument. */
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import type { Judged } from "@holdfast/sdk/wire-tools"
import { UsageError } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"

/** Larger ones hold no traffic of one conversation. */
const fileBytesMax = 256 * 1024 * 1024

export const readTraffic = async (terminal: Terminal, file: string): Promise<string> =>
  (await readTrafficBytes(terminal, file)).toString("utf8")

export async function readTrafficBytes(terminal: Terminal, file: string): Promise<Buffer> {
  try {
    const bytes = await readFile(resolve(terminal.directory, file))
    if (bytes.length <= fileBytesMax) return bytes
  } catch (caught) {
    // Whatever the system has against the file, another name would mend it.
    throw new UsageError(`${file} cannot be read (${(caught as NodeJS.ErrnoException).code ?? "no code"}).`)
  }
  throw new UsageError(`${file} is larger than ${fileBytesMax} bytes.`)
}

export function exchangesOf<A>(file: string, judged: Judged<A>): readonly A[] {
  if (judged.kind === "judged") return judged.exchanges
  throw new UsageError(`${file}: ${judged.problem}`)
}
