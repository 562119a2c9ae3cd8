/** What a person sees happen: the lines below the transcript, how they are drawn, and how words are kept whole. */
import { describe, expect, test } from "vitest"
import type { Event, Fact } from "@holdfast/sdk"
import type { LiveActivity } from "../../src/conversation/following.ts"
import { type Activity, activityLines, duration, makeActivity } from "../../src/conversation/activity.ts"
import { takeDurable, takeLive } from "../../src/conversation/activity.ts"
import { makeStatusArea } from "../../src/conversation/status-area.ts"
import { makeWordWrap } from "../../src/conversation/word-wrap.ts"
import { columnsOf, wrap } from "../../src/text-width.ts"
import { keptTerminal } from "../terminal.ts"

const turn = "trn_1"
const started = { type: "turn.started", turn } as Fact
const asked = (call: string, command: string) =>
  ({
    type: "part.recorded",
    turn,
    index: 1,
    part: { type: "call", call, name: "bash", input: { command } },
  }) as unknown as Fact
const began = (call: string) => ({ type: "call.started", turn, call }) as Fact
const ended = (call: string) => ({ type: "call.settled", turn, call }) as Fact
const live = (type: string, more: object) =>
  ({ session: "ses_1", type, turn, index: 0, ...more }) as LiveActivity
const usage = { input: 900, output: 40, cacheRead: 300, cacheWrite: 34 }
const settled = { type: "turn.settled", turn, status: "continue", ledger: { usage } } as unknown as Fact

/** Each event a second after the one before. */
function activityOf(...events: readonly (Fact | LiveActivity)[]): Activity {
  return events.reduce<Activity>(
    (activity, event, at) =>
      "session" in event
        ? takeLive(activity, event)
        : takeDurable(activity, { fact: event } as Event, 1_000 * (at + 1)),
    makeActivity(0),
  )
}
const linesOf = (activity: Activity, now: number) => activityLines(activity, now, 80).map(withoutFrame)
const withoutFrame = (line: string) => line.replace(/^[⠀-⣿]/, "*")

describe("[SU1] what happens is told while it happens:", () => {
  test("nothing, before anything does and after it ended", () => {
    expect(linesOf(activityOf(), 5_000)).toEqual([])
    expect(linesOf(activityOf(started, settled), 5_000)).toEqual([])
  })
  test("that the model is waited for, and since when", () => {
    expect(linesOf(activityOf(started), 65_000)).toEqual(["* waiting for the model · 1 min 5 s"])
  })
  test("that a prompt waits, while nothing else is known to happen", () => {
    const admitted = { type: "prompt.admitted", prompt: "prm_1" } as Fact
    const other = { type: "prompt.admitted", prompt: "prm_2" } as Fact
    const promoted = { type: "prompt.promoted", prompt: "prm_1" } as Fact
    expect(linesOf(activityOf(admitted), 1_500)).toEqual([])
    expect(linesOf(activityOf(admitted), 62_000)).toEqual(["* the prompt waits · 1 min 2 s"])
    expect(linesOf(activityOf(admitted, other), 9_000)).toEqual(["* 2 prompts wait · 9 s"])
    expect(linesOf(activityOf(admitted, started), 9_000)).toEqual(["* waiting for the model · 9 s"])
    expect(linesOf(activityOf(admitted, promoted), 9_000)).toEqual([])
  })
  test("that it thinks, writes or prepares a call, with the tokens so far", () => {
    const thinking = activityOf(started, live("reasoning-delta", { text: "x".repeat(40) }))
    expect(linesOf(thinking, 3_000)).toEqual(["* the model thinks · 3 s · ~10 tokens out"])
    const calling = activityOf(settled, live("call-delta", { name: "write" }))
    expect(linesOf(calling, 3_000)).toEqual(["* the model prepares write · 3 s · 1,234 tokens in, 40 out"])
  })
  test("what streams is an estimate, and gives way to what the provider counted", () => {
    const writing = activityOf(settled, live("text-delta", { text: "x".repeat(400) }))
    expect(linesOf(writing, 3_000)[0]).toContain("1,234 tokens in, ~140 out")
  })
  test("a call from its start on, with its time and the end of its output", () => {
    const output = live("output-delta", { call: "c1", text: "1\n2\n3\n4\n5\n6\nsev" })
    expect(linesOf(activityOf(asked("c1", "make"), began("c1"), output), 14_000)).toEqual([
      "* bash make · 12 s",
      "  │ 3",
      "  │ 4",
      "  │ 5",
      "  │ 6",
      "  │ sev",
      "14 s",
    ])
  })
  test("several calls at once, and no more of them than fit", () => {
    const ids = ["c1", "c2", "c3", "c4", "c5", "c6"]
    const many = activityOf(...ids.map((id) => asked(id, `echo ${id}`)), ...ids.map(began), ended("c2"))
    expect(linesOf(many, 20_000)).toEqual([
      "* bash echo c1 · 13 s",
      "* bash echo c3 · 11 s",
      "* bash echo c4 · 10 s",
      "* bash echo c5 · 9 s",
      "  and 1 other call",
      "20 s",
    ])
  })
  test("the start of a turn that comes late does not hide what was heard of it", () => {
    const writing = activityOf(live("text-delta", { text: "abcd" }), started)
    expect(linesOf(writing, 1_000)).toEqual(["* the model writes · 1 s · ~1 tokens out"])
  })
  test("no line is wider than the terminal, and control characters do nothing", () => {
    const output = live("output-delta", { call: "c1", text: `\u001b[2J${"wide ".repeat(60)}\n` })
    const lines = activityLines(activityOf(asked("c1", "x".repeat(200)), began("c1"), output), 0, 60)
    expect(lines.map(columnsOf).every((columns) => columns < 60)).toBe(true)
    expect(lines.join("")).not.toContain("\u001b")
  })
  test("time in seconds, then in minutes", () => {
    expect([duration(0), duration(59_999), duration(60_000), duration(185_000)]).toEqual([
      "0 s",
      "59 s",
      "1 min 0 s",
      "3 min 5 s",
    ])
  })
})

