/** Readers of a terminal that is moved by hand: cursors, screens, cuts and ends. */
import type { PtyId } from "@holdfast/schema/id"
import { expect, test } from "vitest"
import { type Attachment, attachTo } from "../../src/pty/attachment.ts"
import { Terminal } from "../../src/pty/terminal.ts"

const bufferBytes = 10
const waitMs = 60_000

function makeTerminal(): Terminal {
  const id = "pty_a" as PtyId
  const made = { id, seq: 1, argv: ["sh"], directory: "/", title: null, columns: 80, rows: 24 }
  return new Terminal(made, { id, leader: null, group: null }, bufferBytes)
}

const put = (terminal: Terminal, text: string) => terminal.put(Buffer.from(text))
const screenAt = (cursor: number, text: string) => () =>
  Promise.resolve({ cursor, columns: 80, rows: 24, text })
const noScreen = () => Promise.reject(new Error("no screen is asked for"))

/** Items with their data as text. */
async function next(attachment: Attachment) {
  const item = await attachment.next(waitMs)
  return item !== null && item !== "quiet" && "data" in item
    ? { ...item, data: Buffer.from(item.data).toString() }
    : item
}

test("[PT1] replays from the cursor, then goes on as it comes, and ends with the exit", async () => {
  const terminal = makeTerminal()
  put(terminal, "abcdef")
  const attachment = attachTo(terminal, 2, noScreen)
  expect(attachment.cursor).toBe(2)
  expect(await next(attachment)).toEqual({ type: "output", cursor: 6, data: "cdef" })
  const later = next(attachment)
  put(terminal, "gh")
  expect(await later).toEqual({ type: "output", cursor: 8, data: "gh" })
  put(terminal, "i")
  terminal.finish({ code: 3, signal: null }, null)
  expect(await next(attachment)).toEqual({ type: "output", cursor: 9, data: "i" })
  expect(await next(attachment)).toEqual({ type: "exit", cursor: 9, code: 3, signal: null })
  expect(await next(attachment)).toBeNull()
})

test("[PT1] a cursor at the very end is one that is kept", async () => {
  const terminal = makeTerminal()
  put(terminal, "abc")
  const attachment = attachTo(terminal, 3, noScreen)
  const later = next(attachment)
  put(terminal, "d")
  expect(await later).toEqual({ type: "output", cursor: 4, data: "d" })
})

test.each([
  ["no cursor", null],
  ["one past the buffer", 1],
  ["one that was never reached", 99],
])("[PT1] with %s it begins with the screen, and goes on behind it", async (_, from) => {
  const terminal = makeTerminal()
  put(terminal, "abcdefghijkl")
  const attachment = attachTo(terminal, from, screenAt(11, "drawn"))
  expect(attachment.cursor).toBeNull()
  expect(await next(attachment)).toEqual({ type: "screen", cursor: 11, columns: 80, rows: 24, data: "drawn" })
  expect(await next(attachment)).toEqual({ type: "output", cursor: 12, data: "l" })
})

test("[PT1] a reader that falls behind the buffer is cut off with a reason, and others go on", async () => {
  const terminal = makeTerminal()
  const slow = attachTo(terminal, 0, noScreen)
  const quick = attachTo(terminal, 0, noScreen)
  put(terminal, "abcdefghij")
  expect(await next(quick)).toMatchObject({ type: "output", cursor: 10 })
  put(terminal, "k")
  expect(await next(quick)).toEqual({ type: "output", cursor: 11, data: "k" })
  expect(await next(slow)).toEqual({
    type: "cut-off",
    cursor: 0,
    reason: { code: "reader_behind", message: expect.stringContaining("Attach again") },
  })
  expect(await next(slow)).toBeNull()
})

test("[PT1] tells a size once to each reader, also one that has another from its screen", async () => {
  const terminal = makeTerminal()
  const attachment = attachTo(terminal, 0, noScreen)
  terminal.resize({ columns: 100, rows: 30 })
  expect(await next(attachment)).toEqual({ type: "resized", columns: 100, rows: 30 })
  const late = attachTo(terminal, null, screenAt(0, ""))
  expect(await next(late)).toMatchObject({ type: "screen", columns: 80 })
  expect(await next(late)).toEqual({ type: "resized", columns: 100, rows: 30 })
  put(terminal, "a")
  expect(await next(late)).toMatchObject({ type: "output" })
})

test("[PT1] says when nothing came, and ends when the reader leaves", async () => {
  const attachment = attachTo(makeTerminal(), 0, noScreen)
  expect(await attachment.next(1)).toBe("quiet")
  const waiting = next(attachment)
  attachment.leave()
  expect(await waiting).toBeNull()
})

test("[PT1] the title is the given one, else the program's, else its command line", () => {
  const terminal = makeTerminal()
  expect(terminal.describe().title).toBe("sh")
  terminal.entitle("  vim\u0007\u001b notes.txt ")
  expect(terminal.describe().title).toBe("vim   notes.txt")
  terminal.entitle("\u0000")
  expect(terminal.describe().title).toBe("sh")
})
