/** Tags in what the model reads, what drops leave there, and what a model may ask for. */
import { expect, test } from "vitest"
import type { Entry } from "@holdfast/llm/segments"
import { askDrop, reduce, render, unitsOf } from "@holdfast/recall"
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { Json } from "@holdfast/schema/json"
import type { Message } from "@holdfast/schema/message"
import { emptyFrozen } from "@holdfast/schema/state/frozen"
import { assistant, call, image, notice, reasoning, system, text, user } from "../history.ts"
import { tokensOfUnits } from "../../src/reduce/units.ts"
import { asking, calls, drop, history, unitOf, viewOf, withImage } from "./units.ts"

const line = (entry: Entry): string =>
  entry.kind === "assistant"
    ? entry.parts
        .map((part) =>
          part.type === "call" ? `${part.name} -> ${part.result}` : "text" in part ? part.text : "",
        )
        .join(" | ")
    : `${entry.kind}: ${entry.text}`
const lines = (messages: readonly Message[], ops: readonly PassOp[] = [], tags = true) =>
  render(viewOf(messages, ops), tags).tail.map(line)

const gone = (tag: number): PassOp => ({ op: "drop", unit: unitOf(tag), leaves: "nothing" })
const bare = (tag: number): PassOp => ({ op: "drop", unit: unitOf(tag), leaves: "skeleton" })
const strip = (seq: number, what: Extract<PassOp, { op: "strip" }>["what"]): PassOp => ({
  op: "strip",
  message: user(seq).id,
  what,
})

test("[TG1 HB5] a unit begins with its tag; what the runtime says beside it, and the context, bear none", () => {
  const spoken: Message = { ...user(1), added: [{ kind: "gap", text: "+2h" }] } as Message
  const nudged = assistant(4, {
    ...call(4, "out"),
    seq: 5,
    added: [{ kind: "nudge", text: "Drop some." }],
  })
  const asked = assistant(8, { ...call(8, "Queued."), name: "context_reduce", seq: 9 })
  const messages = [spoken, system(2), notice(3), nudged, calls(6, { output: "" }), asked, user(10)]
  expect(lines(messages)).toEqual([
    "user: §1§ ask 1",
    "notice: +2h",
    "system: fact 2",
    "notice: §3§ note 3",
    "work -> §5§ out\nDrop some.",
    "work -> §7§",
    "context_reduce -> Queued.",
    "user: §10§ ask 10",
  ])
  expect(unitsOf(messages, emptyFrozen).map(({ tag }) => tag)).toEqual([1, 3, 5, 7, 10])
})

test("[MD1] where the model cannot drop anything it reads no tag", () => {
  const messages = [user(1), calls(2), user(4)]
  expect(lines(messages, [], false)).toEqual(["user: ask 1", "work -> out 2", "user: ask 4"])
  // Both forms of one history are kept apart.
  const view = viewOf(messages)
  const first = (tags: boolean) => render(view, tags).tail.map(line)[0]
  expect([true, false, true].map(first)).toEqual(["user: §1§ ask 1", "user: ask 1", "user: §1§ ask 1"])
})

test("[TG1 TG2] what is dropped says its number and nothing else; of a call nothing or its skeleton stays", () => {
  const messages = [user(1), calls(2, { says: "I look." }), calls(4), calls(6), user(8)]
  const ops = [gone(1), gone(3), gone(5), bare(7)]
  const shown = ["notice: [dropped §1§]", "I look.", "notice: [dropped]", "work -> [dropped §7§]"]
  expect(lines(messages, ops)).toEqual([...shown, "user: §8§ ask 8"])
  expect(lines(messages, ops, false)).toEqual([...shown, "user: ask 8"])
  const other = [
    user(1, "Else."),
    calls(2, { says: "I look." }),
    calls(4),
    calls(6, { output: "x" }),
    user(8),
  ]
  expect(lines(other, ops).slice(0, 4)).toEqual(shown)
})

test("[TG2] a skeleton keeps what a call was about, and names what is long in it", () => {
  const input = {
    path: "src/a.ts",
    content: "x".repeat(600),
    edits: [1, 2],
    where: { a: 1 },
    line: 3,
    all: true,
  }
  const entries = render(viewOf([user(1), calls(2, { input }), user(4)], [bare(3)])).tail
  const part = entries[1]?.kind === "assistant" ? entries[1].parts[0] : undefined
  expect(part).toMatchObject({
    input: {
      path: "src/a.ts",
      content: `${"x".repeat(40)}...[truncated]`,
      edits: "[2 items]",
      where: "[object]",
      line: 3,
      all: true,
    },
  })
  const short = { path: "src/a.ts", content: "x".repeat(300) }
  const kept = render(viewOf([user(1), calls(2, { input: short }), user(4)], [bare(3)])).tail[1]
  expect(kept?.kind === "assistant" && kept.parts[0]).toMatchObject({ input: short })
})

