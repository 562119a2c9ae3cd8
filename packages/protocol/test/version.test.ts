/** Who is ahead of whom. */
import { describe, expect, test } from "vitest"
import { contractVersion, isAhead } from "../src/version.ts"

describe("[EV1] a caller", () => {
  test.each([
    ["1.3", "1.2", true],
    ["1.10", "1.9", true],
    ["2.0", "1.9", true],
    ["1.2", "1.2", false],
    ["1.1", "1.2", false],
    ["1.9", "2.0", false],
    ["1", "1.2", false],
    ["1.3.1", "1.2", false],
    ["1.3 ", "1.2", false],
    ["v1.3", "1.2", false],
    ["1e9.0", "1.2", false],
    ["", "1.2", false],
    [undefined, "1.2", false],
  ])("of %s is ahead of %s: %s", (given, own, expected) => expect(isAhead(given, own)).toBe(expected))

  test("of this very version is not ahead", () => {
    expect(contractVersion).toMatch(/^[0-9]+\.[0-9]+$/)
    expect(isAhead(contractVersion)).toBe(false)
  })
})
