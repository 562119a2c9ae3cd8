/** What a person sees: live text completed by durable parts, calls in a line, records and codes. */
import { describe, expect, test } from "vitest"
import { type Spent, usageNone } from "@holdfast/schema/model"
import type { Event, Fact } from "@holdfast/sdk"
import type { LiveActivity } from "../src/conversation/following.ts"
import { age, clip, costText, money, percent, tokensText } from "../src/figures.ts"
import { exitCodeOf, failureRecord, recordOf, stoppedRecord, UsageError } from "../src/outcome/outcome.ts"
import { formatTable } from "../src/table.ts"
import { printable } from "../src/terminal.ts"
import { makeTranscript } from "../src/conversation/transcript.ts"
import { keptTerminal } from "./terminal.ts"

type ResultInput = Parameters<typeof recordOf>[0]

function transcriptOf(...events: readonly (Fact | LiveActivity)[]): string {
  let written = ""
  const terminal = {
    write: (text: string) => {
      written += text
    },
    paint: (_: string, text: string) => text,
    columns: 80,
  }
  const transcript = makeTranscript(terminal, () => 0)
  for (const event of events) {
    if ("session" in event) transcript.takeLive(event)
    else transcript.takeDurable({ fact: event } as Event)
  }
  return written
}

const turn = "trn_1"
const live = (index: number, text: string) =>
  ({ session: "ses_1", type: "text-delta", turn, index, text }) as LiveActivity
const recorded = (index: number, text: string) =>
  ({
    type: "part.recorded",
    turn,
    message: "msg_1",
    index,
    part: { type: "text", text, interrupted: false },
  }) as Fact
const called = (call: string, name: string, input: object) =>
  ({
    type: "part.recorded",
    turn,
    index: 9,
    part: { type: "call", call, nativeId: "n", name, input },
  }) as Fact
const settled = (call: string, state: string, output: string) =>
  ({ type: "call.settled", turn, call, outcome: { state, output, truncated: null, errorCode: null } }) as Fact

const overloaded = (waitMs: number) => ({ failure: { code: "x", message: "Overloaded." }, waitMs })
const settledWith = (status: string, reason: object | null, attempts: readonly object[]) =>
  ({ type: "turn.settled", turn, status, reason, ledger: { attempts } }) as Fact

