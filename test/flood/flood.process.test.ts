/**
 * A flood: whatever a tool gives, the model is shown a bounded part of it, all of it can be had where there
 * is more, memory stays small, and the Session goes on (TO1, TO3, TO5).
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import type { CallOutcome } from "@holdfast/schema/message"
import { scripted, textReply } from "@holdfast/provider-sim"
import { type EmbeddedHoldfast, openHoldfast, settled } from "@holdfast/sdk"
import { makePlace, type Place } from "../../packages/sdk/test/place.ts"

const megabyte = 1_000_000
const line = `${"a line of output, as long as many are ".repeat(3)}\n`
const floodBytes = Number(process.env["HOLDFAST_FLOOD_MB"] ?? 10) * megabyte
const flood = line.repeat(Math.ceil(floodBytes / line.length))
const longLine = "x".repeat(10 * megabyte)

let place: Place
let holdfast: EmbeddedHoldfast
let sessionID: string
let server: Server
let next: { readonly name: string; readonly input: JsonObject } | null = null
let before = 0
let highest = 0

const pages: Readonly<Record<string, RequestListener>> = {
  "/flood": (_, response) => response.end(flood),
  "/large": (_, response) => response.end(flood.slice(0, 4 * megabyte)),
  "/line": (_, response) => response.end(longLine.slice(0, 4 * megabyte)),
  "/bytes": (_, response) => response.end(Buffer.alloc(200_000, 0xff)),
  "/nothing": (_, response) => response.end(),
  "/error": (_, response) => response.writeHead(500).end(flood.slice(0, megabyte)),
  "/never": () => {},
}

beforeAll(async () => {
  const model = scripted(({ messages }) => {
    const call = next
    next = null
    if (messages.at(-1)?.blocks.some(({ type }) => type === "tool_result") === true || call === null)
      return textReply("I go on.")
    return { blocks: [{ type: "tool_use", ...call }] }
  })
  place = await makePlace(model)
  server = createServer((request, response) => {
    response.setHeader("content-type", "text/plain; charset=utf-8")
    pages[request.url ?? ""]?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  makeFiles(place.directory)
  const configured = place.options.configDir ?? ""
  mkdirSync(join(configured, "skills", "long"), { recursive: true })
  const skill = `---\ndescription: A long one.\n---\n${"Do this, then that.\n".repeat(3_000)}`
  writeFileSync(join(configured, "skills", "long", "SKILL.md"), skill)
  writeFileSync(join(configured, "holdfast.jsonc"), '{ "webfetchPrivateHosts": ["127.0.0.1"] }')
  holdfast = await openHoldfast({
    ...place.options,
    environment: { ...process.env, HOME: place.directory },
    allow: ["*"],
  })
  await registerTools()
  before = process.memoryUsage.rss()
  setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 10).unref()
}, 60_000)

beforeEach(async () => {
  sessionID = (await holdfast.sessions.create()).id
})

afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await holdfast.close()
  await place[Symbol.asyncDispose]()
})

function makeFiles(directory: string): void {
  const write = (path: string, content: string | Buffer) => writeFileSync(join(directory, path), content)
  write("flood.txt", flood)
  write("huge.txt", longLine.repeat(4))
  write("line.txt", longLine)
  write("bytes.bin", Buffer.alloc(200_000, 0xff))
  write("nothing.txt", "")
  mkdirSync(join(directory, "many"))
  for (let n = 0; n < 2_500; n++) write(join("many", `${n}-${"x".repeat(60)}`), "")
  mkdirSync(join(directory, "none"))
  execFileSync("mkfifo", [join(directory, "pipe")])
}

async function registerTools(): Promise<void> {
  const gives: Readonly<Record<string, () => unknown>> = {
    flood: () => flood,
    line: () => longLine,
    bytes: () => "a\ud800b\udfff\0".repeat(50_000),
    nothing: () => undefined,
    empty: () => "",
    json: () => Array.from({ length: 20_000 }, (_, n) => ({ n, path: `/data/${n}`, text: line })),
    error: () => {
      throw new Error(flood)
    },
    never: () => new Promise(() => {}),
  }
  await holdfast.tools.register({
    name: "program",
    description: "Gives what it is asked for.",
    inputSchema: {
      type: "object",
      properties: { what: { type: "string", enum: Object.keys(gives) } },
      required: ["what"],
    },
    timeoutMs: 1_000,
    run: (input, { output }) => {
      const { what } = input as { readonly what: string }
      if (what === "never") output("something\n")
      return gives[what]?.() as string
    },
  })
}

async function outcomeOf(name: string, input: JsonObject): Promise<CallOutcome> {
  next = { name, input }
  await holdfast.sessions.prompt({ sessionID, text: `Use ${name}` })
  const end = await settled(holdfast, { sessionID })
  expect(end).toMatchObject({ status: "done", text: "I go on." })
  const { items } = await holdfast.sessions.messages({ sessionID, order: "newest-first", limit: 4 })
  const parts = items.flatMap((message) => (message.kind === "assistant" ? message.parts : []))
  const call = parts.map(({ part }) => part).find((part) => part.type === "call")
  if (call?.type !== "call" || call.outcome === null) throw new Error("no call")
  return call.outcome as CallOutcome
}

interface Expected {
  readonly state?: CallOutcome["state"]
  readonly code?: string
  /** Of the file with all of it; at least so much. */
  readonly bytes?: number
  readonly shows?: RegExp
}

