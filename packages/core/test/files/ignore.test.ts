/** Which paths the lines of an ignore file name. */
import { describe, expect, test } from "vitest"
import { isIgnored, readIgnoreRules } from "../../src/files/ignore.ts"

const ignores = (text: string, path: string, base = ""): boolean =>
  isIgnored([readIgnoreRules(base, text)], path.replace(/\/$/, ""), path.endsWith("/"))

describe("an ignore file", () => {
  test.each([
    ["node_modules", ["node_modules/", "a/node_modules/", "node_modules"], ["node_modules2", "a/modules"]],
    ["dist/", ["dist/", "a/dist/"], ["dist", "a/dist"]],
    ["/dist", ["dist/", "dist"], ["a/dist"]],
    ["a/b", ["a/b"], ["x/a/b", "b"]],
    ["*.log", ["x.log", "a/b/x.log", ".log"], ["x.logs", "log"]],
    ["a?c", ["abc"], ["ac", "abbc", "a/c"]],
    ["[a-c]x", ["ax", "cx"], ["dx", "x"]],
    ["[!a-c]x", ["dx"], ["ax", "x"]],
    ["**/logs", ["logs", "a/logs", "a/b/logs"], ["a/logsx"]],
    ["a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a/bx", "b"]],
    ["a/**", ["a/b", "a/b/c"], ["a", "b/a"]],
    ["\\#x", ["#x"], ["x"]],
    ["\\!x", ["!x"], ["x"]],
    ["# a comment", [], ["# a comment", "a"]],
    ["", [], ["a"]],
    ["[x", ["[x"], ["x"]],
  ])("%s", (text, named, others) => {
    expect(named.filter((path) => !ignores(text, path))).toEqual([])
    expect(others.filter((path) => ignores(text, path))).toEqual([])
  })

  test("names again what an earlier line has passed over, and the last line that fits decides", () => {
    const text = "*.log\n!keep.log\nkeep.log/x\r\n"
    expect(["a.log", "keep.log", "b/keep.log"].map((path) => ignores(text, path))).toEqual([
      true,
      false,
      false,
    ])
  })

  test("of an inner directory wins over an outer one, and counts from where it stands", () => {
    const files = [readIgnoreRules("", "*.txt"), readIgnoreRules("a", "!/x.txt\n/y")]
    const judged = ["x.txt", "a/x.txt", "a/b/x.txt", "a/y", "y"].map((path) => isIgnored(files, path, false))
    expect(judged).toEqual([true, false, true, true, false])
  })

  test("cannot be written so that a name takes long to judge", () => {
    const text = `${"*a".repeat(400)}b`
    const began = performance.now()
    expect(ignores(text, "a".repeat(255))).toBe(false)
    expect(performance.now() - began).toBeLessThan(1_000)
  })
})