describe("text", () => {
  test.each([
    ["is shown once when both streams bring it", [live(0, "Hel"), live(0, "lo."), recorded(0, "Hello.")]],
    ["is completed by the durable part where live events were lost", [live(0, "Hel"), recorded(0, "Hello.")]],
    ["is shown without any live event", [recorded(0, "Hello.")]],
    ["ignores live events that come late", [recorded(0, "Hello."), live(0, "lo.")]],
  ])("%s", (_, events) => expect(transcriptOf(...events)).toBe("\nHello.\n"))

  test("of an attempt that is made again is shown anew", () => {
    const failed = {
      session: "ses_1",
      type: "attempt-failed",
      turn,
      waitMs: 500,
      reason: { code: "x", message: "Overloaded." },
    }
    expect(
      transcriptOf(live(0, "Hel"), failed as LiveActivity, live(0, "Hello."), recorded(0, "Hello.")),
    ).toBe("\nHel\n\nOverloaded. Trying again in 0.5 s.\n\nHello.\n")
  })

  const failedAfter = (waitMs: number) =>
    ({
      session: "ses_1",
      type: "attempt-failed",
      turn,
      waitMs,
      reason: { code: "x", message: "Overloaded." },
    }) as LiveActivity

  test("[TU4] of two attempts is never glued together, though nobody heard that the first failed", () => {
    expect(transcriptOf(live(0, "Hel"), recorded(0, "Howdy."))).toBe("\nHel\n\nHowdy.\n")
    expect(transcriptOf(live(0, "Hel"), live(0, "Howdy."), recorded(0, "Howdy."))).toBe(
      "\nHelHowdy.\n\nHowdy.\n",
    )
  })

  test("[TU3] of which only the beginning was kept is not shown again", () => {
    expect(transcriptOf(live(0, "Hello"), recorded(0, "Hel"), recorded(1, "On."))).toBe("\nHello\n\nOn.\n")
  })

  test("[FA2] of a turn that went without something is followed by what, and why", () => {
    const leftOut = [{ extra: "What the sidekick was asked for", problem: "It took too long." }]
    const settledTurn = { ...settledWith("done", null, []), leftOut } as Fact
    expect(transcriptOf(recorded(0, "Hi."), settledTurn)).toBe(
      "\nHi.\n\nWhat the sidekick was asked for could not be made and was left out: It took too long.\n",
    )
  })

  test("[TU4] of a failed attempt is told from the ledger where no live event told it", () => {
    const settledTurn = settledWith("done", null, [
      overloaded(500),
      overloaded(900),
      { failure: null, waitMs: 0 },
    ])
    const once = "Overloaded. It was tried again after 0.5 s.\n"
    expect(transcriptOf(recorded(0, "Hi."), settledTurn)).toBe(
      `\nHi.\n\n${once}Overloaded. It was tried again after 0.9 s.\n`,
    )
    expect(transcriptOf(failedAfter(900), recorded(0, "Hi."), settledTurn)).toBe(
      `\nOverloaded. Trying again in 0.9 s.\n\nHi.\n\n${once}`,
    )
    const told = transcriptOf(failedAfter(500), failedAfter(900), settledTurn, failedAfter(900))
    expect(told.match(/Overloaded/g)).toHaveLength(2)
  })

  test("[TU4] that broke off for good is told when another turn carries on, and only then", () => {
    const cut = { code: "stream_cut", message: "It broke off." }
    const broken = settledWith("interrupted", cut, [{ failure: cut, waitMs: 0 }])
    const next = { type: "turn.started", turn: "trn_2" } as Fact
    expect(transcriptOf(recorded(0, "Hel"), broken)).toBe("\nHel\n")
    expect(transcriptOf(recorded(0, "Hel"), broken, next)).toBe(
      "\nHel\n\nIt broke off. Another request goes on from what was kept.\n",
    )
    const stopped = { code: "interrupted", message: "Stopped." }
    const byHand = settledWith("interrupted", stopped, [{ failure: stopped, waitMs: 0 }])
    expect(transcriptOf(recorded(0, "Hel"), byHand, next)).toBe("\nHel\n")
  })

  test("cannot steer the terminal", () => {
    expect(transcriptOf(recorded(0, "a\u001b[2Jb\rc\u009bd\te"))).toBe("\na[2Jbcd\te\n")
    expect(printable("a\nb")).toBe("a\nb")
  })
})

describe("a wait before the next attempt", () => {
  const failed = (waitMs: number) => {
    const reason = { code: "x", message: "Overloaded." }
    return { session: "ses_1", type: "attempt-failed", turn, waitMs, reason } as LiveActivity
  }
  const waiting = (until: number) =>
    ({ type: "session.updated", waiting: { until, reason: { code: "x", message: "Overloaded." } } }) as Fact
  const later = /^\n\n?Waiting until \d\d:\d\d:\d\d: Overloaded\.\n$/

  test("is told once, whichever stream brings it first", () => {
    expect(transcriptOf(failed(2_200), waiting(2_205))).toBe("\nOverloaded. Trying again in 2.2 s.\n")
    expect(transcriptOf(waiting(2_195), failed(2_200))).toMatch(later)
  })

  test("is told again where it is another one", () => {
    const shown = transcriptOf(failed(500), failed(2_200), waiting(2_200), waiting(60_000))
    expect(shown.match(/Overloaded/g)?.length).toBe(3)
    expect(shown).toContain("Trying again in 0.5 s.\nOverloaded. Trying again in 2.2 s.\nWaiting until ")
  })
})

test("calls in a row stand together, one line each", () => {
  const shown = transcriptOf(
    called("c1", "read", { path: "a.md" }),
    called("c2", "bash", { command: "npm test\n# all" }),
    called("c3", "write", { path: "b.md", content: "x" }),
    settled("c1", "done", "     1\tx\n     2\ty"),
    settled("c2", "failed", "\nexit code 1\nmore"),
    settled("c3", "done", "Created b.md (1 line)."),
    settled("unknown", "done", ""),
  )
  expect(shown).toBe(
    "\n✓ read a.md · 2 lines\n✗ bash npm test # all · failed: exit code 1\n✓ write b.md · Created b.md (1 line).\n",
  )
})

