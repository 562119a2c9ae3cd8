/** Starts the server as the launcher starts the command: with the compile cache, then the program. */
import { enableCompileCache } from "node:module"

enableCompileCache()
const { serve } = await import("../served.ts")
await serve(process.argv[2] ?? process.cwd())
