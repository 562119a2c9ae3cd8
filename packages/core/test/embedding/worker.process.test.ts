/** A worker that crashes, hangs or is not there: whoever asks it goes on (FA1). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { embedderModel } from "../../src/embedding/embedder.ts"
import { makeEmbeddingWorker } from "../../src/embedding/process.ts"

const folder = mkdtempSync(join(tmpdir(), "holdfast-worker-"))
afterAll(() => rmSync(folder, { recursive: true }))

function program(name: string, text: string): string {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(file, text)
  return file
}

/** Time that a test turns: what is due by then is run, in order. */
function virtualTimer() {
  let now = 0
  const waiting = new Set<{ readonly at: number; readonly run: () => void }>()
  return {
    now: () => now,
    later: (delayMs: number, run: () => void) => {
      const entry = { at: now + delayMs, run }
      waiting.add(entry)
      return () => void waiting.delete(entry)
    },
    turn: (byMs: number): void => {
      const until = now + byMs
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)
        if (next === undefined) break
        waiting.delete(next)
        now = next.at
        next.run()
      }
      now = until
    },
  }
}

/** What a worker is told to tell, and a wait for the first of it that holds a text. */
function ear() {
  const heard: (string | null)[] = []
  let look = (): void => {}
  return {
    heard,
    onTrouble: (cause: string | null) => {
      heard.push(cause)
      look()
    },
    hears: (text: string) =>
      new Promise<void>((resolve) => {
        look = () => heard.some((cause) => cause?.includes(text)) && resolve()
        look()
      }),
  }
}

const options = (entry: string) => {
  const timer = virtualTimer()
  const { heard, onTrouble, hears } = ear()
  return { timer, heard, hears, given: { file: "", choices: [choice], onTrouble, entry, timer } }
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
  expect(await worker.question(embedderModel(choice), "hello", 20_000)).toEqual(Float32Array.of(1))
  worker.stop()
  expect(await worker.question(embedderModel(choice), "hello", 20_000)).toBe(null)
})

test("[FA1] one that crashes is told with its cause, and is not started in a loop", async () => {
  const troubles: (string | null)[] = []
  const timer = virtualTimer()
  const entry = program("crashes", `console.error("no such model"); process.exit(1)`)
  const worker = makeEmbeddingWorker({
    file: "",
    choices: [choice],
    onTrouble: (cause) => troubles.push(cause),
    entry,
    timer,
  })
  expect(await worker.question(embedderModel(choice), "hello", 20_000)).toBe(null)
  expect(await worker.question(embedderModel(choice), "hello", 20_000)).toBe(null)
  expect(troubles).toEqual(["no such model"])
  timer.turn(5_000)
  expect(await worker.question(embedderModel(choice), "hello", 20_000)).toBe(null)
  timer.turn(5_000)
  expect(await worker.question(embedderModel(choice), "hello", 20_000)).toBe(null)
  expect(troubles).toEqual([
    "no such model",
    "no such model It ended 2 times in a row; the next is started in 10 s at the earliest.",
  ])
  worker.stop()
})

test("[FA1] one that worked before it ended is started anew after the shortest pause", async () => {
  const entry = program(
    "works-and-ends",
    `process.on("message", ({ kind }) => kind === "due" && process.send({ kind: "trouble", cause: null }, () => process.exit(1)))`,
  )
  const { timer, heard, given } = options(entry)
  const ends = () => heard.filter((cause) => cause !== null).length
  let look = (): void => {}
  const onTrouble = (cause: string | null) => {
    given.onTrouble(cause)
    look()
  }
  const endedTimes = (times: number) =>
    new Promise<void>((resolve) => {
      look = () => ends() >= times && resolve()
      look()
    })
  const worker = makeEmbeddingWorker({ ...given, onTrouble })
  worker.due()
  for (const times of [1, 2, 3]) {
    await endedTimes(times)
    timer.turn(5_000)
  }
  expect(heard.slice(0, 6)).toEqual([1, 2, 3].flatMap(() => [null, "The process that embeds ended."]))
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
    Array.from({ length: 5 }, () => worker.question(embedderModel(choice), "hello", 10)),
  )
  expect(answers).toEqual([null, null, null, null, null])
  expect(await trouble).toContain("does not answer")
  worker.stop()
})

