/**
 * What begins before the code of a command is loaded: the thread that writes, unless a server may do
 * the work. Where the record of a server is there, that is looked into later; the thread can wait.
 */
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { beginWriterAhead, dataDirectory } from "@holdfast/sdk/embedded/ahead"
import type { SharedOptions } from "./opened.ts"
import { recordFile } from "./server/record-file.ts"
import type { Terminal } from "./terminal.ts"

export function beginAhead({ environment }: Terminal, { dataDir, server }: SharedOptions): void {
  const data = dataDir ?? dataDirectory(environment, homedir())
  if (server === false || !existsSync(recordFile(data))) beginWriterAhead()
}
