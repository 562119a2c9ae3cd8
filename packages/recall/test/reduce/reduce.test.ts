/** What a break takes out of the tail: golden tables of drops, strips, heuristics and the emergency. */
import { expect, test } from "vitest"
import { reduce } from "@holdfast/recall"
import type { PassOp, SignalRaised } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import { assistant, call, image, reads, reasoning, text, user } from "../history.ts"
import { asking, calls, drop, dropped, history, stripped, unitOf, viewOf, withImage } from "./units.ts"

const last = (count: number) => 2 * count + 1

test("[TG1 PS4] drops what is queued, keeps the newest 20 tags, and leaves their signal waiting", () => {
  const view = viewOf(history(30)) // tags 1, 3 … 61; the newest 20 begin at 23
  const signals = [drop(1, 1, 5), drop(2, 21), drop(3, 7, 23), drop(4, 61), drop(5, 999)]
  for (const cause of ["refresh", "execute", "flush", "forced", "fold"] as const) {
    const { ops, consumes } = reduce(asking(view, { signals, cause }))
    expect(dropped(ops)).toEqual(["1 nothing", "5 skeleton", "7 skeleton", "21 skeleton"])
    expect(consumes).toEqual(["sig_1", "sig_2", "sig_5"])
  }
})

test("[TG1] a drop that was deferred goes once its tag is old, and is not made twice", () => {
  const signals = [drop(3, 7, 23)]
  const before = reduce(asking(viewOf(history(30)), { signals }))
  const view = viewOf(history(31), before.ops)
  const after = reduce(asking(view, { signals }))
  expect(dropped(after.ops)).toEqual(["23 skeleton"])
  expect(after.consumes).toEqual(["sig_3"])
  expect(reduce(asking(viewOf(history(31), [...before.ops, ...after.ops]), { signals })).ops).toEqual([])
})

test("[TG1] with no more tags than are protected nothing goes on any path", () => {
  const view = viewOf(history(19, () => ({ input: {}, tokens: 9_000 })))
  const signals = [drop(1, ...Array.from({ length: 20 }, (_, at) => 2 * at + 1))]
  const question = asking(view, { signals, cause: "forced", usage: 0.99, inputTokens: 180_000 })
  expect(reduce({ ...question, executedSeq: 9_999 })).toEqual({ ops: [], consumes: [] })
})

test("[TG2] of the dropped calls the newest 20 keep a skeleton, and none of them changes later", () => {
  const tags = Array.from({ length: 25 }, (_, at) => 2 * at + 3)
  const first = reduce(asking(viewOf(history(60)), { signals: [drop(1, ...tags)] }))
  expect(dropped(first.ops)).toEqual(tags.map((tag, at) => `${tag} ${at < 5 ? "nothing" : "skeleton"}`))
  const later = reduce(asking(viewOf(history(60), first.ops), { signals: [drop(2, 53, 55)] }))
  expect(dropped(later.ops)).toEqual(["53 skeleton", "55 skeleton"])
  // The newest 20 of all that are dropped by then: an older one that comes late vanishes.
  const older = viewOf(history(60), first.ops.slice(1))
  expect(dropped(reduce(asking(older, { signals: [drop(3, 3)] })).ops)).toEqual(["3 nothing"])
})

test("[TG3] strips by id: old reasoning, shown images, calls of the reduce tool, reminders; once", () => {
  const nudged = assistant(6, {
    ...call(6, "out"),
    seq: 7,
    added: [{ kind: "nudge", text: "Drop something." }],
  })
  const asked = assistant(8, { ...call(8, "Queued."), name: "context_reduce", seq: 9 })
  const thinking = assistant(4, reasoning("why"), { ...call(4, "out"), seq: 5 })
  const head: readonly Message[] = [user(1), reads(2, image(1)), thinking, nudged, asked]
  const tail = (count: number) => [
    ...Array.from({ length: count }, (_, n) => calls(2 * n + 10)),
    user(2 * count + 10),
  ]
  const view = viewOf([...head, ...tail(21)])
  const { ops } = reduce(asking(view))
  expect(stripped(ops)).toEqual(["msg_2 images", "msg_6 noise", "msg_8 reduce-call"])
  const longer = viewOf([...head, ...tail(50)], ops)
  expect(stripped(reduce(asking(longer)).ops)).toEqual(["msg_4 reasoning"])
  expect(stripped(reduce(asking(viewOf([...head, ...tail(10)]))).ops)).toEqual([])
})

