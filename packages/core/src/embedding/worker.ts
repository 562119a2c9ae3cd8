/**
 * The worker: a process beside the runtime that embeds (SE2). It answers questions at once, and works through the
 * queue of the store where no other worker does: one of them holds the lease. It has a low priority,
 * and it ends with the channel to the runtime, whether that was closed or died.
 */
import { randomBytes } from "node:crypto"
import { constants, setPriority } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { openInlineStore, type Store } from "@holdfast/store"
import type { AcquireNamed } from "@holdfast/store/lease/named"
import type { LeaseOwner, NamedLease, OutcomeOf } from "@holdfast/store/port"
import { hostProcessFacts, judgeOwner } from "../host/process-identity.ts"
import { modelOf, openEmbedders } from "./embedder.ts"
import type { FromWorker, ToWorker } from "./messages.ts"
import { vectorsOf } from "./vectors.ts"

const leaseName = "embed"
/** A holder whose beat stands still for so long is dead; each step of the queue renews it. */
const leaseMs = 60_000
const watchMs = 2_000
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

function receive(message: ToWorker): void {
  if (message.kind === "open") return void open(message)
  if (message.kind === "question") return void answer(message)
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
  const models = choices.map(modelOf)
  const store = await run(openInlineStore({ file }))
  tell({ kind: "ready" })
  for (;;) {
    asked = false
    try {
      await workThrough(store, models)
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

/** Until the queue is empty, or somebody else has it. */
async function workThrough(store: Store, models: readonly string[]): Promise<void> {
  const lease = await acquire(store, models)
  if (lease === null) return
  const held = { name: lease.name, token: lease.token }
  try {
    for (
      let step = await run(store.embeddingStep(models));
      step !== null;
      step = await run(store.embeddingStep(models))
    ) {
      const embedder = await embedderOf(step.choice.model)
      if (embedder === null) return
      const vectors = await vectorsOf(step, embedder)
      await run(store.commit({ kind: "renew-named", ...held }))
      const written = await run(store.commit({ kind: "write-vectors", ...held, step, vectors }))
      if (written.kind === "lost" && (await run(store.namedLease(lease.name)))?.token !== lease.token) return
    }
  } finally {
    await run(store.commit({ kind: "release-named", ...held }))
  }
}

/** A beat, and when it was seen first. */
interface Seen {
  readonly beat: number
  readonly token: number
  readonly at: number
}

async function acquire(store: Store, models: readonly string[]): Promise<NamedLease | null> {
  const facts = hostProcessFacts()
  const start = facts.startOf(facts.pid)
  const owner: LeaseOwner = {
    boot: facts.boot,
    space: facts.space,
    pid: facts.pid,
    start: start.kind === "started" ? start.at : "unknown",
    instance: randomBytes(12).toString("hex"),
  }
  let seen: Seen | null = null
  let dead: { readonly token: number; readonly beat: number } | null = null
  for (;;) {
    if ((await run(store.embeddingStep(models))) === null) return null
    const outcome: OutcomeOf<AcquireNamed> = await run(
      store.commit({ kind: "acquire-named", name: leaseName, owner, dead }),
    )
    if (outcome.kind === "granted") return outcome.lease
    const { token, beat, owner: other }: NamedLease = outcome.lease
    const now = performance.now()
    const known: Seen = seen?.token === token && seen.beat === beat ? seen : { token, beat, at: now }
    seen = known
    dead = judgeOwner(other, facts) === "gone" || now - known.at >= leaseMs ? { token, beat } : null
    if (dead === null) await pause(watchMs)
  }
}

process.on("disconnect", () => process.exit(0))
process.on("message", receive)
