/**
 * The worker: a process beside the runtime that embeds (SE2). It answers questions at once, and works through the
 * queue of the store where no other worker does (queue.ts). It has a low priority, and it ends with the channel to
 * the runtime, whether that was closed or died.
 */
import { randomBytes } from "node:crypto"
import { constants, setPriority } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { openInlineStore } from "@holdfast/store"
import type { LeaseOwner } from "@holdfast/store/port"
import type { EmbeddingStep } from "@holdfast/store/search/embedding"
import { hostProcessFacts, judgeOwner } from "../host/process-identity.ts"
import { embedderModel, openEmbedders } from "./embedder.ts"
import type { FromWorker, ToWorker } from "./messages.ts"
import { workThrough } from "./queue.ts"
import { vectorsOf } from "./vectors.ts"

/** After a step that failed. */
const troubleMs = 30_000

const tell = (message: FromWorker): void => {
  if (process.connected) process.send?.(message)
}
const run = <A>(effect: Effect.Effect<A, unknown>): Promise<A> => Effect.runPromise(effect)
const textOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).slice(0, 300)

let embedderOf: ReturnType<typeof openEmbedders> = () => null
let due: (() => void) | null = null
let asked = false
let steps = 0
let embeds = false

function receive(message: ToWorker): void {
  if (message.kind === "open") return void open(message)
  if (message.kind === "question") return void answer(message)
  if (message.kind === "beat") return tell({ kind: "beat", steps, embeds })
  asked = true
  due?.()
}

async function answer({ id, model, text }: Extract<ToWorker, { kind: "question" }>): Promise<void> {
  try {
    const [vector = null] = (await (await embedderOf(model))?.embed([text])) ?? []
    tell({ kind: "answer", id, vector })
  } catch (cause) {
    tell({ kind: "answer", id, vector: null, cause: textOf(cause) })
  }
}

async function open({ file, choices }: Extract<ToWorker, { kind: "open" }>): Promise<void> {
  setPriority(constants.priority.PRIORITY_LOW)
  embedderOf = openEmbedders(choices)
  const models = choices.map(embedderModel)
  const store = await run(openInlineStore({ file }))
  const facts = hostProcessFacts()
  const worker = {
    store,
    owner: ownerOf(facts),
    ownerState: (owner: LeaseOwner) => Effect.sync(() => judgeOwner(owner, facts)),
    models,
    embed: (step: EmbeddingStep) => Effect.tryPromise({ try: () => vectorsBy(step), catch: textOf }),
  }
  tell({ kind: "ready" })
  for (;;) {
    asked = false
    try {
      await run(workThrough(worker))
      tell({ kind: "trouble", cause: null })
    } catch (cause) {
      tell({ kind: "trouble", cause: textOf(cause) })
      await pause(troubleMs)
      continue
    }
    tell({ kind: "rests" })
    if (!asked) await new Promise<void>((resolve) => (due = resolve))
  }
}

/** Null where its model is none of this worker's. */
async function vectorsBy(step: EmbeddingStep) {
  steps += 1
  embeds = true
  try {
    const embedder = await embedderOf(step.choice.model)
    return embedder === null ? null : await vectorsOf(step, embedder)
  } finally {
    embeds = false
  }
}

function ownerOf(facts: ReturnType<typeof hostProcessFacts>): LeaseOwner {
  const start = facts.startOf(facts.pid)
  return {
    boot: facts.boot,
    space: facts.space,
    pid: facts.pid,
    start: start.kind === "started" ? start.at : "unknown",
    instance: randomBytes(12).toString("hex"),
  }
}

process.on("disconnect", () => process.exit(0))
process.on("message", receive)
