/** What was said in fewer words: what is left stands as it stood, and what is not there is marked. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { inClauses } from "@holdfast/recall/historian/clauses"
import { tokensOf } from "@holdfast/recall/historian/words"

const umlauts = "Mind the umlauts: Bäckerei, not Baeckerei. Then read l6.txt."
const step =
  "Step 1: read l1.txt, and compare it with what customer Hargreaves-1 said about the missing loaf on 11 March."

test("[HI1] a rule keeps its names and its negation, wherever they stand in it", () => {
  const rule =
    "Whenever you happen to be writing some of the code that belongs to this, never touch legacy_tabs.ini"
  expect(inClauses(rule, 8)).toBe("… never touch legacy_tabs.ini")
  expect(inClauses("Use tabs.", 8)).toBe("Use tabs.")
})

test.each([
  [umlauts, 40, umlauts],
  [umlauts, 14, "… Bäckerei, not Baeckerei. Then read l6.txt."],
  [umlauts, 9, "… Bäckerei, not Baeckerei. …"],
  [step, 14, "Step 1: read l1.txt, … Hargreaves-1 … 11 March."],
  [
    "Keep the public API of src/ledger.ts in every release as it is.",
    10,
    "Keep the public … src/ledger.ts …",
  ],
  [
    "Everything under vendor/acme is generated, so do not edit it.",
    12,
    "Everything under vendor/acme … not edit …",
  ],
  [
    "Push to main once the tests have run, but never to release-7.",
    14,
    "Push to main once the … but never … release-7.",
  ],
  [
    "In tests, always use the fake clock. Then go on as before.",
    12,
    "In tests, always use the fake clock. …",
  ],
  ["Tell me about it. Use tabs, not spaces, in Makefiles.", 12, "… Use tabs, not spaces, in Makefiles."],
  [
    "Say it short. Hex only, for example #A1B2C3, never a name.",
    15,
    "… Hex only, for example #A1B2C3, never a name.",
  ],
  [
    "Log as info. Keep debug off, if you can, during the night.",
    14,
    "… Keep debug off, if you can, during the night.",
  ],
  ["Kurz bitte. Umlaute bleiben, außer in Dateinamen.", 12, "… Umlaute bleiben, außer in Dateinamen."],
  [
    "Remember: customer 4711 has the old layout until May, and everybody else has the new one.",
    17,
    "… customer 4711 has the old layout until May, …",
  ],
  ["Deploys: never on a Friday. All the rest of it may wait.", 10, "Deploys: never on a Friday. …"],
  [
    "If a file is longer than four hundred lines, split it. Then go on with the rest of the work.",
    8,
    "If a file is longer than …",
  ],
  ["#12 is what I mean, and nothing else at all in this.", 5, "… #12 is what I …"],
])(
  "[HI1] of %j in %d tokens whole clauses are left, or its first words and names, with marks for the rest",
  (said, tokensMax, left) => expect(inClauses(said, tokensMax)).toBe(left),
)

const word = fc.constantFrom(
  "use",
  "tabs",
  "not",
  "Kestrel,",
  "a.ini",
  "and:",
  "但し、",
  "is.",
  "never",
  "so",
  "–",
  "x9",
)

test("[HI1] whatever is said, nothing is joined that did not stand together", () => {
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 3, max: 40 }),
      (words, tokensMax) => {
        const said = words.join(" ")
        const left = inClauses(said, tokensMax)
        let from = 0
        for (const stretch of left
          .split("…")
          .map((one) => one.trim())
          .filter((one) => one !== "")) {
          const at = said.indexOf(stretch, from)
          expect(at, `${stretch} of ${left}`).toBeGreaterThanOrEqual(from)
          from = at + stretch.length
        }
        expect(left.startsWith("…")).toBe(!said.startsWith(left.slice(0, 2)))
        expect(tokensOf(left)).toBeLessThanOrEqual(tokensMax * 2 + 12)
      },
    ),
  )
})
