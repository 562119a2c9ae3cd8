/**
 * Which rules of the SPEC the tests cite.
 *
 * A citation opens a title: `[SC1] …`, `[SC1 SC2] …` or `[SC1, SC2] …`. Titles may stand in a
 * table of cases or in a contract suite that several test files share, so every string below a
 * test folder is looked at. Tidy and the runner of mutants speak about citations, not by them.
 */
import { listSources, stringsOf } from "./source.ts"
import type { SourceFile } from "./source.ts"

export interface Citation {
  readonly file: string
  readonly rule: string
  readonly title: string
}

export const ruleIdsOf = (spec: string): string[] =>
  [...spec.matchAll(/^- ([A-Z]{2}\d+) /gm)].map((match) => match[1] ?? "")

export const citingSources = (): SourceFile[] =>
  listSources("packages", "test").filter(
    (file) => /^(packages\/.*?\/)?test\//.test(file.path) && !/^test\/(tidy|mutants)\//.test(file.path),
  )

export function citationsOf(files: readonly SourceFile[]): Citation[] {
  return files.flatMap((file) =>
    stringsOf(file).flatMap((title) =>
      citedRules(title).map((rule) => ({ file: file.path, rule, title: title.trim() })),
    ),
  )
}

/** The rules at the head of a title. */
export function citedRules(title: string): string[] {
  const head = /^\[([A-Z]{2}\d+(?:[ ,]+[A-Z]{2}\d+)*)\](?:\s|$)/.exec(title)?.[1]
  return head?.match(/[A-Z]{2}\d+/g) ?? []
}
