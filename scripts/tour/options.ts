/** What the reader asked for on the command line. */
import { randomInt } from "node:crypto"
import { resolve } from "node:path"
import { parseArgs } from "node:util"

interface TourOptions {
  /** For a fresh tour; one that goes on has its own. */
  readonly seed: number
  /** The folder of a killed tour. */
  readonly goOn: string | null
  readonly pace: Pace
}

/** How fast the model speaks, and how long a section stands before the next one begins. */
export interface Pace {
  readonly chunkChars: number
  readonly delayMs: number
  readonly restMs: number
}

const paces = {
  slow: { chunkChars: 3, delayMs: 30, restMs: 4_000 },
  usual: { chunkChars: 4, delayMs: 28, restMs: 600 },
  fast: { chunkChars: 4, delayMs: 8, restMs: 0 },
} as const satisfies Record<string, Pace>

const seedsMax = 10_000

export type ReadOptions =
  | { readonly kind: "tour"; readonly options: TourOptions }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string }

export function readOptions(argv: readonly string[]): ReadOptions {
  try {
    const { values } = parseArgs({ args: [...argv], options: known })
    if (values.help === true) return { kind: "help" }
    const seed = seedOf(values.seed)
    if (seed === undefined) return { kind: "wrong", problem: "--seed takes a whole number." }
    const goOn = values["go-on"] === undefined ? null : resolve(values["go-on"])
    const pace = values.slow === true ? paces.slow : values.fast === true ? paces.fast : paces.usual
    return { kind: "tour", options: { goOn, pace, seed: seed ?? randomInt(seedsMax) } }
  } catch (failure) {
    // parseArgs throws for what it does not know, with a sentence that says so.
    return { kind: "wrong", problem: failure instanceof Error ? failure.message : String(failure) }
  }
}

export const help = `npm start                        Holdfast at work, offline, in half a minute
npm start -- --slow              the same, to read along (--fast: without waiting)
npm start -- --seed 7            kills the server at the moments that seed 7 chooses
npm start -- --go-on FOLDER      carries on a tour that was killed
`

const known = {
  seed: { type: "string" },
  slow: { type: "boolean" },
  fast: { type: "boolean" },
  "go-on": { type: "string" },
  help: { type: "boolean" },
} as const

/** Null if none is given, undefined if it is no number. */
function seedOf(text: string | undefined): number | null | undefined {
  if (text === undefined) return null
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
