/** What `context_expand` reads: pages that together hold every character once, and the forms in which a part is named. */
import { describe, expect, test } from "vitest"
import { expandPage, readRange } from "@holdfast/recall"
import type { Message } from "@holdfast/schema/message"
import { pageBytesMax, pageLinesMax } from "../src/expand.ts"
import { assistant, call, text, user } from "./history.ts"

/** All pages of some messages, from the first on. */
function pagesOf(messages: readonly Message[]): readonly string[] {
  const pages: string[] = []
  let from: { readonly seq: number; readonly offset: number } | null = { seq: 0, offset: 0 }
  while (from !== null && pages.length < 50) {
    const { seq, offset } = from
    const page = expandPage(
      messages.filter((message) => message.seq >= seq),
      offset,
    )
    pages.push(page.text)
    from = page.next
  }
  return pages
}

const bodies = (pages: readonly string[]): string =>
  pages.map((page) => page.replace(/^#\d+ [^\n]*\n/, "")).join("")

describe("[TG4] a message of many pages is read to its end, each character once", () => {
  test.each([
    ["one long line", "w".repeat(150_000)],
    ["characters of two bytes", "é".repeat(70_000)],
    ["characters of four bytes behind one of one", `x${"🧭".repeat(30_000)}`],
    ["many short lines", Array.from({ length: 5_000 }, (_, n) => `line ${n}`).join("\n")],
    ["empty lines", "\n".repeat(4_000)],
  ])("%s", (_, whole) => {
    const pages = pagesOf([user(7, whole)])
    expect(pages.length).toBeGreaterThan(2)
    expect(bodies(pages)).toBe(whole)
    for (const page of pages) {
      expect(Buffer.byteLength(page)).toBeLessThanOrEqual(pageBytesMax)
      expect(page.split("\n").length).toBeLessThanOrEqual(pageLinesMax)
      expect(page.isWellFormed()).toBe(true)
    }
  })
})

test("[TG4] a page ends between messages where little of the next one would have room, and the next page begins with it", () => {
  const messages = [user(1, "a".repeat(39_000)), assistant(2, text("b".repeat(30_000)), call(3, "seen"))]
  const first = expandPage(messages)
  expect(first).toMatchObject({ messages: 1, next: { seq: 2, offset: 0 } })
  const second = expandPage(messages.slice(1))
  expect(second.next).toBeNull()
  expect(second.text).toContain("[work {}: done]\nseen")
})

test("[TG4 TO1] pages of many messages are bounded in bytes, whatever script they are written in", () => {
  const messages = Array.from({ length: 9 }, (_, n) => user(n + 1, "é".repeat(4_000)))
  const pages = pagesOf(messages)
  expect(pages).toHaveLength(2)
  for (const page of pages) expect(Buffer.byteLength(page)).toBeLessThanOrEqual(pageBytesMax)
})

test("[TG4] an offset past the end of a message is answered with where it ends, and what follows is read", () => {
  const messages = [user(80, "Short."), assistant(81, text("Yes."))]
  const past = "#80 the user ends at character 6: nothing of it stands from character 39000 on."
  expect(expandPage(messages.slice(0, 1), 39_000)).toEqual({ text: past, messages: 1, next: null })
  expect(expandPage(messages, 6).text).toBe(`${past.replace("39000", "6")}\n\n#81 you\nYes.`)
})

test.each([
  ["c12-310", [12, 310]],
  ["C12-310r0a1b2c3d", [12, 310]],
  ["#12", [12, 12]],
  ["§12§", [12, 12]],
  ["§12.01§", [12, 12]],
  ["#12-#310", [12, 310]],
  ["12 – 310", [12, 310]],
  ["310-12", null],
  ["all", null],
  ["", null],
] as const)("[TG4] %j names %j", (given, range) => {
  const [fromSeq, toSeq] = range ?? []
  expect(readRange(given)).toEqual(range === null ? null : { fromSeq, toSeq })
})
