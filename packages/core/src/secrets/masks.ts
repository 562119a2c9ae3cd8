/**
 * The masks of a runtime: the shapes of secrets, and the secrets that its configuration has read (AU1).
 *
 * A credential is known from the moment it is read; it is looked for as it stands, and as it stands in
 * an address, in JSON or in base64.
 */
import type { Json } from "@holdfast/schema/json"
import { createMaskStream, type Known, mask, maskJson, type MaskStream } from "./mask.ts"
import { findHits, makeScanner, type Scanner } from "./scan.ts"
import { escaped, shapesOfSecrets, type Shape } from "./shapes.ts"
import { shapesOfExamples, shapesOfStatements } from "./statements.ts"

export interface Masks {
  /** For whatever is about to be stored or told, and was not written by a model. Twice is the same as once. */
  readonly text: (text: string) => string
  /** For what is kept beyond a Session: also secrets that have no shape, and are named for what they are. */
  readonly kept: (text: string) => string
  /** The texts of a value, names of fields included. */
  readonly json: (value: Json) => Json
  /** Secrets that were read from the configuration, and no shapes: for records that must else stay as they are. */
  readonly known: (text: string) => string
  /** For text that comes in pieces. */
  readonly stream: () => MaskStream
}

export interface LearningMasks extends Masks {
  /** From now on these are looked for too. A repeat changes nothing. */
  readonly learn: (secrets: readonly string[]) => void
}

export interface MaskOptions {
  /** What the tokens are made with; one for each store. */
  readonly key: Uint8Array
  /** False looks for known secrets alone. */
  readonly shapes?: boolean
}

const nothing: ReadonlySet<string> = new Set()
/** Of learned secrets, the newest. */
const learnedMax = 256

export function makeMasks({ key, shapes = true }: MaskOptions): LearningMasks {
  const looked = shapes ? shapesOfSecrets : []
  const kept = shapes ? [shapesOfExamples, shapesOfStatements] : []
  let lastKept: readonly Known[] | null = null
  const learned = new Set<string>()
  // Made at their first use, since a host opens and learns before it has anything to mask.
  let lastKnown: Known | null = null
  let lastExact: Known | null = null
  const known = () => (lastKnown ??= knownOf(key, looked, learned))
  const exact = () => (lastExact ??= knownOf(key, [], learned))
  const text = (given: string): string => mask(given, known()).text
  return {
    text,
    kept: (given) => {
      lastKept ??= kept.map((one) => knownOf(key, one, nothing))
      return lastKept.reduce((hidden, one) => mask(hidden, one).text, text(given))
    },
    json: (value) => maskJson(value, text),
    known: (given) => mask(given, exact()).text,
    stream: () => createMaskStream(known),
    learn: (secrets) => {
      const fresh = secrets.filter((secret) => isHideable(secret) && !learned.has(secret))
      if (fresh.length === 0) return
      for (const secret of fresh) learned.add(secret)
      for (const oldest of learned) if (learned.size > learnedMax) learned.delete(oldest)
      lastKnown = null
      lastExact = null
    },
  }
}

const secretLengthMin = 8

/** Servers that need no key are given words in its place, and words must not be hidden. */
const isHideable = (secret: string): boolean =>
  secret.length >= secretLengthMin && (/\d/.test(secret) || (/[a-z]/.test(secret) && /[A-Z]/.test(secret)))

function knownOf(key: Uint8Array, shapes: readonly Shape[], learned: ReadonlySet<string>): Known {
  const spelled = new Map(
    [...learned].flatMap((secret) => {
      const known = { secret, kind: kindOf(secret) }
      return spellings(secret).map((spelling) => [spelling, known] as const)
    }),
  )
  return {
    scanner: makeScanner([...[...spelled.keys()].map(exactShape), ...shapes]),
    key,
    spelledAs: (text) => spelled.get(text) ?? null,
  }
}

let byShape: Scanner | null = null

/** The same as by its shape, so that a secret has one token, learned or not. */
function kindOf(secret: string): string {
  byShape ??= makeScanner(shapesOfSecrets)
  const [hit] = findHits(byShape, secret)
  return hit?.start === 0 && hit.end === secret.length ? hit.kind : "credential"
}

const spellings = (secret: string): readonly string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
]

const leadMax = 64

const exactShape = (secret: string): Shape => ({
  kind: "credential",
  leads: [secret.slice(0, leadMax)],
  pattern: new RegExp(escaped(secret), "dy"),
  open: null,
  before: /(?!)/,
  accepts: () => true,
})
