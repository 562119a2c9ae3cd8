/**
 * Every scenario on every wire that has it: driven through the runtime, then replayed both ways from
 * a recording of the same exchanges.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { readRecording } from "@holdfast/llm/recording/recording"
import { replayAnswer, replayRequest } from "@holdfast/llm/recording/replay"
import { wires } from "@holdfast/llm/wires"
import { ExchangeStage } from "./exchange.ts"
import { framedPlays, type Play, plays, work } from "./plays.ts"
import { type Cell, cellOf, columns, type ScenarioName, scenarios, type WireName } from "./scenarios.ts"
import { speakerOf } from "./speakers.ts"
import { wireNames } from "./world.ts"

type Source = "simulated" | "framed"

const triedBy = (scenario: ScenarioName, source: Source): readonly WireName[] =>
  columns.filter((wire) => [source, "both"].includes(cellOf(scenario, wire) as string))
const titlesOf = (scenario: ScenarioName, source: Source) =>
  triedBy(scenario, source).map((wire) => `${wire}: ${scenario}, ${source}`)

/** What the tests of this file run. */
const tried: string[] = []

/** The wires of a scenario, for a test that runs it on each. */
function on(scenario: ScenarioName, source: Source = "simulated"): readonly WireName[] {
  tried.push(...titlesOf(scenario, source))
  return triedBy(scenario, source)
}

function perform(scenario: ScenarioName, wire: WireName, play: Play) {
  const stage = new ExchangeStage(speakerOf(scenario, wire), [work])
  try {
    play(stage, wire)
    expect(stage.verdicts().filter((verdict) => verdict !== "same")).toEqual([])
    replayAll(stage)
  } finally {
    stage.close()
  }
}

/** From a file of these exchanges: each asks the same, and answers what the runtime took from it. */
function replayAll({ wire, exchanges }: ExchangeStage) {
  const interactions = exchanges.map(({ interaction }) => interaction)
  const recording = readRecording(JSON.stringify({ version: 1, metadata: {}, interactions }))
  if (typeof recording === "string") throw new Error(recording)
  expect(recording.interactions).toHaveLength(exchanges.length)
  for (const [at, interaction] of recording.interactions.entries()) {
    expect({ at, request: replayRequest(wire, interaction) }).toEqual({ at, request: { kind: "same" } })
    const { atMs = 0, events } = exchanges[at] ?? {}
    expect({ at, events: replayAnswer(wire, interaction, atMs) }).toEqual({ at, events })
  }
}

test.each(on("text"))("[LL1 TU3 TU7] %s: text", (wire) => perform("text", wire, plays.text))

test.each(on("tool call"))("[LL1 TU2] %s: tool call", (wire) =>
  perform("tool call", wire, plays["tool call"]),
)

test.each(on("parallel calls"))("[LL1 LL3 TU2] %s: parallel calls", (wire) =>
  perform("parallel calls", wire, plays["parallel calls"]),
)

test.each(on("tool loop"))("[LL1 LL3 TU1 TU7] %s: tool loop", (wire) =>
  perform("tool loop", wire, plays["tool loop"]),
)

test.each(on("reasoning and its continuation"))("[LL1 LL4] %s: reasoning and its continuation", (wire) =>
  perform("reasoning and its continuation", wire, plays["reasoning and its continuation"]),
)

test.each(on("image in prompt"))("[LL1 LL7] %s: image in prompt", (wire) =>
  perform("image in prompt", wire, plays["image in prompt"]),
)

test.each(on("image in result"))("[LL1 LL7] %s: image in result", (wire) =>
  perform("image in result", wire, plays["image in result"]),
)

test.each(on("cache write then read"))("[LL1 LL5 TU7] %s: cache write then read", (wire) =>
  perform("cache write then read", wire, plays["cache write then read"]),
)

test.each(on("refusal"))("[LL1 LL6] %s: refusal", (wire) => perform("refusal", wire, plays.refusal))

test.each(on("length stop"))("[LL1 TU3] %s: length stop", (wire) =>
  perform("length stop", wire, plays["length stop"]),
)

test.each(on("overflow"))("[LL1 TU5] %s: overflow", (wire) => perform("overflow", wire, plays.overflow))

test.each(on("rate limit"))("[LL1 TU4] %s: rate limit", (wire) =>
  perform("rate limit", wire, plays["rate limit"]),
)

test.each(on("mid-stream error"))("[LL1 TU3 TU4] %s: mid-stream error", (wire) =>
  perform("mid-stream error", wire, plays["mid-stream error"]),
)

test.each(on("unknown event"))("[LL1 LL6] %s: unknown event", (wire) =>
  perform("unknown event", wire, plays["unknown event"]),
)

test.each(on("hosted tool"))("[LL1 LL8 CA2] %s: hosted tool", (wire) =>
  perform("hosted tool", wire, plays["hosted tool"]),
)

test.each(on("hosted tool", "framed"))("[LL1 LL8] %s: hosted tool, framed", (wire) =>
  perform("hosted tool", wire, framedPlays["hosted tool"]),
)

test.each(on("refusal", "framed"))("[LL1 LL6] %s: refusal, framed", (wire) =>
  perform("refusal", wire, framedPlays.refusal),
)

test.each(on("length stop", "framed"))("[LL1 TU2] %s: length stop, framed", (wire) =>
  perform("length stop", wire, framedPlays["length stop"]),
)

test.each(on("unknown event", "framed"))("[LL1 LL6] %s: unknown event, framed", (wire) =>
  perform("unknown event", wire, framedPlays["unknown event"]),
)

/** As they are asked for; an image in a prompt and in a result are two. */
const required = [
  "text",
  "tool call",
  "parallel calls",
  "tool loop",
  "reasoning and its continuation",
  "image in prompt",
  "image in result",
  "cache write then read",
  "hosted tool",
  "refusal",
  "length stop",
  "overflow",
  "rate limit",
  "mid-stream error",
  "unknown event",
]

const names = Object.keys(scenarios) as ScenarioName[]
const excusesOf = (name: ScenarioName) =>
  columns.flatMap((wire) => {
    const cell: Cell = cellOf(name, wire)
    return typeof cell === "string" ? [] : [{ title: `${wire}: ${name}`, why: cell.excused }]
  })

test("[LL1] every scenario is run or excused on every wire that speaks HTTP", () => {
  expect(names).toEqual(required)
  expect(columns).toEqual(wireNames)
  expect([...columns, "ai-sdk"]).toEqual(Object.keys(wires))
  const due = names.flatMap((name) => [...titlesOf(name, "simulated"), ...titlesOf(name, "framed")])
  expect(tried.toSorted()).toEqual(due.toSorted())
  expect(names.flatMap(excusesOf).map(({ title }) => title)).toEqual(["openai-chat: hosted tool"])
})

test("docs/wires.md shows the same table, with its excuses", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/wires.md"), "utf8")
  const section = page.split("\n## ").find((text) => text.startsWith("What every wire is put through")) ?? ""
  const markOf = (cell: Cell) => (typeof cell === "string" ? cell : "–")
  const rows = names.map((name) => [name, ...columns.map((wire) => markOf(cellOf(name, wire)))])
  const head = ["scenario", ...columns.map((wire) => `\`${wire}\``)]
  expect(section.match(/^\|.*$/gm)).toEqual(
    [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`),
  )
  for (const { why } of names.flatMap(excusesOf)) expect(section.replaceAll("\n", " ")).toContain(why)
})