test("[TG3] replays strips: no reasoning, no reminder, no call that asked for drops, images by their handle", () => {
  const shows = { ...calls(4), parts: calls(4).parts.map(withImage) }
  const messages = [
    user(1),
    assistant(2, reasoning("why"), text("So."), {
      ...call(2, "out"),
      seq: 3,
      added: [{ kind: "nudge", text: "!" }],
    }),
    shows,
    assistant(6, text("Less."), { ...call(6, "Queued."), name: "context_reduce", seq: 7 }),
    user(8),
  ]
  const ops = [strip(2, "reasoning"), strip(2, "noise"), strip(4, "images"), strip(6, "reduce-call")]
  expect(lines(messages, [], false)[1]).toBe("why | So. | work -> out\n!")
  const shown = lines(messages, ops, false)
  expect(shown[1]).toBe("So. | work -> out")
  expect(shown[2]).toMatch(/^work -> out 4\n\[image "1\.png" .* no longer shown; its handle is /)
  expect(shown.slice(3)).toEqual(["Less.", "notice: [dropped]", "user: ask 8"])
})

const shownImages = (messages: readonly Message[], ops: readonly PassOp[]) =>
  render(viewOf(messages, ops), true).tail.flatMap((entry) =>
    entry.kind === "user"
      ? (entry.images ?? []).map(({ name }) => name)
      : entry.kind === "assistant"
        ? entry.parts
            .flatMap((part) => (part.type === "call" ? (part.images ?? []) : []))
            .map(({ name }) => name)
        : [],
  )

const picture = (tag: number, at: number): PassOp => ({
  op: "drop",
  unit: { ...unitOf(tag), image: at },
  leaves: "nothing",
})

test("[TG1] an image has a tag of its own, behind that of what shows it, and goes alone or with that", () => {
  const asked: Message = { ...user(1), images: [image(1), image(2)] } as Message
  const shows = { ...calls(2), parts: calls(2).parts.map(withImage) }
  const messages = [asked, shows, user(4)]
  expect(lines(messages)).toEqual([
    "user: §1§ ask 1",
    'notice: [image §1.01§ "1.png"]\n[image §1.02§ "2.png"]',
    'work -> §3§ out 2\n[image §3.01§ "1.png"]',
    "user: §4§ ask 4",
  ])
  expect(unitsOf(messages, emptyFrozen).map(({ tag }) => tag)).toEqual([1, 1.01, 1.02, 3, 3.01, 4])
  const ops = [picture(1, 1), picture(3, 1)]
  expect(lines(messages, ops)).toEqual([
    "user: §1§ ask 1",
    'notice: [dropped §1.01§]\n[image §1.02§ "2.png"]',
    "work -> §3§ out 2\n[dropped §3.01§]",
    "user: §4§ ask 4",
  ])
  expect(shownImages(messages, [])).toEqual(["1.png", "2.png", "1.png"])
  expect(shownImages(messages, ops)).toEqual(["2.png"])
  expect(lines(messages, ops, false)).toEqual([
    "user: ask 1",
    "notice: [dropped §1.01§]",
    "work -> out 2\n[dropped §3.01§]",
    "user: ask 4",
  ])
  expect(lines(messages, [gone(1), bare(3)])).toEqual([
    "notice: [dropped §1§]",
    "work -> [dropped §3§]",
    "user: §4§ ask 4",
  ])
})

test("[TG1 TG6] an image that is not shown weighs nothing, and is counted once beside what shows it", () => {
  const asked: Message = { ...user(1), tokens: 2_000, images: [image(1), image(2)] } as Message
  const messages = [asked, user(4)]
  const [whole, first, second] = unitsOf(messages, emptyFrozen)
  const each = first?.tokens ?? 0
  expect([whole?.tokens, each > 500, second?.tokens]).toEqual([2_000, true, each])
  const tokensWith = (...ops: PassOp[]) => unitsOf(messages, viewOf(messages, ops).frozen)[0]?.tokens
  expect(tokensWith(picture(1, 1))).toBe(2_000 - each)
  expect(tokensWith(strip(1, "images"))).toBe(2_000 - 2 * each)
  expect(tokensOfUnits(unitsOf(messages, emptyFrozen))).toBe(2_000)
  expect(tokensOfUnits([first, second].filter((unit) => unit !== undefined))).toBe(2 * each)
})

test("[TG1] what is asked for by the tag of an image is that image; what shows it takes it along", () => {
  const asked: Message = { ...user(1), images: [image(1), image(2)] } as Message
  const view = viewOf([asked, ...history(24).slice(1)])
  const unitsAsked = (tags: string) => {
    const found = askDrop(tags, view, [])
    return found.kind === "queued" ? found.units : found.text
  }
  expect(unitsAsked("§1.02§")).toEqual([{ ...unitOf(1), image: 2 }])
  expect(unitsAsked("1-1.02")).toEqual([unitOf(1)])
  expect(unitsAsked("1.03")).toMatch(/^Error: There is no §1.03§ in the window/)
  expect(askDrop("1.01", view, []).text).toBe("Queued: drop §1.01§.")
  const fewer = viewOf([asked, ...history(18).slice(1)])
  expect(askDrop("1", fewer, []).text).toMatch(/^Queued: deferred drop §1§\./)
  const signal = { ...drop(1), detail: { units: [{ ...unitOf(1), image: 2 }] } }
  const { ops, consumes } = reduce(asking(view, { signals: [signal] }))
  expect(ops.filter(({ op }) => op === "drop")).toEqual([picture(1, 2)])
  expect(consumes).toEqual(["sig_1"])
})

test("[TG3] what its provider sealed goes with the reasoning or a call that it is bound to", () => {
  const native = { provider: "sim", model: "script", endpoint: "http://sim", opaque: { id: "i" } }
  const sealed = assistant(
    2,
    reasoning("why"),
    { type: "text", text: "So.", interrupted: false, native },
    { ...call(2, "a"), seq: 3, native },
    { ...call(4, "b"), seq: 5, native },
  )
  const natives = (ops: readonly PassOp[]) =>
    render(viewOf([user(1), sealed, user(6)], ops)).tail.flatMap((entry) =>
      entry.kind === "assistant" ? entry.parts.filter((part) => "native" in part).length : [],
    )
  const drop3: PassOp = { op: "drop", unit: { ...unitOf(3) }, leaves: "nothing" }
  expect([natives([]), natives([strip(2, "reasoning")]), natives([drop3])]).toEqual([[4], [0], [0]])
})

test("[ND2 HB5] shows the list of steps as a call of its own, whose id follows from what it says", () => {
  const anchor = (...contents: readonly string[]): PassOp => ({
    op: "anchor-todo",
    message: user(2).id,
    todo: contents.map((content) => ({ content, status: "pending" })),
  })
  const messages = [user(1), assistant(2, text("I begin.")), user(3)]
  const pair = (op: PassOp) => {
    const entry = render(viewOf(messages, [op]), true).tail[1]
    return entry?.kind === "assistant" ? entry.parts.at(-1) : undefined
  }
  expect(pair(anchor("Mend it"))).toMatchObject({
    name: "todo",
    input: {},
    result: "[ ] Mend it\n1 of 1 open",
    failed: false,
  })
  expect(pair(anchor("Mend it"))).toEqual(pair(anchor("Mend it")))
  const [one, other] = [pair(anchor("Mend it")), pair(anchor("Other"))]
  expect(one?.type === "call" && one.call).toMatch(/^call_todo[0-9a-f]{20}$/)
  expect(one?.type === "call" && one.call).not.toBe(other?.type === "call" && other.call)
  expect(unitsOf(messages, viewOf(messages, [anchor("Mend it")]).frozen)).toHaveLength(2)
})

test("[FA2 ND2] a list of steps that cannot be read is left out, and the answer stands", () => {
  const messages = [user(1), assistant(2, text("I begin.")), user(3)]
  const anchor = (todo: Json): PassOp => ({ op: "anchor-todo", message: user(2).id, todo })
  for (const todo of [{ steps: 3 }, [null], [{ status: "pending" }], "Mend it"])
    expect(render(viewOf(messages, [anchor(todo)])).tail).toEqual(render(viewOf(messages, [])).tail)
})

test("[TL4 TG1] a model asks for drops by tags and ranges; what is new is deferred, what is done is skipped", () => {
  const view = viewOf(history(30), [bare(3)])
  const ask = (tags: string, ...signals: Parameters<typeof drop>[]) =>
    askDrop(
      tags,
      view,
      signals.map((signal) => drop(...signal)),
    )
  expect(ask("5-9, §11§")).toEqual({
    kind: "queued",
    text: "Queued: drop §5§, §7§, §9§, §11§.",
    units: [5, 7, 9, 11].map(unitOf),
  })
  expect(ask("21,23")).toMatchObject({
    text: "Queued: drop §21§, deferred drop §23§. What is deferred is among the newest 20 and goes once it is older.",
    units: [21, 23].map(unitOf),
  })
  expect(ask("3,5,7", [1, 5])).toMatchObject({
    text: "Queued: drop §7§. 2 more were dropped or queued before.",
    units: [unitOf(7)],
  })
  expect(ask("3")).toMatchObject({ kind: "queued", text: expect.stringMatching(/nothing to do/), units: [] })
})

test("[TL4] one wrong number refuses all of it, and the words say what to do", () => {
  const view = viewOf(history(30).slice(5))
  const refusal = (tags: string) => {
    const asked = askDrop(tags, view, [])
    return asked.kind === "refused" ? asked.text : null
  }
  expect(refusal("15,16")).toBe(
    "Error: There is no §16§ in the window. Give tags that you see. Nothing was queued.",
  )
  expect(refusal("3")).toMatch(/^Error: §3§ is from before what the window shows/)
  for (const tags of ["", " , ", "all", "9-5", "1..4", "-3", "§§"])
    expect(refusal(tags)).toMatch(/names no tags\. Give numbers and ranges such as 12-40/)
  expect(refusal("15-17")).toBeNull()
})