/** What a terminal shows after these writes: lines, with the cursor moved and lines erased. */
function rendered(written: string): string {
  // oxlint-disable-next-line no-control-regex
  const tokens = /\u001b\[(\d*)([AJ])|\r|\n|[^\u001b\r\n]+/g
  // oxlint-disable-next-line no-control-regex
  const upwards = /^\u001b\[(\d+)A$/
  const lines = [""]
  let row = 0
  for (const [token] of written.matchAll(tokens)) {
    const up = upwards.exec(token)
    if (up !== null) row -= Number(up[1])
    else if (token.endsWith("[J")) lines.splice(row, Infinity, "")
    else if (token === "\n") lines[++row] ??= ""
    else if (token !== "\r") lines[row] += token
  }
  return lines.join("\n")
}

describe("[SU1] the lines below the transcript", () => {
  test("stay below whatever is written, and leave nothing behind", () => {
    const { terminal, said } = keptTerminal({ interactive: true })
    const area = makeStatusArea(terminal)
    area.show(["one", "two"])
    area.terminal.write("A line.\n")
    area.show(["three"])
    expect(rendered(said.out)).toBe("A line.\nthree\n")
    area.terminal.write("Half")
    expect(rendered(said.out)).toBe("A line.\nHalf")
    area.show(["four"])
    expect(rendered(said.out)).toBe("A line.\nHalf")
    area.terminal.write(" a line.\n")
    expect(rendered(said.out)).toBe("A line.\nHalf a line.\nfour\n")
    area.show([])
    expect(rendered(said.out)).toBe("A line.\nHalf a line.\n")
  })
  test("make room for what goes to standard error", () => {
    const { terminal, said } = keptTerminal({
      interactive: true,
      complain: (line) => terminal.write(`${line}\n`),
    })
    const area = makeStatusArea(terminal)
    area.terminal.write("Half")
    area.terminal.complain("Interrupting.")
    area.show(["one"])
    expect(rendered(said.out)).toBe("Half\nInterrupting.\none\n")
  })
})

describe("[SU1] words stay whole", () => {
  const shown = (columns: number, ...pieces: readonly string[]) => {
    const wrapped = makeWordWrap(() => columns)
    return pieces.map(wrapped.take).join("") + wrapped.flush()
  }
  test("in a text that comes in pieces", () => {
    expect(shown(10, "The qui", "ck brown", " fox\njum", "ps.")).toBe("The quick\nbrown fox\njumps.")
    expect(shown(10, "  indented words")).toBe("  indented\nwords")
  })
  test("but for one that is wider than the terminal, and for code in fences", () => {
    expect(shown(10, "a 0123456789abcdef b")).toBe("a\n0123456789abcdef\nb")
    expect(shown(10, "```sh\nmake one two three\n```\nafter the fence")).toBe(
      "```sh\nmake one two three\n```\nafter the\nfence",
    )
  })
  test("and a text without spaces is not held back", () => {
    const wrapped = makeWordWrap(() => 80)
    expect(wrapped.take("字".repeat(41))).toBe("字".repeat(41))
  })
  test("and a command that does not fit can still be pasted", () => {
    expect(wrap('Session ses_1. Go on with: holdfast run --session ses_1 "…"', 40)).toEqual([
      "Session ses_1. Go on with:",
      '  holdfast run --session ses_1 "…"',
    ])
    expect(wrap('Go on with: holdfast run --session ses_1 "…"', 24)).toEqual([
      "Go on with:",
      "  holdfast run \\",
      '  --session ses_1 "…"',
    ])
  })
  test("in lines that are known whole, with their indent", () => {
    expect(wrap("  one two three\nfour", 9)).toEqual(["  one two", "  three", "four"])
    expect(wrap("see\nses_0123456789", 6)).toEqual(["see", "ses_0123456789"])
  })
})
