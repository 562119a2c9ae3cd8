/** Gap markers: how long nobody said anything, told beside what is said next (ND2). */
import type { SyntheticPart } from "@holdfast/schema/fact/fact"

const minuteMs = 60_000
const gapMinutesMin = 5

/** From the end of the last answer to the next input; null where it is no gap. */
export function gapBetween(endedAtMs: number, nowMs: number): SyntheticPart | null {
  const minutes = Math.floor((nowMs - endedAtMs) / minuteMs)
  return minutes < gapMinutesMin ? null : { kind: "gap", text: `+${spanOf(minutes)} since the last message` }
}

/** The two largest units of it. */
function spanOf(minutes: number): string {
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1_440)]
  if (hours === 0) return `${minutes}m`
  if (days === 0) return joined(`${hours}h`, minutes % 60, "m")
  if (days < 7) return joined(`${days}d`, hours % 24, "h")
  return joined(`${Math.floor(days / 7)}w`, days % 7, "d")
}

const joined = (large: string, rest: number, unit: string): string =>
  rest === 0 ? large : `${large} ${rest}${unit}`
