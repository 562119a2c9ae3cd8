/** Ids, names and arguments of calls in the shape that a provider takes, whatever wire they came from (LL3). */
import { hash } from "node:crypto"
import type { Json, JsonObject } from "@holdfast/schema/json"
import { isFields } from "../json-fields.ts"

/** `plain` is what most take; `nine` is Mistral's: nine letters and digits. */
export type CallIdShape = "plain" | "nine"

/** documented: letters, digits, underscore and hyphen; OpenAI Chat takes 40 of them. */
const plainShape = /^[a-zA-Z0-9_-]{1,40}$/

export const callIdShapes: Readonly<Record<CallIdShape, RegExp>> = {
  plain: plainShape,
  nine: /^[a-zA-Z0-9]{9}$/,
}

/** The same id gives the same text, so that call and result still belong together. */
export function wireCallId(id: string, shape: CallIdShape): string {
  if (shape === "nine") return ninth(id)
  return plainShape.test(id) ? id : `call_${hash("sha256", id).slice(0, 24)}`
}

const ninth = (id: string): string =>
  BigInt(`0x${hash("sha256", id).slice(0, 16)}`)
    .toString(36)
    .padStart(9, "0")
    .slice(-9)

/** documented: the names that OpenAI takes for a function. */
export const functionNameShape = /^[a-zA-Z0-9_-]{1,64}$/
const functionNameCharsMax = 64

/** A model may call what no tool can be called; the record keeps the name, the wire a legal one. */
export const functionName = (name: string, charsMax = functionNameCharsMax): string =>
  name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_").slice(0, charsMax) || "_"

/** documented: an input is an object. Arguments that are none are kept inside of one. */
export const inputObject = (input: Json): JsonObject => (isFields(input) ? input : { value: input })

/** A tool as a fault names it. */
export const toolCalled = (name: unknown): string =>
  typeof name === "string" && name !== "" ? `the tool ${name}` : "a tool without a name"

/** The call that a result answers: by its id, or by its name where one of the two has none; -1 if none. */
export function findCall(
  open: readonly { readonly name: string; readonly id: string }[],
  name: string,
  id: string,
): number {
  const same = id === "" ? -1 : open.findIndex((call) => call.id === id)
  return same >= 0 ? same : open.findIndex((call) => call.name === name && (id === "" || call.id === ""))
}
