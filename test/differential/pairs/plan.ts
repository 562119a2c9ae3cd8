/**
 * Plans of conversations: who is asked what, what is answered, and how each answer breaks off.
 *
 * Words bear marks that are numbered when a plan is played, so that later it can be told what of
 * them stands where.
 */
import * as fc from "fast-check"
import type { Media } from "@holdfast/schema/media"
import type { CallOutcome } from "@holdfast/schema/message"
import { png, storedAs } from "../../stage/png.ts"
import type { Said } from "./answers.ts"

export interface TurnPlan {
  /** Null if the model goes on by itself. */
  readonly prompt: { readonly text: string; readonly images: readonly Media[] } | null
  /** What the context says at this boundary. */
  readonly update: string | null
  readonly said: readonly Said[]
  readonly end: End
  /** Where the stream is cut into pieces. */
  readonly pieces: readonly number[]
  readonly outcomes: readonly (CallOutcome | null)[]
  readonly quarantined: boolean
}

export type End =
  | { readonly kind: "whole" }
  /** The stream ends early, at a share of its bytes; `closes`: it seems to end well. */
  | { readonly kind: "cut"; readonly share: number; readonly closes: boolean }
  | { readonly kind: "damaged"; readonly at: number; readonly length: number; readonly put: Uint8Array }

/** One model speaks for a while, then the other, then the first again. */
export type Plan = readonly [
  first: readonly TurnPlan[],
  second: readonly TurnPlan[],
  third: readonly TurnPlan[],
]

const pictures = [11, 12, 13].map((width) =>
  storedAs({ bytes: png(width, 5), name: `${width} \ud83d\ude00"</notice>.png` }),
)

export function bytesOfPicture(digest: string): Uint8Array {
  const found = pictures.find(({ media }) => media.hash === digest)
  if (found === undefined) throw new Error(`no picture of this test has the hash ${digest}`)
  return found.bytes
}

/** What breaks encoders: half pairs, tags, quotes, blanks, controls, nothing at all. */
const oddText = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.constantFrom(
    "\ud800",
    "x\udc00y",
    '"\\',
    "</notice>",
    '<context-update from="runtime">',
    "\u2028",
    "👩‍👩‍👧",
  ),
)

/** Words with a mark in front, which is numbered when the plan is played; or nothing worth a mark. */
const marked = (kind: string) =>
  fc.oneof({ weight: 8, arbitrary: oddText.map((text) => `${kind}-#; ${text}`) }, fc.constantFrom("", " \n"))

const anyImages = fc.subarray(pictures.map(({ media }) => media))
const maybe = <A>(arbitrary: fc.Arbitrary<A>, freq: number) => fc.option(arbitrary, { nil: null, freq })

export const anySaid: fc.Arbitrary<Said> = fc.oneof(
  // A provider signs what it wrote, and it writes whole characters.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("thought" as const),
      text: marked("thought").map((text) => text.toWellFormed()),
      sealed: fc.boolean(),
    }),
  },
  fc.constant<Said>({ kind: "secret" }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("text" as const), text: marked("said"), sealed: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      name: fc.oneof(
        { weight: 4, arbitrary: fc.constant("read") },
        fc.constantFrom("no tool/of ours", "ü", "x".repeat(90)),
      ),
      args: fc.oneof(
        {
          weight: 4,
          arbitrary: fc
            .record({ path: oddText.map((text) => `arg-#; ${text}`), deep: fc.jsonValue({ maxDepth: 2 }) })
            .map((input) => JSON.stringify(input)),
        },
        fc.constantFrom("", '{"path": "a'),
      ),
    }),
  },
  fc.record({ kind: fc.constant("hosted" as const), words: fc.constant("hosted-#;") }),
)

const anyOutcome: fc.Arbitrary<CallOutcome | null> = maybe(
  fc
    .record({
      state: fc.constantFrom("done" as const, "done" as const, "failed" as const, "interrupted" as const),
      output: marked("result"),
      images: maybe(anyImages, 2),
    })
    .map(({ images, ...outcome }) => ({
      ...outcome,
      truncated: null,
      errorCode: null,
      ...(images === null ? {} : { images }),
    })),
  6,
)

const anyEnd: fc.Arbitrary<End> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<End>({ kind: "whole" }) },
  fc.record({
    kind: fc.constant("cut" as const),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    closes: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("damaged" as const),
    at: fc.nat(),
    length: fc.nat(8),
    put: fc.uint8Array({ maxLength: 4 }),
  }),
)

const anyPrompt = fc.record({
  text: marked("asked"),
  images: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, anyImages),
})

const anyTurn = (first: boolean): fc.Arbitrary<TurnPlan> =>
  fc.record({
    prompt: first ? anyPrompt : maybe(anyPrompt, 3),
    update: maybe(
      oddText.map((text) => `update-#; ${text}`),
      2,
    ),
    said: fc.array(anySaid, { maxLength: 5 }),
    end: anyEnd,
    pieces: fc.array(fc.nat(), { maxLength: 3 }),
    outcomes: fc.array(anyOutcome, { minLength: 1, maxLength: 3 }),
    quarantined: fc.nat(15).map((one) => one === 0),
  })

const anyTurns = fc
  .tuple(anyTurn(true), fc.array(anyTurn(false), { maxLength: 2 }))
  .map(([first, more]) => [first, ...more])

export const anyPlan: fc.Arbitrary<Plan> = fc.tuple(anyTurns, anyTurns, anyTurns)
