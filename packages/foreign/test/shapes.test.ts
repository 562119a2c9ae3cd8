/** Small shapes of each agent's lines, one table a reader: what a line holds is what is told of it (IM2). */
import { describe, expect, test } from "vitest"
import { readClaudeCode } from "../src/claude-code/claude-code.ts"
import { readCodex } from "../src/codex/codex.ts"
import { readOpenCodeExport } from "../src/opencode/export.ts"
import { readPi } from "../src/pi/pi.ts"
import type { ForeignRecord } from "../src/record.ts"
import { bytesOf, linesOf, readAll } from "./read.ts"

const of = <A extends ForeignRecord["type"]>(records: readonly ForeignRecord[], type: A) =>
  records.filter((record): record is Extract<ForeignRecord, { type: A }> => record.type === type)

const statesOf = (records: readonly ForeignRecord[]) => of(records, "result").map(({ state }) => state)
const sayersOf = (records: readonly ForeignRecord[]) =>
  of(records, "prompt").map(({ by, text }) => [by, text])

describe("Claude Code", () => {
  const read = (lines: readonly object[]) =>
    readAll(readClaudeCode, linesOf(lines.map((line, at) => ({ uuid: `u${at}`, sessionId: "s", ...line }))))

  test("[IM2] what was written is told by its life, with or without a sum", async () => {
    const split = { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 }
    const usages = [
      { input_tokens: 1, cache_creation: split },
      { input_tokens: 1, cache_creation: split, cache_creation_input_tokens: 50 },
      { input_tokens: 1, cache_creation: split, cache_creation_input_tokens: 10 },
      { input_tokens: 1, cache_creation_input_tokens: 50 },
    ]
    const records = await read(
      usages.map((usage, at) => ({
        type: "assistant",
        message: { id: `m${at}`, role: "assistant", model: "claude-opus-4-6", content: [], usage },
      })),
    )
    expect(
      of(records, "usage").map(({ cacheWrite5m, cacheWrite1h }) => [cacheWrite5m, cacheWrite1h]),
    ).toEqual([
      [20, 30],
      [20, 30],
      [0, 10],
      [50, 0],
    ])
  })

  test("[IM2] how a call ended is told by its result", async () => {
    const results = [
      { content: "ok" },
      { content: "no such file", is_error: true },
      { content: "The user doesn't want to proceed with this tool use.", is_error: true },
      { content: "[Request interrupted by user for tool use]", is_error: true },
      { content: "<tool_use_error>Request interrupted by user", is_error: true },
    ]
    const content = results.map((result, at) => ({ type: "tool_result", tool_use_id: `t${at}`, ...result }))
    const records = await read([{ type: "user", message: { role: "user", content } }])
    expect(statesOf(records)).toEqual(["done", "failed", "declined", "interrupted", "interrupted"])
  })

  test("[IM2 PR7] a queued prompt is its person's, and a queued notification nobody's", async () => {
    const queued = (prompt: string, more: object = {}) => ({
      type: "attachment",
      attachment: { type: "queued_command", prompt, ...more },
    })
    const records = await read([
      queued("and this"),
      queued("a task has ended", { commandMode: "task-notification" }),
      queued("<system-reminder>brief</system-reminder>"),
      { type: "attachment", attachment: { type: "todo" } },
    ])
    expect(sayersOf(records)).toEqual([
      ["person", "and this"],
      ["agent", "a task has ended"],
      ["agent", "<system-reminder>brief</system-reminder>"],
    ])
  })
})