test("[FA1] one that is wedged while nobody asks it is told, ended, and started anew for what waits in the queue", async () => {
  const entry = program(
    "wedges",
    `process.on("message", ({ kind }) => { if (kind === "due") { process.send({ kind: "trouble", cause: "began " + process.pid }, () => { for (;;); }) } })`,
  )
  const { timer, heard, hears, given } = options(entry)
  const worker = makeEmbeddingWorker({ ...given, usedBy: () => 7 })
  worker.due()
  await hears("began")
  timer.turn(15_999)
  expect(heard).toHaveLength(1)
  const rested = worker.rests()
  timer.turn(1)
  expect(heard.at(-1)).toBe("The process that embeds does not answer; it was ended.")
  await rested
  const [first] = heard
  heard.length = 0
  timer.turn(4_999)
  expect(heard).toEqual([])
  timer.turn(1)
  await hears("began")
  expect(heard).not.toContain(first)
  worker.stop()
})

test("[FA1] one that is silent because others have the processor lives longer, as it uses some of it", async () => {
  const entry = program(
    "starves",
    `process.on("message", ({ kind }) => { if (kind === "due") { process.send({ kind: "trouble", cause: "began" }, () => { for (;;); }) } })`,
  )
  const { timer, heard, hears, given } = options(entry)
  let used = 0
  const worker = makeEmbeddingWorker({ ...given, usedBy: () => ++used })
  worker.due()
  await hears("began")
  timer.turn(63_999)
  expect(heard).toHaveLength(1)
  timer.turn(1)
  expect(heard.at(-1)).toBe("The process that embeds does not answer; it was ended.")
  worker.stop()
})

test("[FA1] one that answers its beats lives, and one that stays at a step is ended", async () => {
  const entry = program(
    "beats",
    `let n = 0
process.on("disconnect", () => process.exit())
process.on("message", ({ kind }) => {
  if (kind !== "beat") return
  process.send({ kind: "beat", steps: Math.min(++n, 40), embeds: true })
  process.send({ kind: "trouble", cause: "beat " + n + "." })
})`,
  )
  const { timer, heard, hears, given } = options(entry)
  const worker = makeEmbeddingWorker(given)
  worker.due()
  for (let n = 1; n <= 116; n++) {
    timer.turn(4_000)
    await hears(`beat ${n}.`)
  }
  expect(heard).toHaveLength(116)
  timer.turn(4_000)
  expect(heard.at(-1)).toContain("comes no further")
  worker.stop()
})

test("[FA1] one that has nothing to do stays at its step and lives", async () => {
  const entry = program(
    "rests",
    `let n = 0
process.on("disconnect", () => process.exit())
process.on("message", ({ kind }) => {
  if (kind !== "beat") return
  process.send({ kind: "beat", steps: 3, embeds: false })
  process.send({ kind: "trouble", cause: "beat " + ++n + "." })
})`,
  )
  const { timer, heard, hears, given } = options(entry)
  const worker = makeEmbeddingWorker(given)
  worker.due()
  for (let n = 1; n <= 80; n++) {
    timer.turn(4_000)
    await hears(`beat ${n}.`)
  }
  expect(heard).toHaveLength(80)
  worker.stop()
})

test("[FA1] one that crashes at what waits in the queue is started at longer and longer intervals, and that is named", async () => {
  const { timer, heard, hears, given } = options(
    program("loops", `console.error("a bad row"); process.exit(1)`),
  )
  const worker = makeEmbeddingWorker(given)
  worker.due()
  await hears("a bad row")
  for (const [n, pauseMs] of [5_000, 10_000, 20_000].entries()) {
    timer.turn(pauseMs - 1)
    expect(heard).toHaveLength(n + 1)
    timer.turn(1)
    await hears(`It ended ${n + 2} times in a row; the next is started in ${pauseMs / 500} s`)
  }
  worker.stop()
  timer.turn(1_000_000)
  expect(heard).toHaveLength(4)
})

test("[FA1] what is due while it must not be started yet is done when it may", async () => {
  const { timer, heard, hears, given } = options(
    program(
      "recovers",
      `process.on("disconnect", () => process.exit())
process.on("message", ({ kind }) => {
  if (kind === "question") process.exit(1)
  if (kind === "due") { process.send({ kind: "trouble", cause: null }); process.send({ kind: "trouble", cause: "began" }) }
})`,
    ),
  )
  const worker = makeEmbeddingWorker(given)
  expect(await worker.question(embedderModel(choice), "hello", 20_000)).toBe(null)
  expect(heard).toEqual(["The process that embeds ended."])
  worker.due()
  timer.turn(5_000)
  await hears("began")
  worker.stop()
})
