/**
 * Loaded into the server before its program: it ends with the tour. The tour holds the other end of
 * its standard input, which closes however the tour ends; the server then dies as hard as the tour.
 */
import { isMainThread } from "node:worker_threads"

// Threads of the server load it too; they end with it.
if (isMainThread) {
  process.stdin.once("close", () => process.kill(process.pid, "SIGKILL"))
  process.stdin.resume()
  process.stdin.unref()
}