test("[TG3] keeps the reasoning of an answer that goes on since the newest input, and beside hosted tools", () => {
  const native = { provider: "p", model: "m", endpoint: "e", opaque: {} }
  const thinks = (seq: number) => assistant(seq, reasoning("why"), { ...call(seq, "out"), seq: seq + 1 })
  const hosted = assistant(2, reasoning("why"), { type: "hosted", name: "search", native }, text("found"))
  const going = [user(1), hosted, thinks(4), user(6), thinks(8), ...history(60).slice(5)]
  expect(stripped(reduce(asking(viewOf(going))).ops)).toEqual(["msg_4 reasoning"])
})

test("[MD2] drops calls that were made again, and outputs that the previous execute had seen", () => {
  const again = history(40, (n) => ({ input: n % 7 === 0 ? { b: 1, a: 2 } : { n } }))
  const view = viewOf(again)
  const execute = asking(view, { cause: "execute" })
  expect(dropped(reduce(execute).ops)).toEqual(["3 skeleton", "17 skeleton", "31 skeleton"])
  const since = dropped(reduce({ ...execute, cause: "fold", executedSeq: 8 }).ops)
  expect(since.map((line) => Number.parseInt(line, 10))).toEqual([3, 5, 7, 17, 31])
  expect(dropped(reduce({ ...execute, cause: "refresh" }).ops)).toEqual([])
})

test("[MD2] a call stays where the newer one that asked for the same was dropped", () => {
  const messages = history(30, (n) => ({ input: { n: n === 3 ? 0 : n } }))
  const again = (ops: readonly PassOp[]) =>
    dropped(reduce(asking(viewOf(messages, ops), { cause: "fold" })).ops)
  expect(again([])).toEqual(["3 skeleton"])
  expect(again([{ op: "drop", unit: unitOf(9), leaves: "skeleton" }])).toEqual([])
})

test("[MD2] runs once for each promoted input in a primary, on every execute in a subagent", () => {
  const view = viewOf(history(40, () => ({ input: {} })))
  const ran = (more: Parameters<typeof asking>[1]) => reduce(asking(view, more)).ops.length > 0
  expect(ran({ cause: "execute", executedSeq: 0 })).toBe(true)
  expect(ran({ cause: "execute", executedSeq: 2 })).toBe(false)
  for (const cause of ["forced", "fold", "flush"] as const) expect(ran({ cause, executedSeq: 2 })).toBe(true)
  expect(ran({ cause: "execute", executedSeq: 2, mode: "child" })).toBe(true)
  expect(ran({ cause: "fold", mode: "job" })).toBe(false)
})

test("[EG1] evicts other tools, then edit and search, then navigation, oldest first, down to the target", () => {
  const kinds = ["bash", "edit", "read"]
  const messages = history(60, (n) => ({ name: kinds[n % 3] ?? "", tokens: 1_000 }))
  const gone = (inputTokens: number, workingTokens = 100_000) =>
    dropped(
      reduce(asking(viewOf(messages), { cause: "forced", usage: 0.9, inputTokens, workingTokens })).ops,
    ).map((line) => (Number.parseInt(line, 10) - 3) / 2)
  // Units weigh 60,010, so that 39,990 are fixed; the target is 39,990 + 0.3 × 160,010, and 12,007 go.
  expect(gone(100_000, 200_000)).toEqual(Array.from({ length: 13 }, (_, at) => 3 * at))
  // 30,007 go: all 14 other tools that are free, all 13 edits, and the oldest four reads.
  const more = gone(100_000, 140_000)
  expect([0, 1].map((kind) => more.filter((n) => n % 3 === kind).length)).toEqual([14, 13])
  expect(more.filter((n) => n % 3 === 2)).toEqual([2, 5, 8, 11])
  // 42,007 would have to go, and no more than the 40 calls that are free may.
  expect(gone(100_000)).toHaveLength(40)
})

