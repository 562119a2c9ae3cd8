/** The figures of a replay for people, within 80 columns. */
import { count } from "../figures.ts"
import type { ReplayFigures, ReplayRecord } from "./figures.ts"
import { type PolicyName, policyNames, warmMax } from "./lifetimes.ts"

export function replayScreen({ record, breaks, oversized }: ReplayFigures): string {
  const part = (value: number) => `${(value * 100).toFixed(1)} %`
  const rows: readonly (readonly [string, string])[] = [
    ["requests", count(record.requests)],
    ["input", `${count(record.inputTokens)} tokens`],
    [
      "read from cache",
      `${count(record.cacheRead)} tokens, ${part(record.readShare)} (within five minutes ${part(record.readShareWarm)})`,
    ],
    ["at most", `${part(record.readShareBound)} within five minutes, in a window of this size`],
    ["written to cache", `${count(record.cacheWrite)} tokens`],
    ["effective price", `${record.price.toFixed(4)} of the list price of input, as replayed`],
    ["cost", `${count(record.costUnits)} units; recorded ${count(record.recordedCostUnits)}`],
    ["average request", `${count(record.averageRequest)} tokens; recorded ${count(record.recordedAverage)}`],
    ["largest request", `${count(record.largest)} tokens`],
    ["breaks", breaks.length === 0 ? "none" : reasonsOf(breaks.map(({ reason }) => reason))],
    ...(record.unexplained === 0 ? [] : [["unexplained", count(record.unexplained)] as const]),
    ["illegal", record.illegal === 0 ? "none" : count(record.illegal, "fault")],
    ...(oversized === 0
      ? []
      : [["too large", `${count(oversized, "request")} that the window cannot hold`] as const]),
  ]
  const told = rows.map(([name, value]) => `${name.padEnd(nameColumns)}${value}`).join("\n")
  return `${told}\nA unit is a token of input at its list price.\n\n${lifetimesScreen(record)}`
}

/** What other lifetimes of cached prefixes would have cost. */
function lifetimesScreen({ lifetimes, recordedPrice }: ReplayRecord): string {
  const rows = policyNames.map((name) => {
    const { [name]: alone, keepWarm } = lifetimes
    const warm = keepWarm[name]
    return `${policyWords[name].padEnd(nameColumns)}${alone.price.toFixed(4)}     ${warm.price.toFixed(4)} (${warm.sent})`
  })
  return [
    "HOW LONG THE CACHE LIVES: PRICE OF INPUT, IN PARTS OF ITS LIST PRICE",
    `${"".padEnd(nameColumns)}${"alone".padEnd(11)}with up to ${warmMax} keep-warm requests (sent)`,
    ...rows,
    `${"recorded".padEnd(nameColumns)}${recordedPrice.toFixed(4)}`,
    "Each row counts the requests above once more, with lifetimes of its own. Those",
    "as chosen are chosen by the sizes that the provider counts, not by estimates, so",
    "that their price may differ a little from the effective price above.",
    "",
  ].join("\n")
}

const policyWords: Readonly<Record<PolicyName, string>> = {
  fiveMinutes: "5 minutes",
  hour: "1 hour",
  chosen: "as chosen",
  foresight: "with foresight",
}

const nameColumns = 18

function reasonsOf(reasons: readonly string[]): string {
  const times = new Map<string, number>()
  for (const reason of reasons) times.set(reason, (times.get(reason) ?? 0) + 1)
  return [...times].map(([reason, many]) => `${many} ${reason}`).join(", ")
}
