/**
 * JSON preview: a structured value shortened until it fits, still legal JSON (TO6).
 *
 * Lists, objects and strings are cut at a size that all of them share, the largest of a few that makes the
 * whole fit; what is left out is said in its place. A string that is a path stays whole, since half of it
 * would lead nowhere.
 */
import type { Json } from "@holdfast/schema/json"
import { fitsLimits, type OutputLimits } from "../bound.ts"
import type { ToolResult } from "../tool.ts"

/** The result of a tool that answers with a value: programs get it unchanged, the model as JSON. */
export const jsonResult = (value: Json): ToolResult => ({
  text: JSON.stringify(value, null, 2),
  structured: value,
  preview: (limits) => previewJson(value, limits),
})

/** The smallest where none fits; then the registry cuts it like any other text. */
function previewJson(value: Json, limits: OutputLimits): string {
  let text = ""
  for (const size of sizes) {
    text = JSON.stringify(shorten(value, size, depthMax), null, 2)
    if (fitsLimits(text, limits)) return text
  }
  return text
}

interface Size {
  readonly items: number
  readonly units: number
}

const sizes: readonly Size[] = [
  { items: 1_000, units: 4_000 },
  { items: 300, units: 1_000 },
  { items: 100, units: 400 },
  { items: 30, units: 200 },
  { items: 10, units: 100 },
  { items: 3, units: 60 },
]
const depthMax = 32
const pathUnitsMax = 1_024

function shorten(value: Json, size: Size, depth: number): Json {
  if (typeof value === "string") return shortenText(value, size)
  if (value === null || typeof value !== "object") return value
  if (depth === 0) return "[deeper values left out]"
  const left = (count: number) => `[${count} more left out]`
  if (Array.isArray(value)) {
    const kept = value.slice(0, size.items).map((item) => shorten(item, size, depth - 1))
    return kept.length === value.length ? kept : [...kept, left(value.length - kept.length)]
  }
  const fields = Object.entries(value)
  const kept = fields.slice(0, size.items).map(([key, item]) => [key, shorten(item, size, depth - 1)])
  if (kept.length < fields.length) kept.push(["…", left(fields.length - kept.length)])
  return Object.fromEntries(kept) as Json
}

function shortenText(text: string, { units }: Size): string {
  if (text.length <= units || isPath(text)) return text
  return `${text.slice(0, units).toWellFormed()}[${text.length - units} more characters left out]`
}

const isPath = (text: string): boolean =>
  text.length <= pathUnitsMax && /^(?:\/|\.{1,2}\/|[a-z]:\\|[a-z]+:\/\/)[^\s]+$/i.test(text)
