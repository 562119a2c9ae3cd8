/** Histories with what any wire may have left behind in them, for properties of one wire. */
import * as fc from "fast-check"
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import type { Native } from "@holdfast/schema/message"
import type { Entry, EntryPart, Segments, Target } from "../../src/segments.ts"
import {
  answer,
  awkwardText,
  call,
  notice,
  readTool,
  showing,
  system,
  text,
  thinking,
  user,
} from "../requests.ts"
import { images, moving, photo, pixel } from "./images.ts"

/** A part of the target's own answer. */
export const own = (target: Target, opaque: Json): { readonly native: Native } => ({
  native: { provider: target.provider, model: target.model, endpoint: target.endpoint, opaque },
})

export interface Histories {
  /** Any entries at all, in any order: not every list is a conversation. */
  readonly anyEntries: (target: Target) => fc.Arbitrary<readonly Entry[]>
  /** A history as the runtime keeps it: the user speaks first and last. */
  readonly historyFor: (target: Target) => fc.Arbitrary<readonly Entry[]>
  readonly segmentsFor: (target: Target) => fc.Arbitrary<Segments>
}

/** Images wherever they may stand: beside words, alone, and in results of every kind. */
export const illustrated: readonly Entry[] = [
  showing("What is it?", pixel, photo),
  answer(
    text("I look."),
    call(1, { result: "one pixel", images: [pixel] }),
    call(2, { result: " ", images: [photo, pixel] }),
    call(3, { result: "broken", failed: true, images: [photo] }),
    call(4),
  ),
  showing(" ", moving),
]

/** `opaques`: what the wire itself keeps with parts; anything else is mixed in. */
export function historiesWith(opaques: fc.Arbitrary<Json>): Histories {
  const mixed = fc.oneof(
    { weight: 4, arbitrary: opaques },
    fc.constant<Json>({ type: "thinking", thinking: "hm", signature: "sig" }),
    fc.jsonValue() as fc.Arbitrary<Json>,
  )
  const anyEntries = (target: Target) =>
    fc
      .array(
        fc.oneof(saidByUser, awkwardText.map(system), awkwardText.map(notice), {
          weight: 3,
          arbitrary: fc.array(partsFor(target, mixed), { maxLength: 5 }).map((parts) => answer(...parts)),
        }),
        { maxLength: 10 },
      )
      .map(numberCalls)
  const historyFor = (target: Target) =>
    anyEntries(target).map((middle) => [user("begin"), ...middle, user("go on")])
  return {
    anyEntries,
    historyFor,
    segmentsFor: (target) =>
      fc
        .record({
          all: historyFor(target),
          cuts: fc.tuple(fc.nat(12), fc.nat(12)),
          tools: fc.boolean(),
          system: awkwardText,
          agent: awkwardText,
        })
        .map(({ all, cuts, tools, system: prompt, agent }) => {
          const [from, to] = [Math.min(...cuts), Math.max(...cuts)]
          return {
            tools: tools ? [readTool] : [],
            system: prompt,
            agent,
            historyBaseline: all.slice(0, from),
            historyDelta: all.slice(from, to),
            tail: all.slice(to),
          }
        }),
  }
}

const anyImages = fc.array(fc.constantFrom(...images), { minLength: 1, maxLength: 3 })

const saidByUser = fc.oneof(
  { weight: 3, arbitrary: awkwardText.map(user) },
  fc.tuple(awkwardText, anyImages).map(([words, shown]) => showing(words, ...shown)),
)

function partsFor(target: Target, opaques: fc.Arbitrary<Json>): fc.Arbitrary<EntryPart> {
  const native = fc
    .tuple(opaques, fc.boolean())
    .map(([opaque, mine]) => own(mine ? target : { ...target, model: "another" }, opaque).native)
  const maybe = fc.option(native, { nil: undefined, freq: 2 })
  const withNative = (part: EntryPart, found: Native | undefined): EntryPart =>
    found === undefined ? part : ({ ...part, native: found } as EntryPart)
  return fc.oneof(
    fc.tuple(awkwardText, maybe).map(([words, found]) => withNative(text(words), found)),
    fc.tuple(awkwardText, native).map(([words, found]) => withNative(thinking(words), found)),
    awkwardText.map((words): EntryPart => ({ type: "reasoning", text: words, native: null })),
    awkwardText.map((words) => thinking(words)),
    native.map((found): EntryPart => ({ type: "hosted", name: "search", native: found })),
    fc
      .record({
        name: awkwardText,
        input: fc.jsonValue() as fc.Arbitrary<Json>,
        result: awkwardText,
        failed: fc.boolean(),
        images: fc.option(anyImages, { nil: undefined, freq: 3 }),
        native: maybe,
      })
      .map(({ native: found, images: shown, ...more }) =>
        withNative(call(0, shown === undefined ? more : { ...more, images: shown }), found),
      ),
  )
}

/** Shapes of call ids that other wires and imported sessions bring along. */
const callIdOf = (index: number): CallId =>
  [`call_${index}`, `toolu_01${"x".repeat(40)}${index}`, `bad id/${index}`, `ü${index}`][index % 4] as CallId

function numberCalls(entries: readonly Entry[]): readonly Entry[] {
  let next = 0
  const numbered = (part: EntryPart): EntryPart =>
    part.type === "call" ? { ...part, call: callIdOf((next += 1)) } : part
  return entries.map((entry) => (entry.kind === "assistant" ? answer(...entry.parts.map(numbered)) : entry))
}
