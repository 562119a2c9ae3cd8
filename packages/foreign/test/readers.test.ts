/** What each agent's own shapes become: side chains, branches, images, titles, copies (IM2). */
import { expect, test } from "vitest"
import { readClaudeCode } from "../src/claude-code/claude-code.ts"
import { readCodex } from "../src/codex/codex.ts"
import { readPi } from "../src/pi/pi.ts"
import type { ForeignRecord } from "../src/record.ts"
import { readTranscript } from "../src/transcript/transcript.ts"
import { claudeCode, codex, pi, transcript } from "./made.ts"
import { account, bytesOf, linesOf, readAll } from "./read.ts"

const of = <A extends ForeignRecord["type"]>(records: readonly ForeignRecord[], type: A) =>
  records.filter((record): record is Extract<ForeignRecord, { type: A }> => record.type === type)

const png = "iVBORw0KGgo="

test("[IM2] Claude Code: a side chain is a session of its own, with or without the name of its agent", async () => {
  const main = claudeCode([{}])
  const aside = (lines: readonly object[], more: object) =>
    lines.map((line) => ({ ...line, isSidechain: true, sessionId: "11111111-aaaa", ...more }))
  const named = aside(claudeCode([{}], "x"), { agentId: "a1" })
  const bare = aside(claudeCode([{}], "y"), {})
  const records = await readAll(readClaudeCode, linesOf([...main, ...named, ...bare]))
  expect(of(records, "session").map(({ session, parent }) => [session, parent?.session ?? null])).toEqual([
    ["11111111-aaaa", null],
    ["11111111-aaaa/a1", "11111111-aaaa"],
    ["11111111-aaaa/y-u0", "11111111-aaaa"],
  ])
  expect(account(records).totals).toMatchObject({ sessions: 1, sideChains: 2, calls: 3 })
  expect(account(records, { session: "11111111" }).totals.calls).toBe(3)
  expect(account(records, { session: "11111111-aaaa/a1" }).totals.calls).toBe(1)
})

test("[IM2] Claude Code: an edited prompt branches where its parent has a prompt already; parallel results do not", async () => {
  const line = (uuid: string, parentUuid: string | null, type: string, content: unknown, more = {}) => ({
    uuid,
    parentUuid,
    type,
    sessionId: "s",
    message: {
      id: `m-${uuid}`,
      role: type,
      model: "claude-opus-4-6",
      content,
    },
    ...more,
  })
  const use = (id: string) => [{ type: "tool_use", id, name: "Read", input: {} }]
  const result = (id: string, more = {}) => [{ type: "tool_result", tool_use_id: id, content: "ok", ...more }]
  const lines = [
    line("u1", null, "user", "first"),
    line("a1", "u1", "assistant", use("t1")),
    line("a2", "a1", "assistant", use("t2"), {}),
    line("r1", "a1", "user", result("t1")),
    line(
      "r2",
      "a2",
      "user",
      result("t2", { is_error: true, content: "The user doesn't want to proceed with this tool use." }),
    ),
    { type: "progress", uuid: "p1", parentUuid: "r2", sessionId: "s" },
    line("u2", "p1", "user", "second"),
    line("a3", "u2", "assistant", [{ type: "text", text: "two" }]),
    line("u3", "p1", "user", "second, edited"),
    line("a4", "u3", "assistant", [{ type: "text", text: "three" }]),
    line("u4", null, "user", "first, edited"),
  ]
  const records = await readAll(readClaudeCode, linesOf(lines))
  expect(of(records, "branch").map(({ after }) => after)).toEqual(["r2", null])
  expect(of(records, "result").map(({ state }) => state)).toEqual(["done", "declined"])
})

test("[IM2] Claude Code: queued prompts, images, titles, synthetic answers and wrappers are told for what they are", async () => {
  const base = { sessionId: "s", timestamp: "2026-06-01T08:00:00Z" }
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png } }
  const lines = [
    {
      ...base,
      type: "user",
      uuid: "1",
      parentUuid: null,
      message: { role: "user", content: [{ type: "text", text: "look" }, image] },
    },
    {
      ...base,
      type: "attachment",
      uuid: "2",
      parentUuid: "1",
      attachment: { type: "queued_command", prompt: "and then this" },
    },
    {
      ...base,
      type: "user",
      uuid: "3",
      parentUuid: "2",
      message: { role: "user", content: "<command-name>/clear</command-name>" },
    },
    {
      ...base,
      type: "user",
      uuid: "4",
      parentUuid: "3",
      isMeta: true,
      message: { role: "user", content: "a caveat" },
    },
    {
      ...base,
      type: "assistant",
      uuid: "5",
      parentUuid: "4",
      message: {
        id: "m",
        model: "<synthetic>",
        role: "assistant",
        content: [{ type: "text", text: "API Error" }],
        usage: { input_tokens: 9 },
      },
    },
    {
      ...base,
      type: "user",
      uuid: "6",
      parentUuid: "5",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [image] }] },
    },
    { ...base, type: "custom-title", customTitle: "A title" },
    { type: "summary", summary: "of another session", leafUuid: "elsewhere" },
    { ...base, type: "brand-new-kind" },
    {
      ...base,
      type: "assistant",
      uuid: "7",
      parentUuid: "6",
      message: { id: "n", role: "assistant", model: "claude-opus-4-6", content: [{ type: "hologram" }] },
    },
  ]
  const records = await readAll(readClaudeCode, linesOf(lines))
  expect(of(records, "prompt").map(({ by, text, images }) => [by, text, images.length])).toEqual([
    ["person", "look", 1],
    ["person", "and then this", 0],
    ["agent", "<command-name>/clear</command-name>", 0],
    ["agent", "a caveat", 0],
  ])
  expect(of(records, "result")[0]?.images).toEqual([{ mediaType: "image/png", base64: png }])
  expect(of(records, "usage")).toEqual([])
  expect(of(records, "session").map(({ title }) => title)).toEqual([null, "A title"])
  expect(of(records, "skipped").map(({ line, why, detail }) => [line, why, detail])).toEqual([
    [9, "unknown-kind", "brand-new-kind"],
    [10, "unknown-kind", "assistant/hologram"],
  ])
})

