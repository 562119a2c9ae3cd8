/**
 * Clients: they carry out the plan and remember what they were promised. A call whose process died
 * is either repeated with the same id or given up; then nothing was promised.
 */
import { Effect } from "effect"
import type { PromptReceipt } from "@holdfast/schema/prompt"
import type { Machine } from "./machine.ts"
import type { Operation, Plan } from "./plan.ts"
import { oneIn, picturesOf } from "./pictures.ts"
import type { World } from "../stage/scheduler.ts"

export interface PromptPromise {
  readonly id: string
  readonly tag: string
  readonly delivery: "steer" | "queue"
  /** Texts that may be in force: more than one after an edit whose answer was lost. */
  texts: string[]
  cancel: "no" | "maybe" | "yes"
  admittedSeq: number
}

export interface ClientRecord {
  readonly promises: Map<string, PromptPromise>
  readonly sessions: Map<string, string>
  /** Tags of Sessions whose interrupt was acknowledged, by whom and when, and that got no new input since (DR3). */
  readonly fenced: Map<string, InterruptFence>
  /** How often somebody began or ended to wake a Session, by tag: an interrupt beside it may come before or after. */
  readonly wakes: Map<string, number>
  readonly problems: string[]
}

interface InterruptFence {
  readonly by: string
  readonly atMs: number
  /** Stored for whoever leads the Session; otherwise only the process that was asked knows. */
  readonly stored: boolean
}

export interface ClientContext {
  readonly world: World
  readonly machine: Machine
  readonly record: ClientRecord
  readonly note: (line: string) => void
  readonly changeContext: () => void
}

/** Where every Session begins. */
export const home = "/sim/project"

const retriesMax = 30

export const runClient = (context: ClientContext, session: Plan["sessions"][number]) =>
  Effect.gen(function* () {
    const id = yield* createSession(context, session.tag, session.policy)
    if (id === null) return
    context.record.sessions.set(session.tag, id)
    for (const step of session.steps) {
      yield* Effect.sleep(step.afterMs)
      context.note(`${session.tag} ${step.operation.kind}`)
      yield* perform(context, session.tag, id, step.operation)
    }
  })

const fillDisk = Effect.fnUntraced(function* (context: ClientContext, forMs: number) {
  context.machine.fillDisk(true)
  yield* Effect.sleep(forMs)
  context.machine.fillDisk(false)
})

/** The store said no, for now; nothing of the call took effect, unless it says that it cannot know. */
const isStoreFailure = (error: { readonly _tag: string }): boolean => error._tag === "StoreFailure"

const createSession = Effect.fnUntraced(function* (
  context: ClientContext,
  tag: string,
  policy: "settle" | "continue",
) {
  for (let attempt = 0; attempt < retriesMax; attempt++) {
    const end = yield* context.machine.call((runtime) =>
      runtime.create({ directory: home, title: tag, policy }),
    )
    if (end.kind === "ok") return end.value.id
    if (end.kind === "failed" && !isStoreFailure(end.error)) {
      context.record.problems.push(`create failed: ${String(end.error)}`)
    }
    yield* Effect.sleep(200)
  }
  return null
})

function perform(
  context: ClientContext,
  tag: string,
  session: string,
  operation: Operation,
): Effect.Effect<void> {
  switch (operation.kind) {
    case "prompt":
      return sendPrompt(context, tag, session, operation)
    case "repeat":
      return repeatPrompt(context, tag, session)
    case "edit":
      return editPrompt(context, tag, session, operation.text)
    case "cancel":
      return cancelPrompt(context, tag, session)
    case "interrupt":
      return interrupt(context, tag, session)
    case "resume":
      context.record.fenced.delete(tag)
      return Effect.andThen(
        takeOut(context, session),
        context.machine.call((runtime) => runtime.resume(session)),
      )
    case "change-context":
      return Effect.sync(context.changeContext)
    case "storm":
      return Effect.forEach(operation.prompts, (prompt) => sendPrompt(context, tag, session, prompt), {
        concurrency: "unbounded",
        discard: true,
      })
    case "step-clocks":
      return Effect.sync(() => context.machine.stepClocks())
    case "fill-disk":
      return fillDisk(context, operation.forMs)
  }
}

/** In every third Session, before it is resumed: the newest message of the user, if nobody is at work. */
const takeOut = Effect.fnUntraced(function* ({ machine, record }: ClientContext, session: string) {
  if (oneIn(session, 3) > 0) return
  const page = { afterSeq: 0, beforeSeq: Number.MAX_SAFE_INTEGER, limit: 1_000 }
  const read = yield* machine.call((runtime) => runtime.messages(session, page))
  const newest = read.kind === "ok" ? read.value.findLast(({ kind }) => kind === "user") : undefined
  if (newest === undefined) return
  const end = yield* machine.call((runtime) => runtime.quarantine(session, newest.id))
  if (end.kind === "failed" && !isStoreFailure(end.error)) {
    record.problems.push(`quarantine failed: ${String(end.error)}`)
  }
})