test("[EG1] keeps the newest fifth of the groups that go last, and lets 2,000 tokens be", () => {
  const reads100 = history(100, () => ({ name: "read", tokens: 1_000 }))
  const forced = (messages: readonly Message[], tokens: number) =>
    reduce(asking(viewOf(messages), { cause: "forced", usage: 0.86, inputTokens: tokens, workingTokens: 1 }))
  // 20 are reserved, and the newest 20 tags are the same ones.
  expect(dropped(forced(reads100, 100_010).ops)).toHaveLength(80)
  const reads30 = history(30, () => ({ name: "read", tokens: 200 }))
  expect(forced(reads30, 6_010).ops).toEqual([])
  const calm = reduce(asking(viewOf(reads100), { cause: "forced", usage: 0.84, inputTokens: 100_010 }))
  expect(calm.ops).toEqual([])
})

test("[EG1 TG6] counts an image that goes with what shows it once", () => {
  const messages = history(60, (n) => ({ name: "bash", input: { n: n === 1 ? 0 : n }, tokens: 1_000 })).map(
    (one) => (one.seq === 2 && one.kind === "assistant" ? { ...one, parts: one.parts.map(withImage) } : one),
  )
  const shows = { ...drop(1), detail: { units: [{ ...unitOf(3), image: 1 }] } }
  const gone = (signals: readonly SignalRaised[]) =>
    dropped(
      reduce(
        asking(viewOf(messages), {
          cause: "forced",
          usage: 0.9,
          inputTokens: 100_000,
          workingTokens: 200_000,
          signals,
        }),
      ).ops,
    ).length
  // The first call goes as it was made again; its image asked for beside it spares nothing more.
  expect(gone([shows])).toBe(gone([]))
})

test("[EG1] is idempotent: what it left is at the target", () => {
  const messages = history(60, (n) => ({ name: n % 2 === 0 ? "bash" : "grep", tokens: 900 + n }))
  const question = asking(viewOf(messages), { cause: "forced", usage: 0.9, inputTokens: 95_000 })
  const { ops } = reduce({ ...question, workingTokens: 150_000 })
  const tokens = messages.reduce(
    (sum, message) =>
      message.kind === "assistant" && dropped(ops).some((line) => line.startsWith(`${message.seq + 1} `))
        ? sum + (message.parts[0]?.part.type === "call" ? (message.parts[0].part.tokens ?? 0) : 0)
        : sum,
    0,
  )
  expect(ops.length).toBeGreaterThan(3)
  const again = { ...question, view: viewOf(messages, ops), inputTokens: 95_000 - tokens }
  expect(reduce({ ...again, workingTokens: 150_000 }).ops).toEqual([])
})

test("[ND2] anchors the list of steps to the newest answer, once, and takes it away when all is done", () => {
  const open = [{ content: "Mend it", status: "in_progress" }] as const
  const view = viewOf(history(3))
  const anchored = reduce(asking(view, { todos: open })).ops
  expect(anchored).toEqual([{ op: "anchor-todo", message: "msg_6", todo: open }])
  expect(reduce(asking(viewOf(history(3), anchored), { todos: open })).ops).toEqual([])
  const done = [{ content: "Mend it", status: "completed" }] as const
  expect(reduce(asking(view, { todos: done })).ops).toEqual([])
  const after = reduce(asking(viewOf(history(3), anchored), { todos: done })).ops
  expect(viewOf(history(3), [...anchored, ...after]).frozen.todo).toBeNull()
  for (const mode of ["child", "job"] as const)
    expect(reduce(asking(view, { todos: open, mode })).ops).toEqual([])
})

test("[MD1] a job is shown as it is, whatever waits", () => {
  const view = viewOf(history(60, () => ({ input: {} })))
  const question = asking(view, { mode: "job", cause: "fold", usage: 0.99, signals: [drop(1, 3)] })
  expect(reduce(question)).toEqual({ ops: [], consumes: [] })
})

test("[TG6] goes by stored sizes: what a text weighs now changes no plan", () => {
  const sized = (output: string) => history(60, () => ({ name: "bash", tokens: 1_000, output }))
  const plan = (messages: readonly Message[]) =>
    reduce(asking(viewOf(messages), { cause: "forced", usage: 0.9, inputTokens: 100_000 })).ops
  expect(plan(sized("x".repeat(5_000)))).toEqual(plan(sized("")))
  expect(unitOf(last(3))).toEqual({ message: "msg_6", call: "call_6" })
})
