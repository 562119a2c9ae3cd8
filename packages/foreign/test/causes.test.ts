/** Planted causes are named as planted, and what a file cannot show has no cause on record (IM2). */
import { describe, expect, test } from "vitest"
import { readClaudeCode } from "../src/claude-code/claude-code.ts"
import { readCodex } from "../src/codex/codex.ts"
import { readOpenCodeExport } from "../src/opencode/export.ts"
import { readPi } from "../src/pi/pi.ts"
import type { Reader } from "../src/record.ts"
import { readTranscript } from "../src/transcript/transcript.ts"
import { claudeCode, codex, openCode, pi, type Plant, type Step, transcript } from "./made.ts"
import { account, bytesOf, linesOf, readAll } from "./read.ts"

interface Agent {
  readonly reader: Reader
  readonly bytes: (steps: readonly Step[]) => Uint8Array
  readonly plants: readonly Plant[]
}

const agents: Readonly<Record<string, Agent>> = {
  "Claude Code": {
    reader: readClaudeCode,
    bytes: (steps) => linesOf(claudeCode(steps)),
    plants: ["compaction", "edit", "model"],
  },
  Codex: {
    reader: readCodex,
    bytes: (steps) => linesOf(codex(steps)),
    plants: ["compaction", "edit", "model", "effort"],
  },
  Pi: {
    reader: readPi,
    bytes: (steps) => linesOf(pi(steps)),
    plants: ["compaction", "edit", "model", "effort"],
  },
  OpenCode: {
    reader: readOpenCodeExport,
    bytes: (steps) => bytesOf(JSON.stringify(openCode(steps))),
    plants: ["compaction", "model", "system"],
  },
  "wire transcripts": {
    reader: readTranscript,
    bytes: (steps) => bytesOf(JSON.stringify(transcript(steps), null, 1)),
    plants: ["compaction", "edit", "model", "tools", "system"],
  },
}

const named: Readonly<Record<Plant, string>> = {
  compaction: "compaction",
  edit: "history edited",
  model: "model changed",
  effort: "effort changed",
  tools: "tools changed",
  system: "system changed",
}

const quiet: readonly Step[] = [{}, {}, {}, {}]

describe.for(Object.entries(agents))("%s", ([, { reader, bytes, plants }]) => {
  const audit = async (steps: readonly Step[]) => account(await readAll(reader, bytes(steps), 999))

  test("[IM2] has no break where each request reads what the one before it wrote", async () => {
    expect((await audit([...quiet, ...quiet])).breaks).toEqual([])
  })

  test("[IM2] has what was planted, at its place and by its name", async () => {
    for (const plant of plants) {
      const { breaks } = await audit([...quiet, { read: 5_000, plant }, {}])
      // A model that answers once is changed twice.
      expect(
        breaks.map(({ cause }) => cause),
        plant,
      ).toContain(named[plant])
      expect(
        breaks.map(({ cause }) => cause).filter((cause) => cause !== named[plant]),
        plant,
      ).toEqual([])
      expect(
        breaks.map(({ request }) => request),
        plant,
      ).toContain(5)
    }
  })

  test("[IM2] has a gap that is longer than the cache lives, with its length", async () => {
    const { breaks, places } = await audit([...quiet, { gap: 42, read: 0 }, {}, { gap: 130, read: 0 }])
    expect(breaks.map(({ cause }) => cause)).toEqual(["idle", "idle"])
    expect(breaks.map(({ gapMs }) => (gapMs ?? 0) / 60_000).sort()).toEqual([130, 42])
    expect([...places.breaks.keys()].sort()).toEqual(["idle 1 to 24 hours", "idle less than an hour"])
  })

  test("[IM2] has no cause on record where nothing in the file explains the break", async () => {
    const { breaks } = await audit([...quiet, { read: 5_000 }])
    expect(breaks.map(({ cause, tokens }) => [cause, tokens > 20_000])).toEqual([
      ["prefix changed, cause not recorded", true],
    ])
  })
})

test("[IM2] a prefix that lives for an hour has not lapsed after forty minutes", async () => {
  const lines = claudeCode([...quiet, { gap: 40, read: 0 }]).map((line) => {
    const text = JSON.stringify(line).replace(
      /"ephemeral_5m_input_tokens":(\d+),"ephemeral_1h_input_tokens":0/g,
      '"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":$1',
    )
    return JSON.parse(text) as object
  })
  const { breaks } = account(await readAll(readClaudeCode, linesOf(lines)))
  expect(breaks.map(({ cause }) => cause)).toEqual(["prefix changed, cause not recorded"])
})

test("[IM2] a gap begins when a request was sent, which is a little before its answer was recorded", async () => {
  const causeAfter = async (gap: number) => {
    const lines = claudeCode([...quiet, { gap, read: 0 }])
    return account(await readAll(readClaudeCode, linesOf(lines))).breaks.map(({ cause }) => cause)
  }
  expect(await causeAfter(4.76)).toEqual(["idle"])
  expect(await causeAfter(4.74)).toEqual(["prefix changed, cause not recorded"])
})

test("[IM2] a request that nothing was counted of explains nothing and hides nothing", async () => {
  const records = await readAll(
    readClaudeCode,
    linesOf(claudeCode([...quiet, { read: 5_000, plant: "compaction" }])),
  )
  const at = records.findIndex(({ type }) => type === "compaction") + 1
  const counted = records.find((record) => record.type === "usage")!
  const none = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 }
  const { breaks, totals } = account(records.toSpliced(at, 0, { ...counted, ...none, request: "given up" }))
  expect(breaks.map(({ cause, request }) => [cause, request])).toEqual([["compaction", 6]])
  expect(totals.calls).toBe(6)
})
