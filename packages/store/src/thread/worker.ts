/** Entry of the writer thread. */
import { workerData } from "node:worker_threads"
import { portOf, runWriter } from "./writer.ts"

runWriter(portOf(workerData.port))