describe("Codex", () => {
  const read = (items: readonly object[]) =>
    readAll(
      readCodex,
      linesOf([
        { type: "session_meta", payload: { id: "s" } },
        ...items.map((payload) => ({ type: "response_item", payload })),
      ]),
    )
  const call = (id: string) => ({ type: "function_call", call_id: id, name: "shell", arguments: "{}" })
  const output = (id: string, value: unknown, more: object = {}) => ({
    type: "function_call_output",
    call_id: id,
    output: value,
    ...more,
  })
  const message = (role: string, text: string) => ({
    type: "message",
    role,
    content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
  })

  test("[IM2] how a call ended is told by its output", async () => {
    const records = await read([
      output("1", "ok"),
      output("2", "aborted by user after 3 s"),
      output("3", { content: "exit 1", success: false }),
      output("4", "gone", { status: "failed" }),
      output("5", "abortedly fine"),
    ])
    expect(statesOf(records)).toEqual(["done", "interrupted", "failed", "failed", "done"])
  })

  test("[IM2 PR7] only a user's own words are a person's", async () => {
    const records = await read([
      message("user", "Do it."),
      message("developer", "Be brief."),
      message("user", "<environment_context>…</environment_context>"),
    ])
    expect(of(records, "prompt").map(({ by }) => by)).toEqual(["person", "agent", "agent"])
  })

  test("[IM2] once all calls have their output, what follows is another answer", async () => {
    const records = await read([
      message("user", "Do it."),
      call("1"),
      call("2"),
      output("1", "ok"),
      message("assistant", "still the first"),
      output("2", "ok"),
      message("assistant", "the second"),
    ])
    expect(of(records, "assistant").map(({ message: own }) => own)).toEqual(["#3", "#3", "#3", "#8"])
  })
})

describe("Pi", () => {
  const read = (messages: readonly object[]) =>
    readAll(
      readPi,
      linesOf([
        { type: "session", id: "s", cwd: "/w" },
        ...messages.map((message, at) => ({ type: "message", id: `e${at}`, message })),
      ]),
    )

  test("[IM2 PR7] a command that its person ran is nobody's words, and one kept back is not told", async () => {
    const ran = { role: "bashExecution", command: "ls", output: "a.txt" }
    const records = await read([ran, { ...ran, excludeFromContext: true }])
    expect(sayersOf(records)).toEqual([["agent", "$ ls\na.txt"]])
  })

  test("[IM2] what was written for an hour is a part of what was written", async () => {
    const counts = { input: 1, output: 2, cacheRead: 3, cacheWrite: 50, cacheWrite1h: 30 }
    const said = { role: "assistant", provider: "anthropic", model: "claude-opus-4-5", content: [] }
    const records = await read([
      { ...said, timestamp: 1, usage: counts },
      { ...said, timestamp: 2, usage: { ...counts, cacheWrite1h: 90 } },
    ])
    expect(
      of(records, "usage").map(({ cacheWrite5m, cacheWrite1h }) => [cacheWrite5m, cacheWrite1h]),
    ).toEqual([
      [20, 30],
      [0, 50],
    ])
  })
})

describe("OpenCode", () => {
  const read = (messages: readonly object[]) =>
    readAll(readOpenCodeExport, bytesOf(JSON.stringify({ info: { id: "ses_1" }, messages })))
  const step = (input: number) => ({
    type: "step-finish",
    tokens: { input, output: 1, reasoning: 2, cache: {} },
  })

  test("[IM2] several steps in one message are several requests, and reasoning is output", async () => {
    const info = { id: "m", role: "assistant", tokens: { input: 7, output: 1, reasoning: 2 } }
    const inputs = async (parts: readonly object[]) =>
      of(await read([{ info, parts }]), "usage").map(({ input, output }) => [input, output])
    expect(await inputs([])).toEqual([[7, 3]])
    expect(await inputs([step(3), step(4)])).toEqual([
      [3, 3],
      [4, 3],
    ])
  })

  test("[IM2] how a call ended is told by its state", async () => {
    const states = [
      { status: "completed", output: "ok" },
      { status: "error", error: "File not found" },
      { status: "error", error: "The user rejected permission to use this specific tool call." },
      { status: "error", error: "Tool execution aborted" },
      { status: "running" },
    ]
    const parts = states.map((state, at) => ({
      id: `p${at}`,
      type: "tool",
      tool: "bash",
      callID: `c${at}`,
      state,
    }))
    const records = await read([{ info: { id: "m", role: "assistant" }, parts }])
    expect(statesOf(records)).toEqual(["done", "failed", "declined", "interrupted"])
  })
})
