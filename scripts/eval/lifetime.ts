/**
 * What the choice of cache lifetimes is worth (`npm run eval -- lifetime`).
 *
 * Recorded sessions go through `holdfast replay`; beside the choice of the runtime stand both fixed
 * lifetimes and the best that foresight could have chosen, with and without keep-warm requests. `closed`
 * is how much of the way from the better fixed lifetime to foresight the choice goes. It is told for
 * all sessions and for two halves of them, each of every second session: a choice that was only made
 * for these sessions would do well in one and badly in the other.
 */
import { findSources } from "@holdfast/foreign"
import type { LifetimeFigures } from "../../packages/cli/src/replay/figures.ts"
import { policyNames } from "../../packages/cli/src/replay/lifetimes.ts"
import { recordedIn } from "../../packages/cli/src/replay/recorded.ts"
import { replayRecorded } from "../../packages/cli/src/replay/run.ts"

interface SessionLifetimes {
  readonly name: string
  readonly tokens: number
  readonly lifetimes: LifetimeFigures
}

interface Closed {
  /** Prices in parts of the list price. */
  readonly fiveMinutes: number
  readonly hour: number
  readonly chosen: number
  readonly foresight: number
  readonly closed: number | null
}

interface LifetimeSums {
  readonly sessions: number
  readonly alone: Closed
  readonly keepWarm: Closed
}

export interface LifetimeEvaluation {
  readonly sessions: readonly { readonly name: string; readonly alone: Closed; readonly keepWarm: Closed }[]
  readonly total: LifetimeSums
  readonly halves: readonly [LifetimeSums, LifetimeSums]
}

/** Sessions of providers whose lifetimes cannot be chosen are left out. */
export async function evaluateLifetimes(files: readonly string[]): Promise<LifetimeEvaluation> {
  const all: SessionLifetimes[] = []
  const { sources } = await findSources(files)
  for (const source of sources) {
    for (const session of await recordedIn(source)) {
      const { record } = await replayRecorded([session], null)
      const { lifetimes } = record
      const same = lifetimes.fiveMinutes.costUnits === lifetimes.hour.costUnits
      if (record.requests > 0 && !same)
        all.push({ name: session.name, tokens: record.inputTokens, lifetimes })
    }
  }
  const half = (rest: number) => sumOf(all.filter((_, at) => at % 2 === rest))
  return {
    sessions: all.map((one) => ({ name: one.name, ...pricesOf([one]) })),
    total: sumOf(all),
    halves: [half(0), half(1)],
  }
}

const sumOf = (all: readonly SessionLifetimes[]): LifetimeSums => ({ sessions: all.length, ...pricesOf(all) })

function pricesOf(all: readonly SessionLifetimes[]): { readonly alone: Closed; readonly keepWarm: Closed } {
  const tokens = Math.max(
    1,
    all.reduce((sum, one) => sum + one.tokens, 0),
  )
  const priced = (
    of: (figures: LifetimeFigures) => Record<(typeof policyNames)[number], { costUnits: number }>,
  ) =>
    closedBy(
      Object.fromEntries(
        policyNames.map((name) => [
          name,
          all.reduce((sum, { lifetimes }) => sum + of(lifetimes)[name].costUnits, 0) / tokens,
        ]),
      ) as Record<(typeof policyNames)[number], number>,
    )
  return { alone: priced((figures) => figures), keepWarm: priced(({ keepWarm }) => keepWarm) }
}

function closedBy(prices: Omit<Closed, "closed">): Closed {
  const fixed = Math.min(prices.fiveMinutes, prices.hour)
  const way = fixed - prices.foresight
  return { ...prices, closed: way <= 0 ? null : (fixed - prices.chosen) / way }
}

export function lifetimeScreen({ sessions, total, halves }: LifetimeEvaluation): string {
  const line = (name: string, of: { readonly alone: Closed; readonly keepWarm: Closed }) =>
    `${name.slice(0, 24).padEnd(26)}${cells(of.alone)} │ ${cells(of.keepWarm)}`
  return [
    "Price of input in parts of its list price, by how long cached prefixes live",
    "",
    `${"".padEnd(26)}${heads} │ ${heads}`,
    ...sessions.map((one) => line(one.name, one)),
    line(`${total.sessions} together`, total),
    ...halves.map((half, at) => line(`half ${at + 1}: ${half.sessions}`, half)),
    "",
    "On the right with at most six keep-warm requests in a row. closed: of the way from the better fixed",
    "lifetime to foresight.",
  ].join("\n")
}

const heads = "    5m      1h  chosen  foresight  closed"

function cells({ fiveMinutes, hour, chosen, foresight, closed }: Closed): string {
  const price = (value: number, columns: number) => value.toFixed(4).padStart(columns)
  const way = closed === null ? "–" : `${(100 * closed).toFixed(0)} %`
  return `${price(fiveMinutes, 6)}  ${price(hour, 6)}  ${price(chosen, 6)}  ${price(foresight, 9)}  ${way.padStart(6)}`
}
