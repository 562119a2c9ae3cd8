/**
 * How long a provider asks to wait, from its headers and, where they are silent, its words (TU4).
 */

/** documented: `retry-after` in seconds or as a date; `retry-after-ms` is what SDKs read first. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const milliseconds = headers["retry-after-ms"]?.trim()
  if (milliseconds !== undefined && /^\d+(?:\.\d+)?$/.test(milliseconds))
    return Math.ceil(Number(milliseconds))
  const after = headers["retry-after"]?.trim()
  if (after === undefined || after === "") return null
  if (/^\d+(?:\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1_000)
  // Only a date with letters: a bare negative number would otherwise be read as a year.
  const at = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs)
}

/**
 * documented: `x-ratelimit-reset-requests` and `-tokens` are durations such as `6m0s`. Only a limit
 * with nothing remaining is in the way; if none says so, the sooner one is tried.
 */
export function rateLimitResetMs(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const resets = Object.entries(headers).flatMap(([name, value]) => {
    const kind = /^x-ratelimit-reset-?(.*)$/.exec(name)?.[1]
    const waitMs = kind === undefined ? null : durationMs(value, nowMs)
    if (waitMs === null) return []
    const remaining = headers[kind === "" ? "x-ratelimit-remaining" : `x-ratelimit-remaining-${kind}`]
    return [{ waitMs, spent: remaining?.trim() === "0" }]
  })
  const spent = resets.filter((reset) => reset.spent).map((reset) => reset.waitMs)
  if (spent.length > 0) return Math.max(...spent)
  return resets.length === 0 ? null : Math.min(...resets.map((reset) => reset.waitMs))
}

/** recorded: `Please try again in 1.898s`, or in `6m0s`, or in `20ms`. */
export function waitInWords(words: string): number | null {
  const found = /try again in ((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)/i.exec(words)
  return found === null ? null : durationMs(found[1] as string, 0)
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** Numbers from here on are moments, in seconds or milliseconds, and not spans. */
const momentSecondsMin = 1_000_000_000
const momentMillisecondsMin = 1_000_000_000_000

/** `1h2m3.5s`, a number of seconds, or a moment in time. */
function durationMs(value: string, nowMs: number): number | null {
  const text = value.trim().toLowerCase()
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const number = Number(text)
    if (number >= momentMillisecondsMin) return Math.max(0, Math.ceil(number - nowMs))
    if (number >= momentSecondsMin) return Math.max(0, Math.ceil(number * 1_000 - nowMs))
    return Math.ceil(number * 1_000)
  }
  if (!/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(text)) return null
  let sum = 0
  for (const [, number, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)) {
    sum += Number(number) * (unitMs[unit as string] as number)
  }
  return Math.ceil(sum)
}
