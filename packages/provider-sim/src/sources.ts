/**
 * Sources: where each claim about a provider comes from.
 *
 * Every limit, pattern and error text of a wire stands in a table of facts, and every fact carries
 * a mark:
 *   documented  the provider's documentation states it;
 *   recorded    it was seen in real traffic, ours or quoted in a public report;
 *   assumed     the behaviour is certain enough to simulate, the wording is ours.
 */

export type Source = "recorded" | "documented" | "assumed"

export interface Fact<T> {
  readonly source: Source
  readonly value: T
}

export type Facts = Readonly<Record<string, Fact<unknown>>>

export interface SourceCount {
  readonly recorded: number
  readonly documented: number
  readonly assumed: number
}

/** How many error texts and how many limits, patterns and lists of a wire come from where. */
export interface SourceMarks {
  readonly texts: SourceCount
  readonly rules: SourceCount
}

export const recorded = <T>(value: T): Fact<T> => ({ source: "recorded", value })
export const documented = <T>(value: T): Fact<T> => ({ source: "documented", value })
export const assumed = <T>(value: T): Fact<T> => ({ source: "assumed", value })

export function marksOf(tables: readonly Facts[]): SourceMarks {
  const facts = tables.flatMap((table) => Object.values(table))
  return {
    texts: count(facts.filter((fact) => isText(fact.value))),
    rules: count(facts.filter((fact) => !isText(fact.value))),
  }
}

/** A text is a string or what makes one; everything else is a limit, a pattern or a list. */
function isText(value: unknown): boolean {
  return typeof value === "string" || typeof value === "function"
}

function count(facts: readonly Fact<unknown>[]): SourceCount {
  const of = (source: Source) => facts.filter((fact) => fact.source === source).length
  return { recorded: of("recorded"), documented: of("documented"), assumed: of("assumed") }
}
