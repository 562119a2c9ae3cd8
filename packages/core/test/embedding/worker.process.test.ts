/** A worker that crashes, hangs or is not there: whoever asks it goes on (FA1). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { modelOf } from "../../src/embedding/embedder.ts"
import { makeEmbeddingWorker } from "../../src/embedding/process.ts"

const folder = mkdtempSync(join(tmpdir(), "holdfast-worker-"))
afterAll(() => rmSync(folder, { recursive: true }))

function program(name: string, text: string): string {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, text)
  return file
}

const choice = { kind: "local" } as const
const answering = `process.on("disconnect", () => process.exit())
process.on("message", ({ kind, id }) => kind === "question" && process.send({ kind: "answer", id, vector: Float32Array.of(1) }))`

test("[SE2] a question is answered by the process beside", async () => {
  const worker = makeEmbeddingWorker({
    file: "",
    choices: [choice],
    onTrouble: () => {},
    entry: program("answers", answering),
  })
  expect(await worker.question(modelOf(choice), "hello", 20_000)).toEqual(Float32Array.of(1))
  worker.stop()
  expect(await worker.question(modelOf(choice), "hello", 20_000)).toBe(null)
})

test("[FA1] one that crashes is told with its cause, and is not started in a loop", async () => {
  const troubles: (string | null)[] = []
  let now = 0
  const entry = program("crashes", `console.error("no such model"); process.exit(1)`)
  const worker = makeEmbeddingWorker({
    file: "",
    choices: [choice],
    onTrouble: (cause) => troubles.push(cause),
    entry,
    now: () => now,
  })
  expect(await worker.question(modelOf(choice), "hello", 20_000)).toBe(null)
  expect(await worker.question(modelOf(choice), "hello", 20_000)).toBe(null)
  expect(troubles).toEqual(["no such model"])
  now = 5_000
  expect(await worker.question(modelOf(choice), "hello", 20_000)).toBe(null)
  now = 10_000
  expect(await worker.question(modelOf(choice), "hello", 20_000)).toBe(null)
  expect(troubles).toHaveLength(2)
  worker.stop()
})

test("[FA1] one that hangs costs a question its time limit, and is ended after a few", async () => {
  let told: (cause: string | null) => void = () => {}
  const trouble = new Promise<string | null>((resolve) => (told = resolve))
  const entry = program("hangs", `process.on("disconnect", () => process.exit()); for (;;);`)
  const worker = makeEmbeddingWorker({
    file: "",
    choices: [choice],
    onTrouble: (cause) => told(cause),
    entry,
  })
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => worker.question(modelOf(choice), "hello", 10)),
  )
  expect(answers).toEqual([null, null, null, null, null])
  expect(await trouble).toContain("does not answer")
  worker.stop()
})