describe("[SU1] a command that ended badly has no ✓", () => {
  const ended = (structured: object, output: string) =>
    ({
      type: "call.settled",
      turn,
      call: "c1",
      outcome: { state: "done", output, truncated: null, errorCode: null, structured },
    }) as Fact
  test.each([
    [{ exitCode: 0, signal: null, timedOut: false }, "hi\n", "✓ bash x · hi"],
    [{ exitCode: 1, signal: null, timedOut: false }, "no\n[exit code 1]", "✗ bash x · exit code 1, no"],
    [{ exitCode: 2, signal: null, timedOut: false }, "[exit code 2]", "✗ bash x · exit code 2"],
    [
      { exitCode: 2, signal: null, timedOut: false },
      "a\nb\n[exit code 2]",
      "✗ bash x · exit code 2, 2 lines",
    ],
    [
      { exitCode: null, signal: "SIGKILL", timedOut: false },
      "[ended by SIGKILL]",
      "✗ bash x · ended by SIGKILL",
    ],
    [
      { exitCode: null, signal: "SIGTERM", timedOut: true },
      "a\n[timed out after 9 ms; …]",
      "✗ bash x · timed out, a",
    ],
    [{ lines: 3 }, "a\nb\nc", "✓ bash x · 3 lines"],
  ])("%j", (structured, output, line) =>
    expect(transcriptOf(called("c1", "bash", { command: "x" }), ended(structured, output))).toBe(
      `\n${line}\n`,
    ),
  )
})

describe("[SU1] a call that takes long, where nothing can be drawn over", () => {
  const started = { type: "call.started", turn, message: "msg_1", call: "c1" } as Fact
  const output = (text: string) =>
    ({ session: "ses_1", type: "output-delta", call: "c1", text }) as LiveActivity

  function slowly(...steps: readonly (Fact | LiveActivity | number)[]): string {
    const { terminal, said } = keptTerminal()
    let time = 0
    const transcript = makeTranscript(terminal, () => time, { slowCalls: true })
    for (const step of steps) {
      if (typeof step === "number") {
        time += step
        transcript.look()
      } else if ("session" in step) transcript.takeLive(step)
      else transcript.takeDurable({ fact: step } as Event)
    }
    return said.out
  }
  const call = called("c1", "bash", { command: "make" })

  test("is told when it has run for a second, with whole lines of its output", () => {
    const shown = slowly(
      call,
      started,
      output("one\ntw"),
      999,
      1,
      output("o\n"),
      250,
      settled("c1", "done", "x"),
    )
    expect(shown).toBe("\n… bash make · runs\n  │ one\n  │ two\n✓ bash make · x\n")
  })
  test("is told once, by its result, where it is quick", () => {
    expect(slowly(call, started, output("one\n"), 900, settled("c1", "done", "x"), 900)).toBe(
      "\n✓ bash make · x\n",
    )
  })
  test("shows a bounded number of lines", () => {
    const shown = slowly(call, started, 1_000, output("line\n".repeat(50)), 250, output("more\n"), 250)
    expect(shown.match(/│ line/g)?.length).toBe(20)
    expect(shown).toContain("│ … more than 20 lines; the rest is not shown")
    expect(shown).not.toContain("│ more\n")
  })
})

test("[SU1] whoever joins reads the words of prompts that others send", () => {
  const { terminal, said } = keptTerminal()
  const transcript = makeTranscript(terminal, () => 0, { prompts: true })
  const admitted = { type: "prompt.admitted", prompt: "p1", text: "Go on.\nPlease.", delivery: "steer" }
  transcript.takeDurable({ fact: admitted } as Event)
  transcript.takeDurable({ fact: { type: "prompt.promoted", prompt: "p1" } } as Event)
  expect(said.out).toBe("\n> Go on.\n> Please.\n")
})

