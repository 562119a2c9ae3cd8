/**
 * Recorded sessions that lie beside the repository, counted by hand and replayed: what an import holds is
 * what a plain look at the file counts, and no request of a replay is illegal or breaks without a reason.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { findSources } from "@holdfast/foreign"
import { recordedIn, type RecordedSession } from "../../src/replay/recorded.ts"
import { replayRecorded } from "../../src/replay/run.ts"

const shared = join(import.meta.dirname, "../../../../../shared/data")
const filesIn = (folder: string): readonly string[] =>
  existsSync(join(shared, folder))
    ? readdirSync(join(shared, folder)).map((file) => join(shared, folder, file))
    : []
const raw = filesIn("raw")
const transcripts = [...filesIn("transcripts/anthropic-messages"), ...filesIn("transcripts/openai-responses")]
const isThere = raw.length > 0 && transcripts.length > 0
if (!isThere) console.log("skipped: recorded sessions of other agents are not beside the repository")

async function sessionsOf(file: string): Promise<readonly RecordedSession[]> {
  const [source] = (await findSources([file])).sources
  return source === undefined ? [] : recordedIn(source)
}

interface Counts {
  readonly people: number
  readonly answers: number
  readonly calls: number
  readonly results: number
  readonly requests: number
}

function importedCounts(sessions: readonly RecordedSession[]): Counts {
  const facts = sessions.flatMap(({ events }) => events.map(({ fact }) => fact))
  const of = (type: string) => facts.filter((fact) => fact.type === type)
  const settled = facts.flatMap((fact) => (fact.type === "call.settled" ? [fact.outcome] : []))
  return {
    people: of("prompt.promoted").length + of("notice.promoted").length,
    answers: of("turn.started").length,
    calls: facts.filter((fact) => fact.type === "part.recorded" && fact.part.type === "call").length,
    results: settled.filter(({ output }) => !output.startsWith("No result of this call was recorded")).length,
    requests: sessions.reduce((sum, { requests }) => sum + requests.size, 0),
  }
}

type Fields = Record<string, any>
const linesOf = (file: string): readonly Fields[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Fields)
const blocksOf = (content: unknown): readonly Fields[] =>
  Array.isArray(content) ? content : [{ type: "text", text: content }]

/** As the formats are documented by their own files, without a reader of ours. */
const counters: Readonly<Record<string, (file: string) => Counts>> = {
  "claude-code": (file) => {
    const lines = linesOf(file).filter(
      ({ type, isSidechain }) => ["user", "assistant"].includes(type) && isSidechain !== true,
    )
    const said = lines.filter(({ type }) => type === "assistant")
    const users = lines
      .filter(({ type }) => type === "user")
      .flatMap(({ message }) => [blocksOf(message.content)])
    const results = users.flat().filter(({ type }) => type === "tool_result")
    return {
      people: users.filter((blocks) => blocks.some(({ type }) => type !== "tool_result")).length,
      answers: new Set(said.map(({ message }) => message.id)).size,
      calls: said
        .flatMap(({ message }) => blocksOf(message.content))
        .filter(({ type }) => type === "tool_use").length,
      results: results.length,
      requests: new Set(said.map(({ requestId, message }) => requestId ?? message.id)).size,
    }
  },
  pi: (file) => {
    const messages = linesOf(file).flatMap(({ type, message }) =>
      type === "message" ? [message as Fields] : [],
    )
    const said = messages.filter(({ role }) => role === "assistant")
    return {
      people:
        messages.filter(({ role }) => role !== "assistant" && role !== "toolResult").length +
        linesOf(file).filter(({ type }) => type === "compaction").length,
      answers: said.length,
      calls: said.flatMap(({ content }) => blocksOf(content)).filter(({ type }) => type === "toolCall")
        .length,
      results: messages.filter(({ role }) => role === "toolResult").length,
      requests: said.filter(({ usage }) => usage !== undefined).length,
    }
  },
}

describe.skipIf(!isThere)("[IM1] an import holds what a plain count of the file finds", () => {
  test.each(
    raw
      .filter((file) => /claude-code|\/pi-/.test(file))
      .map((file) => [file.split("/").at(-1), file] as const),
  )("%s", async (_, file) => {
    const agent = Object.keys(counters).find((name) => file.includes(`/${name}-`)) ?? ""
    expect(importedCounts(await sessionsOf(file))).toEqual(counters[agent]?.(file))
  })
})

/** Calls and their results, which no wire and no agent hides. */
function callsIn(file: string): Pick<Counts, "calls" | "results"> {
  const items: readonly Fields[] = file.endsWith(".jsonl")
    ? linesOf(file).flatMap(({ type, payload }) => (type === "response_item" ? [payload as Fields] : []))
    : (JSON.parse(readFileSync(file, "utf8")) as { segments: { items: Fields[] }[] }).segments.flatMap(
        (segment) => segment.items,
      )
  const blocks = items.flatMap((item) => (item["role"] === undefined ? [item] : blocksOf(item["content"])))
  const isCall = ({ type, call_id: id }: Fields) =>
    type === "tool_use" || (String(type).endsWith("_call") && id !== undefined)
  return {
    calls: blocks.filter(isCall).length,
    results: blocks.filter(({ type }) => type === "tool_result" || String(type).endsWith("_output")).length,
  }
}

describe.skipIf(!isThere)("[IM1 TG7] an import holds every call and result of", () => {
  test.each(
    [...raw.filter((file) => file.includes("/codex-")), ...transcripts].map(
      (file) => [file.split("/").at(-1), file] as const,
    ),
  )("%s", async (_, file) => {
    const { calls, results } = importedCounts(await sessionsOf(file))
    expect({ calls, results }).toEqual(callsIn(file))
  })
})

const requestsOf = (file: string): number =>
  (JSON.parse(readFileSync(file, "utf8")) as { segments: { calls: unknown[] }[] }).segments.reduce(
    (sum, { calls }) => sum + calls.length,
    0,
  )

describe.skipIf(!isThere)("[IM2 TU7] a replay", () => {
  test.each([...raw, ...transcripts].map((file) => [file.split("/").at(-1), file] as const))(
    "of %s has a reason for each break, and sends nothing illegal",
    { timeout: 120_000 },
    async (_, file) => {
      const { record } = await replayRecorded(await sessionsOf(file), null)
      console.log(`figure: ${file.split("/").at(-1)} ${JSON.stringify(record)}`)
      expect([record.unexplained, record.illegal]).toEqual([0, 0])
      expect(record.readShareWarm).toBeGreaterThan(0.95)
      expect(record.inputTokens).toBeGreaterThan(record.cacheRead + record.cacheWrite - 1)
      if (transcripts.includes(file)) expect(record.requests).toBe(requestsOf(file))
    },
  )
})
