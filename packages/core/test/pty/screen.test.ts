/** A screen that is drawn again on a blank terminal looks and behaves the same. */
import { expect, test } from "vitest"
import { Screen } from "../../src/pty/screen.ts"
import { blankTerminal, lookAt, writeTo } from "./seen-screen.ts"

const size = { columns: 40, rows: 10 }

/** What a late reader sees who gets the screen after the first text, against one who read it all. */
async function compare(before: string | Uint8Array, after: string) {
  const screen = new Screen(size, () => {})
  const bytes = Buffer.from(before)
  screen.write(bytes, () => {})
  const { cursor, text } = await screen.serialise()
  const early = blankTerminal(size)
  await writeTo(early, bytes)
  const late = blankTerminal(size)
  await writeTo(late, Buffer.from(text))
  await writeTo(late, bytes.subarray(cursor))
  const seen = [lookAt(late), lookAt(early)]
  for (const terminal of [early, late]) await writeTo(terminal, Buffer.from(after))
  const further = [lookAt(late), lookAt(early)]
  return { seen, further }
}

test.each([
  [
    "colours and attributes",
    "\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3;4munder\x1b[48;5;200m on",
    " more\r\nand more",
  ],
  ["wide and combined characters", "語語 🙂 e\u0301\r\nab語", "x\x1b[Dy"],
  ["a scrolled screen", Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\r\n"), "\r\nlast"],
  ["the alternate screen", "before\x1b[?1049h\x1b[2J\x1b[5;5Hinside", "!\x1b[?1049lafter"],
  ["a hidden cursor and the mouse", "\x1b[?25l\x1b[?1002h\x1b[?1006hx", "\x1b[?25h"],
  ["lines that scroll", "head\x1b[3;6r\x1b[6;1Hsix", "\r\nseven\r\neight"],
  ["lines that scroll, from their origin", "head\x1b[3;6r\x1b[?6h\x1b[2;2Hx", "\x1b[1;1Htop\r\ny"],
  ["a line that is full", "a".repeat(40), "b"],
  ["modes of the keyboard", "\x1b[?1h\x1b=\x1b[?2004h$ ", "x"],
  ["half a sequence", "a\x1b[3", "1mred"],
  ["half a title", "a\x1b]0;tit", "le\x07b"],
])("[PT1] with %s", async (_, before, after) => {
  const { seen, further } = await compare(before, after)
  expect(seen[0]).toEqual(seen[1])
  expect(further[0]).toEqual(further[1])
})

test("[PT1] with half a character", async () => {
  const bytes = Buffer.from("ab語")
  const { further } = await compare(bytes.subarray(0, 4), "")
  expect(further[0]).toEqual(further[1])
  const screen = new Screen(size, () => {})
  screen.write(bytes.subarray(0, 4), () => {})
  expect((await screen.serialise()).cursor).toBe(2)
})

test("[PT1] a screen that is too much text comes without the lines above it", async () => {
  const screen = new Screen({ columns: 200, rows: 5 }, () => {})
  const cells = Array.from({ length: 200 }, (_, at) => `\x1b[38;2;${at};0;0mx`).join("")
  screen.write(Buffer.from(`${cells}\r\n`.repeat(900)), () => {})
  const { text } = await screen.serialise()
  expect(text.length).toBeLessThan(100_000)
  expect(text).toContain("\x1b[38;2;199;0;0mx")
})

test("[PT1] a title is told", async () => {
  const titles: string[] = []
  const screen = new Screen(size, (title) => titles.push(title))
  screen.write(Buffer.from("\x1b]0;one\x07\x1b]2;two\x1b\\"), () => {})
  await screen.serialise()
  expect(titles).toEqual(["one", "two"])
})
