/** Admits prompts without end and prints each once its receipt is there. Killed by kill.process.test.ts. */
import { writeSync } from "node:fs"
import { Effect } from "effect"
import { openThreadStore } from "../src/thread-store.ts"
import { admit, create, promptId } from "./records.ts"

const store = await Effect.runPromise(openThreadStore({ file: process.argv[2] ?? "" }))
await Effect.runPromise(store.commit(create(1)))

const promptsMax = 1_000_000
let next = 0
const caller = async () => {
  while (next < promptsMax) {
    const n = next++
    await Effect.runPromise(store.commit(admit(1, n)))
    writeSync(1, `${promptId(n)}\n`)
  }
}
await Promise.all([caller(), caller(), caller(), caller()])