const sendPrompt = Effect.fnUntraced(function* (
  context: ClientContext,
  tag: string,
  session: string,
  operation: Extract<Operation, { kind: "prompt" }>,
) {
  const { id, text, delivery } = operation
  context.record.fenced.delete(tag)
  for (let attempt = 0; attempt < retriesMax; attempt++) {
    const end = yield* context.machine.call((runtime) =>
      runtime.prompt({ sessionID: session, id, text, delivery, ...picturesOf(id) }),
    )
    if (end.kind === "ok") {
      noteReceipt(context, tag, text, delivery, end.value)
      return
    }
    if (end.kind === "failed" && !isStoreFailure(end.error)) {
      context.record.problems.push(`prompt ${id} failed: ${String(end.error)}`)
      return
    }
    if (context.world.chance(0.2)) return
    yield* Effect.sleep(200)
  }
})

function noteReceipt(
  context: ClientContext,
  tag: string,
  text: string,
  delivery: "steer" | "queue",
  receipt: PromptReceipt,
): void {
  const { promises } = context.record
  context.note(`ack ${receipt.prompt} ${receipt.admittedSeq} ${receipt.state}`)
  promises.set(receipt.prompt, {
    id: receipt.prompt,
    tag,
    delivery,
    texts: [text],
    cancel: "no",
    admittedSeq: receipt.admittedSeq,
  })
}

const latestPromise = (context: ClientContext, tag: string): PromptPromise | undefined =>
  [...context.record.promises.values()].findLast((promise) => promise.tag === tag)

const repeatPrompt = Effect.fnUntraced(function* (context: ClientContext, tag: string, session: string) {
  const promise = latestPromise(context, tag)
  const [text] = promise?.texts ?? []
  if (promise === undefined || text === undefined || promise.texts.length > 1) return
  context.record.fenced.delete(tag)
  const { id, delivery, admittedSeq } = promise
  const end = yield* context.machine.call((runtime) =>
    runtime.prompt({ sessionID: session, id, text, delivery, ...picturesOf(id) }),
  )
  if (end.kind === "failed" && !isStoreFailure(end.error))
    context.record.problems.push(`[PR2] repeat of ${id} was refused: ${String(end.error)}`)
  if (end.kind === "ok" && end.value.admittedSeq !== admittedSeq) {
    context.record.problems.push(`[PR2] repeat of ${id} got another receipt`)
  }
})

const editPrompt = Effect.fnUntraced(function* (
  context: ClientContext,
  tag: string,
  session: string,
  text: string,
) {
  const promise = latestPromise(context, tag)
  if (promise === undefined) return
  // From now on the first text may no longer be repeated under this id.
  promise.texts = [...promise.texts, text]
  const end = yield* context.machine.call((runtime) => runtime.edit(session, promise.id, text))
  if (end.kind === "ok") promise.texts = [text, text]
})

const cancelPrompt = Effect.fnUntraced(function* (context: ClientContext, tag: string, session: string) {
  const promise = latestPromise(context, tag)
  if (promise === undefined || promise.cancel === "yes") return
  promise.cancel = "maybe"
  const end = yield* context.machine.call((runtime) => runtime.cancel(session, promise.id))
  if (end.kind === "ok") promise.cancel = "yes"
  if (end.kind === "failed" && !isStoreFailure(end.error))
    promise.cancel = end.error._tag === "PromptNotPending" && end.error.state === "cancelled" ? "yes" : "no"
})

/** Odd while a wake is under way. */
const wakesOf = ({ record }: ClientContext, tag: string): number => record.wakes.get(tag) ?? 0

const interrupt = Effect.fnUntraced(function* (context: ClientContext, tag: string, session: string) {
  const wakes = wakesOf(context, tag)
  const end = yield* context.machine.call((runtime) => runtime.interrupt(session))
  if (end.kind === "failed" && !isStoreFailure(end.error)) {
    context.record.problems.push(`interrupt failed: ${String(end.error)}`)
  }
  if (end.kind === "ok") {
    context.note(`fence ${tag}`)
    const stored = context.machine.interrupts.get(session) === "interrupted"
    if (wakesOf(context, tag) === wakes && wakes % 2 === 0)
      context.record.fenced.set(tag, { by: end.by.name, atMs: context.world.nowMs, stored })
  }
})
