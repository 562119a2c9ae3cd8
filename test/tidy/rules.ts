/**
 * The state of each rule: docs/rules.md, read and held to the SPEC and to the tests.
 *
 * A table for each section of the SPEC: rule, state, what it says or what lacks, test files. The
 * page claims and the tests show, so neither may say more than the other: what is done or partly
 * done is cited by a test, and what is absent by none.
 */
import { join } from "node:path"
import { repositoryRoot } from "../../scripts/command.ts"
import { mutants } from "../mutants/mutants.ts"
import type { Citation } from "./citations.ts"

interface RuleRow {
  readonly id: string
  /** As it stands there: one of `ruleStates`, or a fault. */
  readonly state: string
  readonly note: string
  readonly tests: readonly string[]
}

export interface RulesPage {
  /** Titles of sections and ids of rules, in their order. */
  readonly outline: readonly string[]
  readonly rows: readonly RuleRow[]
}

export interface RuleCounts {
  readonly rules: number
  readonly done: number
  readonly partly: number
  readonly absent: number
  /** Done, and a mutant makes a test that cites it fail. */
  readonly proven: number
}

export const rulesPath = join(repositoryRoot, "docs/rules.md")

const ruleStates: readonly string[] = ["done", "partly", "absent"]
const testsNamedMax = 3
const columns = 4

export function parseRules(page: string): RulesPage {
  const rows = page.split("\n").filter(isRow).map(parseRow)
  return { outline: outlineOf(page, /^## ([A-Z]\. .+)$|^\| *([A-Z]{2}\d+) /gm), rows }
}

/** What is wrong with the page, a sentence each. */
export function judgeRules(spec: string, page: RulesPage, citations: readonly Citation[]): string[] {
  const outline = outlineOf(spec, /^## ([A-Z]\. .+)$|^- ([A-Z]{2}\d+) /gm)
  const citing = Map.groupBy(citations, ({ rule }) => rule)
  return [
    ...judgeOutline(outline, page.outline),
    ...page.rows.flatMap((row) => judgeRow(row, new Set(citing.get(row.id)?.map(({ file }) => file)))),
  ]
}

/** A mutant of a part proves a part: only a rule that is done can be proven. */
export function countRules(
  { rows }: RulesPage,
  lies: readonly { readonly rules: readonly string[] }[] = mutants,
): RuleCounts {
  const lied = new Set(lies.flatMap(({ rules }) => rules))
  const count = (state: string) => rows.filter((row) => row.state === state).length
  return {
    rules: rows.length,
    done: count("done"),
    partly: count("partly"),
    absent: count("absent"),
    proven: rows.filter(({ id, state }) => state === "done" && lied.has(id)).length,
  }
}

export const describeCounts = ({ rules, done, partly, absent, proven }: RuleCounts): string =>
  `rules done ${done}, partly ${partly}, absent ${absent} of ${rules}; proven ${proven}`

/** A row of a table, without its head and the line below that. */
const isRow = (line: string): boolean => line.startsWith("|") && !/^\| *(rule|---)/.test(line)

function parseRow(line: string): RuleRow {
  const cells = line.split("|").slice(1, -1)
  const [id = "", state = "", note = "", tests = ""] = cells.map((cell) => cell.trim())
  // With another number of cells nobody knows which is which.
  const legible = cells.length === columns
  return { id, state: legible ? state : "", note, tests: tests.split(", ").filter((test) => test !== "") }
}

const outlineOf = (text: string, entry: RegExp): string[] =>
  [...text.matchAll(entry)].map(([, section, rule]) => section ?? rule ?? "")

function judgeOutline(wanted: readonly string[], found: readonly string[]): string[] {
  const missing = wanted.filter((each) => !found.includes(each)).map((each) => `${each} is missing`)
  const unknown = found.filter((each) => !wanted.includes(each)).map((each) => `${each} is not in the SPEC`)
  if (missing.length + unknown.length > 0) return [...missing, ...unknown]
  const at = found.findIndex((each, index) => each !== wanted[index])
  return at === -1 ? [] : [`${found[at]} stands where the SPEC has ${wanted[at] ?? "nothing more"}`]
}

function judgeRow({ id, state, note, tests }: RuleRow, citing: ReadonlySet<string>): string[] {
  const [cited = null] = citing
  const claims = state === "done" || state === "partly"
  return [
    ...(ruleStates.includes(state) ? [] : [`${id} has none of the states ${ruleStates.join(", ")}`]),
    ...(claims && cited === null ? [`${id} is ${state}, and no test cites it`] : []),
    ...(claims && tests.length === 0 ? [`${id} is ${state}, and names no test file`] : []),
    ...(state === "absent" && cited !== null ? [`${id} is absent, and ${cited} cites it`] : []),
    ...(note === "" ? [`${id} is ${state}, and does not say in short what that is, or what lacks`] : []),
    ...(tests.length > testsNamedMax ? [`${id} names more than ${testsNamedMax} test files`] : []),
    ...tests.filter((test) => !citing.has(test)).map((test) => `${id} names ${test}, which does not cite it`),
  ]
}
