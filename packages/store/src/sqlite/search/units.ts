/**
 * Units: the texts of a log that search finds, and which fact holds each (SE1).
 *
 * Nothing synthetic is among them (MM2): no notice, hint, slot or system message, and no output of a
 * tool that only shows again what the log or the memory holds.
 */
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { JsonObject } from "@holdfast/schema/json"
import type { UnitAuthor, UnitRange } from "../../search/units.ts"
import { indexedPieces } from "./pieces.ts"

export interface UnitText {
  readonly idx: number
  /** Which piece of a long text it is, from 0 on. */
  readonly piece: number
  readonly author: UnitAuthor
  readonly text: string
  /** Of a compartment, the messages that it stands for. */
  readonly range?: UnitRange
}

/** Tools whose results are recalled text. */
const recallPrefix = "context_"

/**
 * Units of one fact; `idx` is the place among them. `calledTool` names the tool of a call that settles, `body` the text of a
 * promoted prompt.
 */
export function searchedUnits(
  fact: Fact,
  look: { readonly calledTool: () => string | null; readonly body: () => string | null },
): readonly UnitText[] {
  const pieces = textsIn(fact, look).flatMap((whole) =>
    whole.text.trim() === ""
      ? []
      : indexedPieces(whole.text).map((text, piece) => ({ ...whole, text, piece })),
  )
  return pieces.map((unit, idx) => ({ ...unit, idx }))
}

/** Facts that may have units; others are not read for them. */
export const sayingTypes: readonly Fact["type"][] = [
  "prompt.promoted",
  "part.recorded",
  "call.settled",
  "history.published",
]

type Text = Pick<UnitText, "author" | "text" | "range">

function textsIn(fact: Fact, look: Parameters<typeof searchedUnits>[1]): readonly Text[] {
  switch (fact.type) {
    case "prompt.promoted":
      return [{ author: "user", text: look.body() ?? "" }]
    case "part.recorded":
      return partTexts(fact)
    case "call.settled":
      return look.calledTool()?.startsWith(recallPrefix) === true
        ? []
        : [{ author: "output", text: fact.outcome.output }]
    case "history.published":
      return fact.by === "extractive" ? [] : fact.compartments.map(compartmentText)
    default:
      return []
  }
}

function partTexts({ part }: FactOf<"part.recorded">): readonly Text[] {
  if (part.type === "text") return [{ author: "assistant", text: part.text }]
  if (part.type !== "call" || part.name.startsWith(recallPrefix)) return []
  return [{ author: "call", text: callText(part.name, part.input) }]
}

const compartmentText = ({
  title,
  tiers,
  fromSeq,
  toSeq,
}: FactOf<"history.published">["compartments"][number]): Text => ({
  author: "summary",
  text: `${title}\n${tiers[0]}`,
  range: { fromSeq, toSeq },
})

/** What a call says, without the names of its fields. */
function callText(name: string, input: unknown): string {
  const texts: string[] = [name]
  const collect = (value: unknown): void => {
    if (typeof value === "string") texts.push(value)
    else if (typeof value === "number") texts.push(String(value))
    else if (typeof value === "object" && value !== null) Object.values(value as JsonObject).forEach(collect)
  }
  collect(input)
  return texts.join("\n")
}
