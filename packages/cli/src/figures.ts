/** Figures as people read them: counts, shares, money, time, and texts cut to a width. */
import type { Spent, Usage } from "@holdfast/schema/model"

/** Of a whole number. */
export const count = (amount: number, noun?: string): string =>
  noun === undefined ? grouped(amount) : `${grouped(amount)} ${noun}${amount === 1 ? "" : "s"}`

/** In threes, by hand: the first number that `toLocaleString` writes costs a command 20 ms. */
const grouped = (amount: number): string => String(amount).replace(/\B(?=(?:\d{3})+$)/g, ",")

/** Whole per cent; a share of nothing is 0. */
export const percent = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : Math.round((100 * part) / whole)} %`

/** Small amounts keep two digits that tell. */
export function money(dollars: number | null): string {
  if (dollars === null) return "unknown"
  if (dollars === 0) return "$0"
  return dollars >= 0.1 ? `$${dollars.toFixed(2)}` : `$${dollars.toPrecision(2)}`
}

/** What was read and written; `about` is an estimate, `at least` leaves out what nobody knows. */
export function tokensText({ usage, accuracy }: Spent): string {
  const read = readTokens(usage)
  const share = percent(usage.cacheRead, read)
  if (accuracy === "incomplete")
    return read + usage.output === 0
      ? "tokens unknown"
      : `at least ${count(read)} tokens in (${share} cached), ${count(usage.output)} out`
  const about = accuracy === "estimated" ? "about " : ""
  return `${count(read)} tokens in (${share} from cache), ${about}${count(usage.output)} out`
}

/** Where the cost is not known, the least that it can be. */
export const costText = ({ cost, accuracy, costKnown = 0 }: KnownSpent): string => {
  if (cost === null && costKnown > 0) return `at least ${money(costKnown)}`
  return `${cost !== null && accuracy === "estimated" ? "about " : ""}${money(cost)}`
}

/** What is known of a cost beside the sum, which one unknown part makes unknown. */
export interface KnownSpent extends Spent {
  readonly costKnown?: number
}

/** All that a provider read, from its cache or not. */
export const readTokens = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite

const byteSteps = [
  { unit: "GB", bytes: 1024 ** 3 },
  { unit: "MB", bytes: 1024 ** 2 },
  { unit: "kB", bytes: 1024 },
] as const

/** In the largest unit that fits, small figures with one decimal: `2.4 MB`. */
export function bytes(amount: number): string {
  const step = byteSteps.find((candidate) => amount >= candidate.bytes)
  if (step === undefined) return `${amount} bytes`
  const value = amount / step.bytes
  return `${value < 10 ? value.toFixed(1) : count(Math.round(value))} ${step.unit}`
}

const steps = [
  { unit: "s", ms: 1_000 },
  { unit: "min", ms: 60_000 },
  { unit: "h", ms: 3_600_000 },
  { unit: "d", ms: 86_400_000 },
] as const

/** The largest unit that fits, whole: `3 min`. */
export function age(ms: number): string {
  const step = steps.findLast((candidate) => ms >= candidate.ms)
  return step === undefined ? "now" : `${Math.floor(ms / step.ms)} ${step.unit}`
}

/** One line of at most so many characters. */
export function clip(text: string, charactersMax: number): string {
  const line = text.replace(/\s+/g, " ").trim()
  const points = [...line]
  return points.length <= charactersMax
    ? line
    : `${points.slice(0, Math.max(1, charactersMax - 1)).join("")}…`
}
