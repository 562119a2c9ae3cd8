/**
 * Search in a store of many messages: by words, and by meaning too, the question's vector included, which the worker makes
 * in its own process as it does for a runtime. Vectors of the messages are made up: how near they are costs nothing, how
 * many there are does. `index-turn` is what a turn's commit pays for its two texts.
 *
 * To write a million messages takes a quarter of an hour: `HOLDFAST_SAID_FOLDER` names a folder that keeps the stores.
 */
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { embedderModel } from "@holdfast/core/embedding/embedder"
import { type EmbeddingWorker, makeEmbeddingWorker } from "@holdfast/core/embedding/process"
import { makeSearch, type Search } from "@holdfast/core/search/search"
import type { Event } from "@holdfast/schema/event"
import { openInlineStore, type Store } from "@holdfast/store"
import { busyMsDefault, openWriter } from "@holdfast/store/sqlite/connection"
import { indexUnits } from "@holdfast/store/sqlite/search/index-units"
import type { Readings } from "../report.ts"
import { saidQuestions, saidRoot, writeSaid } from "../said.ts"
import { type Amount, lowest, msOf, nowNs, percentile, samplesOf } from "../sample.ts"

const choice = { kind: "local" } as const
const model = embedderModel(choice)
const dimension = 512
/** The bundle lies elsewhere, but starts in the repository. */
const workerEntry = join(process.cwd(), "packages/core/src/embedding/worker.ts")
const answerMsMax = 60_000
/** Made-up vectors are unlike every question; all that are nearest count, as they would in the worst case. */
const leastLikeness = -1

export const measureSaid = (amount: Amount): Promise<Readings> => measure(amount, 100_000, "index-turn")

export const measureSaidMillion = (amount: Amount): Promise<Readings> =>
  measure(amount, 1_000_000, "index-turn-1000000")

async function measure(amount: Amount, messages: number, turnRow: string): Promise<Readings> {
  const kept = process.env["HOLDFAST_SAID_FOLDER"]
  const folder = kept ?? mkdtempSync(join(tmpdir(), "holdfast-said-"))
  const file = join(folder, `said-${messages}.db`)
  const isWritten = existsSync(file)
  try {
    const store = await Effect.runPromise(openInlineStore({ file }))
    if (!isWritten) {
      await writeSaid(store, messages)
      await writeVectors(store)
    }
    const questions = saidQuestions(samplesOf(amount, 200))
    const byWords = await p95(amount, questions, makeSearch(store))
    while (await Effect.runPromise(store.loadVectors(model)));
    const worker = makeEmbeddingWorker({ file, choices: [choice], entry: workerEntry, onTrouble: () => {} })
    await worker.question(model, "The model is loaded by the first.", answerMsMax)
    const byMeaning = await p95(amount, questions, makeSearch(store, meaningBy(worker)))
    worker.stop()
    await Effect.runPromise(store.close())
    const samples = questions.length
    const { rounds } = amount
    return {
      [`search-lexical-${messages}`]: { ...byWords, samples, rounds },
      [`search-fused-${messages}`]: { ...byMeaning, samples, rounds },
      [turnRow]: { value: indexTurn(file, amount), samples, rounds },
      ...(messages === 1_000_000 && {
        "store-1000000": { value: statSync(file).size / 1e6, samples: 1, rounds: 1, note: sizesOf(file) },
      }),
    }
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true })
  }
}

/** What of the store the two indexes take. */
function sizesOf(file: string): string {
  const connection = openWriter(file, { busyMs: busyMsDefault })
  const megabytes = (sql: string): string =>
    ((connection.get<{ bytes: number }>(sql)?.bytes ?? 0) / 1e6).toFixed(0)
  const words = megabytes("SELECT sum(length(block)) AS bytes FROM word_data")
  const vectors = megabytes("SELECT sum(2 * length(bits) + length(data)) AS bytes FROM vector")
  connection.close()
  return `words ${words} MB, vectors ${vectors} MB`
}

/** The best round; its note tells what a question takes of the processor, whoever else is at work. */
async function p95(amount: Amount, questions: readonly string[], search: Search) {
  const rounds: { readonly wall: number; readonly cpu: number }[] = []
  for (let round = 0; round < amount.rounds; round++) {
    const walls: number[] = []
    const cpus: number[] = []
    for (const text of questions) {
      const began = nowNs()
      const used = process.cpuUsage()
      await Effect.runPromise(search({ text, projectRoot: saidRoot }))
      walls.push(msOf(nowNs() - began))
      const { user, system } = process.cpuUsage(used)
      cpus.push((user + system) / 1_000)
    }
    rounds.push({ wall: percentile(walls, 0.95), cpu: percentile(cpus, 0.95) })
  }
  const cpu = lowest(rounds.map((round) => round.cpu))
  return { value: lowest(rounds.map(({ wall }) => wall)), note: `${cpu.toFixed(1)} ms of CPU` }
}

const meaningBy = (worker: EmbeddingWorker) => (text: string) =>
  Effect.sync(() => {
    const asked = worker.question(model, text, answerMsMax)
    return Effect.promise(() => asked).pipe(
      Effect.map((vector) => vector && { model, vector, floor: leastLikeness }),
    )
  })

async function writeVectors(store: Store): Promise<void> {
  const owner = { boot: "bench", space: "bench", pid: 1, start: "0", instance: "bench" }
  const run = <A>(effect: Effect.Effect<A, unknown>) => Effect.runPromise(effect)
  const held = await run(store.commit({ kind: "acquire-named", name: "embed", owner, dead: null }))
  if (held.kind !== "granted") throw new Error("A fresh store is held.")
  const { name, token } = held.lease
  await run(store.commit({ kind: "ask-embedding", of: { projectRoot: null }, model, chunkCharacters: 1_000 }))
  let state = 1
  const number = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648 - 0.5
  }
  for (
    let step = await run(store.embeddingStep([model]));
    step !== null;
    step = await run(store.embeddingStep([model]))
  ) {
    const vectors = step.units.map(({ unit }) => ({
      unit,
      chunk: 0,
      vector: Float32Array.from({ length: dimension }, number),
    }))
    await run(store.commit({ kind: "write-vectors", name, token, step, vectors }))
  }
}

/** Of a prompt's and an answer's text, in a transaction that is taken back. */
function indexTurn(file: string, amount: Amount): number {
  const connection = openWriter(file, { busyMs: busyMsDefault })
  const texts = saidQuestions(400).map((text) => `${text} ${text} ${text} ${text} ${text}`)
  const rounds: number[] = []
  for (let round = 0; round < amount.rounds; round++) {
    connection.exec("BEGIN IMMEDIATE")
    const began = nowNs()
    for (const [at, text] of texts.entries()) {
      const part = { type: "text", text } as const
      const fact = { type: "part.recorded", turn: "trn_bench", index: 0, part } as unknown as Event["fact"]
      indexUnits(connection, 1, { seq: 10_000_000 + at, time: 0, fact })
    }
    rounds.push((2 * msOf(nowNs() - began)) / texts.length)
    connection.exec("ROLLBACK")
  }
  connection.close()
  return lowest(rounds)
}
