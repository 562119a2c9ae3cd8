/** Entry of the writer thread. A thread does not inherit the compile cache of its process, so it is told of it. */
import { enableCompileCache } from "node:module"
import { workerData } from "node:worker_threads"

if (workerData.compileCache !== null) enableCompileCache(workerData.compileCache)
const { portOf, runWriter } = await import("./writer.ts")

runWriter(portOf(workerData.port))
