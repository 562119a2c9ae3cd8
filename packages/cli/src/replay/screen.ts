/** The figures of a replay for people, within 80 columns. */
import { count } from "../figures.ts"
import type { ReplayFigures } from "./figures.ts"

export function replayScreen({ record, breaks, oversized }: ReplayFigures): string {
  const part = (value: number) => `${(value * 100).toFixed(1)} %`
  const rows: readonly (readonly [string, string])[] = [
    ["requests", count(record.requests)],
    ["input", `${count(record.inputTokens)} tokens`],
    [
      "read from cache",
      `${count(record.cacheRead)} tokens, ${part(record.readShare)} (within five minutes ${part(record.readShareWarm)})`,
    ],
    ["written to cache", `${count(record.cacheWrite)} tokens`],
    ["effective price", `${record.price.toFixed(4)} of the list price of input`],
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
  return `${rows.map(([name, value]) => `${name.padEnd(nameColumns)}${value}`).join("\n")}\nA unit is a token of input at its list price.\n`
}

const nameColumns = 18

function reasonsOf(reasons: readonly string[]): string {
  const times = new Map<string, number>()
  for (const reason of reasons) times.set(reason, (times.get(reason) ?? 0) + 1)
  return [...times].map(([reason, many]) => `${many} ${reason}`).join(", ")
}
