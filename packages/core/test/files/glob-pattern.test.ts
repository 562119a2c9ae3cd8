/** Which files a pattern chooses. */
import { describe, expect, test } from "vitest"
import { readFilePattern } from "../../src/files/glob-pattern.ts"

const fits = (text: string, path: string): boolean => {
  const pattern = readFilePattern(text)
  if (typeof pattern === "string") throw new Error(pattern)
  return pattern.fits(path)
}

describe("a pattern", () => {
  test.each([
    ["*.ts", ["a.ts", "b/c/a.ts", ".ts"], ["a.tsx", "ts"]],
    ["**/*.ts", ["a.ts", "b/c/a.ts"], ["a.js"]],
    ["src/*.ts", ["src/a.ts"], ["a.ts", "src/b/a.ts", "x/src/a.ts"]],
    ["src/**/*.ts", ["src/a.ts", "src/b/c/a.ts"], ["a.ts", "x/src/a.ts"]],
    ["./src/*.ts", ["src/a.ts"], ["x/src/a.ts"]],
    ["src/", ["src/a", "src/b/c"], ["src", "x/src/a"]],
    ["src/**", ["src/a", "src/b/c"], ["src"]],
    ["*.{ts,tsx}", ["a.ts", "a.tsx"], ["a.js", "a.{ts,tsx}"]],
    ["{src,test}/*.{ts,{js,mjs}}", ["src/a.ts", "test/a.mjs"], ["lib/a.ts"]],
    ["a{b", ["a{b"], ["ab"]],
    ["{a}", ["{a}"], ["a"]],
    ["[ab]?.md", ["ax.md", "d/bx.md"], ["cx.md", "a.md"]],
    ["!*.md", ["a.ts"], ["a.md", "b/a.md"]],
    ["read*", ["readme", "x/read.ts"], ["bread"]],
  ])("%s", (text, named, others) => {
    expect(named.filter((path) => !fits(text, path))).toEqual([])
    expect(others.filter((path) => fits(text, path))).toEqual([])
  })

  test.each([
    ["../*.ts", "not-below"],
    ["src/../../x", "not-below"],
    ["{a,..}/x", "not-below"],
    ["/etc/*", "not-below"],
    ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "too-many-alternatives"],
    [`{${"a,".repeat(5_000)}}`, "too-many-alternatives"],
  ])("%s is refused", (text, fault) => expect(readFilePattern(text)).toBe(fault))

  test("tells the names that fit it, where any program reads them alike", () => {
    const names = (text: string) => {
      const pattern = readFilePattern(text)
      return typeof pattern === "string" ? pattern : pattern.names
    }
    expect(names("src/**/*.{ts,js}")).toEqual(["*.ts", "*.js"])
    expect(["src/**", "*", "!*.md", "[ab].ts", "a b"].map(names)).toEqual([null, null, null, null, null])
  })
})