describe("[LL7] images", () => {
  const image = (name: string | null) =>
    ({ hash: "ab".repeat(32), mediaType: "image/png", bytes: 9, width: 800, height: 600, name }) as const
  const fact = (type: string, more: object) => ({ type, ...more }) as unknown as Fact

  test("of a prompt are shown when the model gets to see them", () => {
    const shown = transcriptOf(
      fact("prompt.admitted", { prompt: "one", text: "Look.", images: [image("a.png"), image(null)] }),
      fact("prompt.admitted", { prompt: "two", text: "Later.", images: [image("b.png")] }),
      recorded(0, "Wait."),
      fact("prompt.promoted", { prompt: "one", message: "msg_2", bodySeq: 2 }),
      recorded(1, "I see."),
    )
    expect(shown).toBe(
      '\nWait.\n\n  [image "a.png" 800 × 600 media:abababababab]\n  [image 800 × 600 media:abababababab]\n\nI see.\n',
    )
  })

  test("that a tool showed stand below its call", () => {
    const done = { state: "done", output: "PNG", truncated: null, errorCode: null, images: [image("a.png")] }
    const shown = transcriptOf(
      called("c1", "read", { path: "a.png" }),
      fact("call.settled", { turn, call: "c1", outcome: done }),
    )
    expect(shown).toBe('\n✓ read a.png · PNG\n  [image "a.png" 800 × 600 media:abababababab]\n')
  })

  test("that are too many, and messages that are taken out, are told", () => {
    const pass = (reason: string, op: object) => fact("pass.applied", { pass: "fold", reason, ops: [op] })
    const images = pass("cut_images", { op: "name-images", below: 3 })
    expect(transcriptOf(images, fact("message.quarantined", { message: "msg_9" }))).toBe(
      "\nThere were many images: older ones are named to the model, not shown.\nMessage msg_9 is quarantined: models do not read it any more.\n",
    )
    expect(transcriptOf(pass("cut_ceiling", { op: "cut", below: 3, kept: [], messages: 2 }))).toBe(
      "\nThe context window was full: older messages were summed up, 2 by now.\n",
    )
    const cut = { op: "cut", below: 3, kept: [], messages: 2 }
    const switched = (tokensAfter: number) =>
      fact("pass.applied", {
        pass: "fold",
        reason: "model_changed",
        ops: [cut],
        tokensBefore: 1_000,
        tokensAfter,
      })
    expect(transcriptOf(switched(990))).toBe("")
    expect(transcriptOf(switched(300))).toBe(
      "\nThe model changed, and what was said did not fit its window: older messages were summed up, 2 by now.\n",
    )
  })
})

describe("the exit code follows from the record", () => {
  test.each([
    [stoppedRecord("done", null), 0],
    [stoppedRecord("failed", { code: "refusal", message: "" }), 1],
    [stoppedRecord("blocked", null), 3],
    [stoppedRecord("interrupted", null), 130],
    [failureRecord(new UsageError("x")), 2],
    [failureRecord({ _tag: "SessionNotFound", message: "x" }), 2],
    [failureRecord({ _tag: "ConfigurationInvalid", message: "x" }), 2],
    [failureRecord({ _tag: "StoreFailure", message: "x" }), 1],
    [failureRecord({ _tag: "NothingOwed", message: "x" }), 1],
    [failureRecord(new Error("x")), 1],
  ])("%j", (record, code) => expect(exitCodeOf(record)).toBe(code))

  test("failures have codes of one kind", () => {
    expect(failureRecord({ _tag: "SessionNotFound", message: "x" }).reason).toEqual({
      code: "session_not_found",
      message: "x",
    })
    expect(failureRecord(new Error("x")).reason?.code).toBe("defect")
  })
})

test("an answer to an earlier prompt is not the result of this one", () => {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
  const result = {
    status: "blocked",
    reason: null,
    session: "ses_1",
    prompt: "old",
    turns: 2,
    text: "Old.",
    usage,
    cost: 1,
    model: null,
  }
  expect(recordOf(result as ResultInput, "mine")).toMatchObject({
    prompt: "mine",
    turns: 0,
    text: "",
    cost: 0,
  })
  expect(recordOf(result as ResultInput, "old")).toMatchObject({
    prompt: "old",
    turns: 2,
    text: "Old.",
    cost: 1,
  })
})

test("[TU7] figures say what they rest on", () => {
  const usage = { input: 1_000, output: 40, cacheRead: 200, cacheWrite: 34 }
  const told = (spent: Spent) => `${tokensText(spent)}, ${costText(spent)}`
  expect(told({ usage, accuracy: "exact", cost: 0.5 })).toBe(
    "1,234 tokens in (16 % from cache), 40 out, $0.50",
  )
  expect(told({ usage, accuracy: "estimated", cost: 0.5 })).toBe(
    "1,234 tokens in (16 % from cache), about 40 out, about $0.50",
  )
  expect(told({ usage, accuracy: "incomplete", cost: null })).toBe(
    "at least 1,234 tokens in (16 % cached), 40 out, unknown",
  )
  expect(told({ usage: usageNone, accuracy: "incomplete", cost: null })).toBe("tokens unknown, unknown")
})