test("[IM2] a request counts once, in one file or in two, and of its counts the last hold", async () => {
  const lines = claudeCode([{}, {}, {}])
  const copy = JSON.parse(
    JSON.stringify(lines).replaceAll('"sessionId":"11111111-aaaa"', '"sessionId":"copy"'),
  ) as object[]
  const once = await readAll(readClaudeCode, linesOf(lines))
  const twice = [...once, ...(await readAll(readClaudeCode, linesOf([...copy, ...claudeCode([{}], "more")])))]
  expect(account(once).totals).toMatchObject({ calls: 3, output: 100 + 101 + 102 })
  expect(account(twice).totals).toMatchObject({ calls: 4, output: 100 + 101 + 102 + 100 })
  expect(account(twice).breaks).toEqual([])
})

test("[IM2] Codex: a fork that repeats what was before it counts it once", async () => {
  const lines = codex([{}, {}, {}])
  const [head, ...rest] = lines
  const fork = { type: "session_meta", payload: { id: "fork", forked_from_id: "22222222-bbbb", cwd: "/w" } }
  const records = [
    ...(await readAll(readCodex, linesOf(lines))),
    ...(await readAll(readCodex, linesOf([fork, head!, ...rest]))),
  ]
  expect(account(records).totals).toMatchObject({ sessions: 2, calls: 3 })
  expect(of(records, "session")[1]).toMatchObject({
    session: "fork",
    parent: { kind: "branch", session: "22222222-bbbb" },
  })
})

test("[IM2] Codex: what was rolled back is left by a branch, and each request is one message", async () => {
  const records = await readAll(readCodex, linesOf(codex([{}, {}, {}, {}, { plant: "edit" }])))
  const prompts = of(records, "prompt")
  const [branch] = of(records, "branch")
  const before = records.findLast((record) => record.type === "result" && record.line < prompts[1]!.line)
  expect(branch?.after).toBe(before?.type === "result" ? before.id : "none")
  expect(new Set(of(records, "assistant").map(({ message }) => message)).size).toBe(5)
  expect(of(records, "assistant")[0]).toMatchObject({ provider: "openai", model: "gpt-5.5" })
})

test("[IM2] Pi: a tree branches where a line continues another than the one before it", async () => {
  const records = await readAll(readPi, linesOf(pi([{}, {}, {}, {}, { plant: "edit" }])))
  expect(of(records, "branch")).toHaveLength(1)
  const results = of(records, "result")
  expect(of(records, "branch")[0]?.after).toBe(results[2]?.id)
  expect(account(records).totals).toMatchObject({ sessions: 1, calls: 5 })
})

test("[IM2] Pi: a branch in a file of its own counts only what is new in it", async () => {
  const lines = pi([{}, {}, {}])
  const branch = [
    { ...lines[0], id: "branch", parentSession: "/before.jsonl" },
    ...pi([{}, {}, {}, {}]).slice(1),
  ]
  const records = [...(await readAll(readPi, linesOf(lines))), ...(await readAll(readPi, linesOf(branch)))]
  expect(account(records).totals).toMatchObject({ sessions: 2, calls: 4 })
  expect(account(records).breaks).toEqual([])
})

test("[IM2] a transcript tells each answer with its call, and its usage behind it", async () => {
  const records = await readAll(
    readTranscript,
    bytesOf(JSON.stringify(transcript([{}, {}, { plant: "compaction" }]))),
  )
  const kinds = records.filter(({ type }) => type !== "setting").map(({ type }) => type)
  expect(kinds).toEqual([
    "session",
    "prompt",
    "assistant",
    "usage",
    "result",
    "assistant",
    "usage",
    "result",
    "compaction",
    "prompt",
    "assistant",
    "usage",
    "result",
  ])
  expect(of(records, "prompt").map(({ by }) => by)).toEqual(["person", "summary"])
})
