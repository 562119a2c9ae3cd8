/**
 * The mutants: small lies about a mechanism, each of which a test that cites the rule must notice.
 *
 * A rule counts as proven when a mutant here names it and `npm run mutants` sees a citing test
 * fail. Choose the lie that a tired person would write, not one that breaks everything.
 */

export interface Mutant {
  readonly name: string
  /** For each of them, at least one test that cites it has to fail. */
  readonly rules: readonly string[]
  /** From the root of the repository. */
  readonly file: string
  /** Source text that occurs exactly once in the file, and what stands there instead. */
  readonly find: string
  readonly replace: string
  readonly run: {
    /** Test files, from the root. */
    readonly files: readonly string[]
    /** Only tests whose full title matches, to save time. */
    readonly title?: string
    readonly env?: Readonly<Record<string, string>>
    readonly secondsMax?: number
  }
}

export const mutants: readonly Mutant[] = []
