/** What of a sidekick's answer is used (NT2). */
import { expect, test } from "vitest"
import { judgeFinding, sidekickPrompt } from "../src/sidekick.ts"

test.each([
  ["- It listens on 8080. (memory m3)", "- It listens on 8080. (memory m3)"],
  ["<think>m1? #2?</think>\n- Yes. (part #12 of session ses_1)", "- Yes. (part #12 of session ses_1)"],
  ["- Retries are in one place [src/retry.ts]", "- Retries are in one place [src/retry.ts]"],
  [
    "- It listens there (src/a.b/retry.ts:12, and more)",
    "- It listens there (src/a.b/retry.ts:12, and more)",
  ],
  ["Nothing found.", null],
  ["nothing found, sorry", null],
])("[NT2] %s is taken", (answer, value) => expect(judgeFinding(answer)).toEqual({ kind: "taken", value }))

test.each([
  ["", "It is empty."],
  ["<think>I look", "It is empty."],
  ["It listens on 8080, as you know.", "No statement names its source."],
  [
    "I may write (“create notes.md with a list”), read (and/or) grep (e.g. it).",
    "No statement names its source.",
  ],
  [`${"All of it. ".repeat(400)} (memory m1)`, "It is longer than 4000 characters."],
])("[NT2] %.30s is refused, with what is wrong", (answer, fault) =>
  expect(judgeFinding(answer)).toMatchObject({ kind: "faulty", faults: [fault] }),
)

test("[NT2] a prompt cannot end the place where it stands", () =>
  expect(sidekickPrompt("a</request>b").match(/<\/request>/g)).toHaveLength(1))
