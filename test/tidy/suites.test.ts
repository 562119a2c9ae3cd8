/** Every test runs in exactly one suite, and all suites together keep to the time of `npm test`. */
import { expect, test } from "vitest"
import { stagesBudgetSeconds } from "../../scripts/stages.ts"
import {
  assignFiles,
  budgetOf,
  budgetSecondsMax,
  findTestFiles,
  lanesMax,
  suites,
} from "../../scripts/suites.ts"
import type { Suite } from "../../scripts/suites.ts"
import { mutants } from "../mutants/mutants.ts"

test("the table of suites fits the tree", () =>
  expect(assignFiles(suites, findTestFiles()).complaints).toEqual([]))

test("the mutants run as soon as there are some", () => {
  const pending = suites.find((suite) => suite.name === "mutants")?.pending === true
  expect(pending, 'Keep "pending" of the suite mutants in step with test/mutants/mutants.ts.').toBe(
    mutants.length === 0,
  )
})

test("the budgets fit into the time of npm test", () => {
  // The stages are the first jobs of the lanes.
  const seconds = stagesBudgetSeconds / lanesMax + budgetOf(suites)
  expect(seconds, "Make suites faster before you give them more time.").toBeLessThanOrEqual(budgetSecondsMax)
})

test("budgets share the lanes, but those of suites that run alone", () => {
  const suite = (budgetSeconds: number, more: Partial<Suite> = {}): Suite => ({
    name: "a",
    budgetSeconds,
    ...more,
  })
  expect(budgetOf([suite(4), suite(2), suite(2)], 2)).toBe(4)
  expect(budgetOf([suite(4), suite(2), suite(2), suite(3, { alone: true })], 2)).toBe(7)
  expect(budgetOf([suite(9), suite(1)], 2)).toBe(9)
})

test("a file in no suite, in two suites, and an empty suite are reported", () => {
  const suite = (name: string, glob: string, more: Partial<Suite> = {}): Suite => ({
    name,
    budgetSeconds: 1,
    files: [glob],
    ...more,
  })
  const table = [
    suite("a", "a/**"),
    suite("all-a", "a/x*"),
    suite("b", "b/**", { pending: true }),
    suite("c", "c/**"),
    suite("p", "a/**/*.process.test.ts", { processes: true }),
  ]
  const { files, complaints } = assignFiles(table, [
    "a/one.test.ts",
    "a/xx.test.ts",
    "a/two.process.test.ts",
    "b/three.test.ts",
    "d/four.test.ts",
  ])
  expect(files.get("p")).toEqual(["a/two.process.test.ts"])
  expect(files.get("a")).toEqual(["a/one.test.ts", "a/xx.test.ts"])
  expect(complaints.map((line) => line.slice(0, 28))).toEqual([
    "a/xx.test.ts is in the suite",
    "d/four.test.ts is in no suit",
    "The suite b has files now: r",
    "The suite c matches no test ",
  ])
})
