/**
 * Sources: where each claim about a provider comes from.
 *
 * Every limit, pattern and error text of a wire stands in one of three tables of facts:
 *   recorded    it was seen in real traffic, ours or quoted in a public report;
 *   documented  the provider's documentation states it;
 *   assumed     the behaviour is certain enough to simulate, the wording is ours.
 */

type Source = "recorded" | "documented" | "assumed"

/** The tables of a wire. */
export type Sources = Readonly<Record<Source, Readonly<Record<string, unknown>>>>

export type SourceCount = Readonly<Record<Source, number>>

/** How many error texts and how many limits, patterns and lists of a wire come from where. */
export interface SourceMarks {
  readonly texts: SourceCount
  readonly rules: SourceCount
}

export function marksOf(tables: readonly Sources[]): SourceMarks {
  return { texts: count(tables, isText), rules: count(tables, (fact) => !isText(fact)) }
}

/** A text is a string or what makes one; everything else is a limit, a pattern or a list. */
function isText(fact: unknown): boolean {
  return typeof fact === "string" || typeof fact === "function"
}

function count(tables: readonly Sources[], isCounted: (fact: unknown) => boolean): SourceCount {
  const of = (source: Source) =>
    tables.flatMap((table) => Object.values(table[source])).filter(isCounted).length
  return { recorded: of("recorded"), documented: of("documented"), assumed: of("assumed") }
}
