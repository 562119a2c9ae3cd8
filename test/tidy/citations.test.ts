/** Tests, mutants and docs/rules.md speak of rules that exist, and none of them says more than the others. */
import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { specPath } from "../../scripts/glossary.ts"
import { mutants } from "../mutants/mutants.ts"
import { citationsOf, citedRules, citingSources, ruleIdsOf } from "./citations.ts"
import { judgeRules, parseRules, rulesPath } from "./rules.ts"

const spec = readFileSync(specPath, "utf8")
const ids = ruleIdsOf(spec)
const citations = citationsOf(citingSources())

test("every rule of the SPEC has an id of its own", () => {
  expect(ids.length).toBeGreaterThan(0)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test("every cited rule exists", () => {
  const unknown = citations.filter((citation) => !ids.includes(citation.rule))
  expect(unknown, "Cite a rule of docs/SPEC.md, or drop the brackets.").toEqual([])
})

test("titles state facts", () => {
  const wishes = citations.filter((citation) => /\bshould\b/.test(citation.title))
  expect(wishes, 'Write what is the case, in the present tense, without "should".').toEqual([])
})

test("every mutant names rules that exist and are cited", () => {
  const cited = new Set(citations.map((citation) => citation.rule))
  const loose = mutants.flatMap((mutant) => mutant.rules.filter((rule) => !cited.has(rule)))
  expect(loose, "A mutant proves a rule that a test cites; see test/mutants/mutants.ts.").toEqual([])
})

test("a title cites all its rules in one pair of brackets", () => {
  const lost = citations.filter((citation) => /^\[[^\]]*\] *\[[A-Z]{2}\d/.test(citation.title))
  expect(lost, "Write [SC1 SC2]: a second pair is not read.").toEqual([])
})

test("docs/rules.md agrees with the SPEC and with the tests", () => {
  const faults = judgeRules(spec, parseRules(readFileSync(rulesPath, "utf8")), citations)
  expect(faults, "Mend docs/rules.md, or the citation in the title of the test.").toEqual([])
})

test("citations are read from the head of a title", () => {
  expect(citedRules("[SC1] holds")).toEqual(["SC1"])
  expect(citedRules("[SC1 EP14] hold")).toEqual(["SC1", "EP14"])
  expect(citedRules("[SC1, EP14] hold for %s")).toEqual(["SC1", "EP14"])
  expect(citedRules("see [SC1]")).toEqual([])
  expect(citedRules("[SC1]x")).toEqual([])
  const text = 'test.each([["[SC2] a", 1]])("%s", f)\nit.effect(`[SC3] ${name} b`, f) // [SC4] c'
  expect(citationsOf([{ path: "t.ts", text }]).map((citation) => citation.rule)).toEqual(["SC2", "SC3"])
})