test("figures are short", () => {
  expect([money(null), money(0), money(0.00123), money(0.5), money(12.345)]).toEqual([
    "unknown",
    "$0",
    "$0.0012",
    "$0.50",
    "$12.35",
  ])
  expect([age(10), age(5_000), age(61_000), age(7_200_000), age(172_800_000)]).toEqual([
    "now",
    "5 s",
    "1 min",
    "2 h",
    "2 d",
  ])
  expect([percent(1, 3), percent(0, 0)]).toEqual(["33 %", "0 %"])
  expect([clip("a  b\nc", 9), clip("abcdef", 4)]).toEqual(["a b c", "abc…"])
})

test("a table aligns figures to the right and counts columns", () =>
  expect(
    formatTable(
      [{ title: "A" }, { title: "N", right: true }],
      [
        ["🙂x", "1"],
        ["y", "20"],
      ],
    ),
  ).toBe("A     N\n🙂x   1\ny    20"))

describe("[SU1] a table on a terminal", () => {
  const columns = [
    { title: "ID" },
    { title: "COUNT", right: true, leave: 1 },
    { title: "TITLE", cutTo: 6 },
    { title: "PLACE", cutTo: 6, leave: 2 },
  ]
  const rows = [["ses_1234", "7", "A title of some length", "/place/of/the/project"]]

  test("is whole where it fits", () => {
    expect(formatTable(columns, rows, 65)).toBe(formatTable(columns, rows))
  })
  test("cuts what may be cut, the widest first", () => {
    expect(formatTable(columns, rows, 45)).toBe(
      "ID        COUNT  TITLE          PLACE\nses_1234      7  A title of s…  /place/of/th…",
    )
  })
  test("then leaves out what can be missed, in its order", () => {
    expect(formatTable(columns, rows, 26)).toBe("ID        TITLE    PLACE\nses_1234  A titl…  /place…")
    expect(formatTable(columns, rows, 18)).toBe("ID        TITLE\nses_1234  A title…")
  })
  test("tells on lines of its own, to the end, what may stand below its row", () => {
    const reasoned = [...columns.slice(0, 2), { title: "WHY", below: "because" }]
    const told = [
      ["ses_1234", "7", "older messages were summed up"],
      ["ses_5678", "12", "–"],
    ]
    expect(formatTable(reasoned, told, 46)).toBe(formatTable(reasoned, told))
    expect(formatTable(reasoned, told, 30)).toBe(
      [
        "ID        COUNT",
        "ses_1234      7",
        "      because: older messages",
        "      were summed up",
        "ses_5678     12",
      ].join("\n"),
    )
  })
})

describe("[TU7] what a request costs that pays again for what was sent is told beside what would be sent otherwise", () => {
  const price = { cost: 0.12, costWarm: 0.04, tokensAgain: 31_000, cause: "cold" }
  test.each([
    [
      "from the cache, where the request is the same",
      price,
      "The provider's cache has lapsed: 31,000 tokens are paid for again. The input of this request costs about $0.12, from the cache $0.04.",
    ],
    [
      "as it was, where a fold behind a lapsed cache spared more than it cost",
      { ...price, costOtherwise: 0.47 },
      "The provider's cache has lapsed: 31,000 tokens are paid for again. The input of this request costs about $0.12; left as it was, it would cost $0.47.",
    ],
    [
      "not at all, where nothing else could be sent",
      { ...price, costOtherwise: null, cause: "break" },
      "The beginning of the request changed: 31,000 tokens are paid for again. The input of this request costs about $0.12.",
    ],
  ])("%s", (_, priceExpected, text) =>
    expect(transcriptOf({ type: "turn.started", turn, priceExpected } as Fact).trim()).toBe(text),
  )
})

test("[EP11] a system message is shown where it is asked for, and nowhere else", () => {
  const fact = { type: "context.updated", message: "msg_2", text: "Changed." } as Fact
  const shown = (system: boolean) => {
    let written = ""
    const paint = (_: string, text: string) => text
    const terminal = { write: (text: string) => void (written += text), paint, columns: 80 }
    makeTranscript(terminal, () => 0, { system }).takeDurable({ fact } as Event)
    return written
  }
  expect([shown(true).trim(), shown(false)]).toEqual(["(to the model) Changed.", ""])
})
