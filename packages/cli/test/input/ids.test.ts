/** Ids as people type them. */
import { describe, expect, test } from "vitest"
import { pickId } from "../../src/input/ids.ts"

const candidates = ["ses_abcd1111", "ses_abcd2222", "ses_wxyz3333", "ses_abcd"].map((id) => ({
  id,
  label: id,
}))
const pick = (given: string) => {
  const picked = pickId("ses", given, candidates)
  return picked.kind === "one" ? picked.id : picked.kind
}

describe("[SU1] the beginning of an id suffices", () => {
  test.each([
    ["ses_wxyz", "ses_wxyz3333"],
    ["wxyz", "ses_wxyz3333"],
    ["abcd1", "ses_abcd1111"],
    ["ses_abcd", "ses_abcd"],
    ["abcd", "several"],
    ["ses_nope", "none"],
    ["ses_", "none"],
    ["wxy", "none"],
    ["", "none"],
  ])("%j is %s", (given, expected) => expect(pick(given)).toBe(expected))

  test("also of one that a caller chose, which has no kind before it", () => {
    expect(pickId("prm", "my-pr", [{ id: "my-prompt", label: "" }])).toEqual({ kind: "one", id: "my-prompt" })
  })
})