type Case = readonly [name: string, what: string, input: JsonObject, expected: Expected]

const web = (path: string, more: JsonObject = {}): JsonObject => ({ url: path, ...more })
const patch = (...lines: readonly string[]): JsonObject => ({
  patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
})

const many: Expected = { code: "several_places", shows: /occurs more than 100000 times/ }

const cases: readonly Case[] = [
  ["program", "a flood", { what: "flood" }, { bytes: floodBytes }],
  ["program", "one line of 10 MB", { what: "line" }, { bytes: 10 * megabyte }],
  ["program", "text that is no Unicode", { what: "bytes" }, { bytes: 250_000 }],
  ["program", "nothing", { what: "nothing" }, { shows: /^\(no result\)$/ }],
  ["program", "an empty text", { what: "empty" }, { shows: /^$/ }],
  ["program", "a large value", { what: "json" }, { bytes: 2 * megabyte, shows: /"path": "\/data\/0"/ }],
  ["program", "a flood of an error", { what: "error" }, { code: "tool_failed", bytes: floodBytes }],
  [
    "program",
    "a promise that never settles",
    { what: "never" },
    { code: "timeout", shows: /within 1000 ms/ },
  ],
  ["program", "an input that does not fit", { what: "else" }, { code: "invalid_input", shows: /one of/ }],
  ["bash", "a flood", { command: "cat flood.txt" }, { bytes: floodBytes }],
  ["bash", "one line of 10 MB", { command: "cat line.txt" }, { bytes: 10 * megabyte }],
  ["bash", "bytes that are no UTF-8", { command: "cat bytes.bin" }, { bytes: 600_000 }],
  ["bash", "nothing", { command: "true" }, { shows: /^\(no output\)$/ }],
  ["bash", "an error", { command: "echo no >&2; exit 3" }, { shows: /^no\n\[exit code 3\]$/ }],
  [
    "bash",
    "no end",
    { command: "echo on; exec sleep 600", timeoutMs: 300 },
    { shows: /\[timed out after 300 ms/ },
  ],
  ["read", "a flood", { path: "flood.txt" }, { shows: /go on with offset \d+\]$/ }],
  ["read", "one line of 10 MB", { path: "line.txt" }, { shows: /\[line cut\]/ }],
  ["read", "bytes that are no UTF-8", { path: "bytes.bin" }, { code: "binary_file" }],
  ["read", "nothing", { path: "nothing.txt" }, { shows: /is empty/ }],
  ["read", "an error", { path: "flod.txt" }, { code: "not_found", shows: /flood\.txt/ }],
  ["read", "a pipe that nobody writes", { path: "pipe" }, { code: "not_a_file" }],
  [
    "grep",
    "a flood",
    { pattern: "line", path: "flood.txt", limit: 1_900 },
    { shows: /at least 2000 matching/ },
  ],
  ["grep", "one line of 10 MB", { pattern: "x$", path: "line.txt" }, { shows: /^1: …x+$/m }],
  ["grep", "bytes that are no UTF-8", { pattern: "nothing", path: "bytes.bin" }, {}],
  ["grep", "nothing", { pattern: "zebra", path: "many" }, { shows: /^\[no line matches/ }],
  ["grep", "an error", { pattern: "(" }, { code: "invalid_pattern" }],
  ["grep", "a pipe that nobody writes", { pattern: "a", path: "pipe" }, { code: "not_a_file" }],
  ["glob", "2,500 paths", { pattern: "many/*", limit: 1_900 }, { shows: /more files left out/ }],
  ["glob", "nothing", { pattern: "*.none" }, { shows: /^\[no file fits/ }],
  ["glob", "an error", { pattern: "../*" }, { code: "invalid_pattern" }],
  ["list", "2,500 entries", { path: "many" }, { shows: /more lines left out/ }],
  ["list", "nothing", { path: "none" }, { shows: /nothing to show/ }],
  ["list", "an error", { path: "flood.txt" }, { code: "not_a_directory" }],
  ["write", "over a file of 40 MB", { path: "huge.txt", content: "" }, { code: "too_large" }],
  ["write", "nothing", { path: "written.txt", content: "" }, { shows: /written\.txt/ }],
  ["edit", "a file of 40 MB", { path: "huge.txt", oldText: "a", newText: "b" }, { code: "too_large" }],
  ["edit", "one line of 10 MB", { path: "line.txt", oldText: "x", newText: "y", replaceAll: true }, many],
  [
    "edit",
    "text that is not there",
    { path: "line.txt", oldText: "xy", newText: "y" },
    { code: "not_found" },
  ],
  [
    "edit",
    "bytes that are no UTF-8",
    { path: "bytes.bin", oldText: "x", newText: "y" },
    { code: "binary_file" },
  ],
  [
    "apply_patch",
    "one line of 10 MB",
    patch("*** Update File: line.txt", "-xxx", "+y"),
    { code: "hunk_misfit" },
  ],
  ["apply_patch", "nothing", patch(), { code: "malformed_patch" }],
  ["apply_patch", "a file of 40 MB", patch("*** Delete File: huge.txt"), { code: "too_large" }],
  ["webfetch", "a flood", web("/flood"), { code: "too_large" }],
  ["webfetch", "4 MB", web("/large"), { bytes: 4 * megabyte }],
  ["webfetch", "one line of 4 MB", web("/line"), { bytes: 4 * megabyte }],
  ["webfetch", "bytes that are no UTF-8", web("/bytes"), { bytes: 600_000 }],
  ["webfetch", "nothing", web("/nothing"), { shows: /empty/ }],
  ["webfetch", "an error", web("/error"), { code: "http_status" }],
  ["webfetch", "no end", web("/never", { timeoutMs: 300 }), { code: "timeout" }],
  [
    "todo",
    "a long list",
    { todos: Array.from({ length: 25 }, () => ({ content: "x".repeat(450), status: "pending" })) },
    { shows: /25 of 25 open$/ },
  ],
  ["todo", "nothing", { todos: [] }, { shows: /^\(no todos\)$/ }],
  ["skill", "as much as there may be", { name: "long" }, { bytes: 60_000 }],
  ["skill", "an error", { name: "lng" }, { code: "skill_not_found", shows: /Did you mean long/ }],
]

test.each(cases)("[TO1 TO3 TO5] %s: %s", async (name, _, input, { state, code, bytes, shows }) => {
  const { port } = server.address() as AddressInfo
  const given =
    name === "webfetch" ? { ...input, url: `http://127.0.0.1:${port}${String(input["url"])}` } : input
  const outcome = await outcomeOf(name, given)
  const { output, outputFile, errorCode } = outcome
  expect({ state: outcome.state, errorCode }).toEqual({
    state: state ?? (code === undefined ? "done" : "failed"),
    errorCode: code ?? null,
  })
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(51_200)
  expect(output.split("\n").length).toBeLessThanOrEqual(2_000)
  if (shows !== undefined) expect(output).toMatch(shows)
  expect(outputFile === undefined).toBe(bytes === undefined)
  if (outputFile === undefined || bytes === undefined) return
  expect(output).toContain(outputFile.path)
  expect(outputFile.complete).toBe(true)
  expect(outputFile.bytes).toBeGreaterThanOrEqual(bytes)
  expect(statSync(outputFile.path).size).toBe(outputFile.bytes)
  if (name !== "bash") return
  expect((await outcomeOf("read", { path: outputFile.path, limit: 1 })).state).toBe("done")
  const counted = await outcomeOf("grep", { pattern: "^", path: outputFile.path, output: "counts" })
  expect(counted.output).toBe(`${outputFile.path}: ${linesIn(outputFile.path)}`)
})

const linesIn = (path: string): number => readFileSync(path, "utf8").replace(/\n$/, "").split("\n").length

test("[TO3 TO8] the file of a command is the text that was received, byte for byte", async () => {
  const command = "for i in $(seq 4000); do printf 'a\\377\\0b\\n'; done"
  const { outputFile, output } = await outcomeOf("bash", { command })
  expect(readFileSync(outputFile?.path ?? "", "utf8")).toBe("a\uFFFD\0b\n".repeat(4_000))
  expect(output).toContain("a\uFFFD\uFFFDb\n")
})

test("[TO1 TO3] bash_output: a flood of a background command", async () => {
  const started = await outcomeOf("bash", { command: "cat flood.txt", background: true })
  const { command: id, outputFile } = started.structured as { command: string; outputFile: string }
  const looked = await outcomeOf("bash_output", { id, waitMs: 60_000 })
  expect(looked.output).toMatch(/\[ended: exit code 0; all of its output is in the file /)
  expect(Buffer.byteLength(looked.output)).toBeLessThanOrEqual(51_200)
  expect(readFileSync(outputFile, "utf8") === flood).toBe(true)
})

test("[TO1] question: an answer of 1 MB", async () => {
  next = { name: "question", input: { question: "Which?" } }
  await holdfast.sessions.prompt({ sessionID, text: "Ask" })
  expect(await settled(holdfast, { sessionID })).toMatchObject({ status: "asking" })
  const [ask] = (await holdfast.asks.list({ sessionID })).items
  await holdfast.asks.answer({ askID: ask?.id ?? "", decision: "answer", text: flood.slice(0, megabyte) })
  expect(await settled(holdfast, { sessionID })).toMatchObject({ status: "done", text: "I go on." })
  const { items } = await holdfast.sessions.messages({ sessionID, order: "newest-first", limit: 4 })
  const outputs = JSON.stringify(items)
  expect(Buffer.byteLength(outputs)).toBeLessThan(60_000)
  expect(outputs).toMatch(/left out here: \d+ of \d+ lines/)
})

test("[TO1] the memory of all that has gone by is small", () => {
  expect(highest - before).toBeLessThan(400 * megabyte)
})
