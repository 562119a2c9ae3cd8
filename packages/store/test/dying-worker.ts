/** A writer thread that dies after its second transaction is on disk and before it says so. */
import { workerData } from "node:worker_threads"
import { portOf, runWriter } from "../src/thread/writer.ts"

const port = portOf(workerData.port)
let transactions = 0

runWriter({
  ...port,
  post: (message) => {
    if (message.kind === "committed" && ++transactions === 2) process.exit(3)
    port.post(message)
  },
})
