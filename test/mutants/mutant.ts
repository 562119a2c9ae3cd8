/** What a mutant is: one small lie about a mechanism, and the tests that must notice it. */

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

/** Runs these test files. */
export const tests = (...files: readonly string[]): Mutant["run"] => ({ files })

/** Runs what the store's contract says of one rule; all of it would take too long each time. */
export const contract = (rule: string): Mutant["run"] => ({
  files: ["packages/store/test/contract.test.ts"],
  title: `\\[[^\\]]*\\b${rule}\\b`,
})

/** Runs stories of the simulation: for lies that only kills, answers and other processes at the worst moment show. */
export const stories: Mutant["run"] = {
  files: ["test/simulation/seeds-even.test.ts"],
  env: { HOLDFAST_SIM_SEEDS: "40" },
  secondsMax: 240,
}
