/** Admits prompts without end and prints each once its receipt is there. Killed by kill.process.test.ts. */
import { writeSync } from "node:fs"
import { Effect } from "effect"
import { openThreadStore } from "../src/thread-store.ts"
import { admit, create, promptId } from "./records.ts"

const store = await Effect.runPromise(openThreadStore({ file: process.argv[2] ?? "" }))
await Effect.runPromise(store.commit(create(1)))

/** A full pipe takes nothing until its reader has read. */
function print(line: string): void {
  for (let rest = Buffer.from(line); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest))
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EAGAIN") throw cause
    }
  }
}

const promptsMax = 1_000_000
let next = 0
const caller = async () => {
  while (next < promptsMax) {
    const n = next++
    await Effect.runPromise(store.commit(admit(1, n)))
    print(`${promptId(n)}\n`)
  }
}
await Promise.all([caller(), caller(), caller(), caller()])
