/** The lines of a server's log, and the origins that it is given. */
import { expect, test } from "vitest"
import { readOrigin } from "../../src/server/host-name.ts"
import { type LogLevel, logLevels, makeLog } from "../../src/server/log.ts"
import { keptTerminal } from "../terminal.ts"

const atMs = Date.UTC(2026, 10, 16, 12, 30, 5, 250)

test("a line of JSON has its time, its level, its event and its fields", () => {
  const { terminal, said } = keptTerminal()
  const log = makeLog(terminal, { format: "json", level: "info" }, () => atMs)
  log({
    level: "info",
    event: "serving",
    fields: { url: "http://127.0.0.1:1", addresses: [] },
    text: "It serves.",
  })
  log({ level: "error", event: "defect", fields: { detail: "two\nlines" } })
  expect(said).toEqual({
    out:
      '{"time":"2026-11-16T12:30:05.250Z","level":"info","event":"serving","url":"http://127.0.0.1:1","addresses":[]}\n' +
      '{"time":"2026-11-16T12:30:05.250Z","level":"error","event":"defect","detail":"two\\nlines"}\n',
    err: "",
  })
})

test("a person is told what has words for them, on standard error", () => {
  const { terminal, said } = keptTerminal()
  const log = makeLog(terminal, { format: "text", level: "info" })
  log({ level: "info", event: "stopping", text: "Stopping." })
  log({ level: "info", event: "stopped" })
  expect(said).toEqual({ out: "", err: "Stopping.\n" })
})

test.each<[LogLevel, readonly LogLevel[]]>([
  ["debug", ["debug", "info", "warn", "error"]],
  ["info", ["info", "warn", "error"]],
  ["warn", ["warn", "error"]],
  ["error", ["error"]],
])("the level %s lets %j through", (level, through) => {
  const { terminal, said } = keptTerminal()
  const log = makeLog(terminal, { format: "json", level })
  for (const each of logLevels) log({ level: each, event: "any" })
  const levels = said.out
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { level: string }).level)
  expect(levels).toEqual(through)
})

test.each<[string, string | null]>([
  ["https://app.example", "https://app.example"],
  ["https://App.Example/", "https://app.example"],
  ["https://app.example:443", "https://app.example"],
  [" http://localhost:5173 ", "http://localhost:5173"],
  ["tauri://localhost", "tauri://localhost"],
  ["http://[::1]:3000", "http://[::1]:3000"],
  ["*", null],
  ["null", null],
  ["", null],
  ["app.example", null],
  ["https://*.example", null],
  ["https://app.example/path", null],
  ["https://app.example?x=1", null],
  ["https://user@app.example", null],
  ["https://a.example, https://b.example", null],
  ["file:///home", null],
  ["https://", null],
])("[AU1] --allowed-origin %j is read as %j", (text, origin) => expect(readOrigin(text)).toBe(origin))
