/** The program behind `bin/holdfast.js`: it starts when it is imported. */
import { runHoldfast } from "./program.ts"
import { processTerminal } from "./terminal.ts"

process.exitCode = await runHoldfast(process.argv.slice(2), processTerminal())
