/** Samples and rounds: how much is measured, and which number of it counts. */

export interface Amount {
  readonly quick: boolean
  readonly rounds: number
}

export const amountOf = (quick: boolean): Amount => ({ quick, rounds: quick ? 2 : 3 })

/** Samples of one round: the given number, or a fraction of it when there is little time. */
export const samplesOf = ({ quick }: Amount, whole: number): number =>
  quick ? Math.max(10, Math.round(whole / 10)) : whole

/** Samples of one round of a process that starts: three rounds make 200 together. */
export const slowSamples = 67

/** Nanoseconds of a clock that all processes of this machine share. */
export const nowNs = (): number => Number(process.hrtime.bigint())
export const msOf = (ns: number): number => ns / 1e6

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = Math.min(sorted.length - 1, Math.floor(sorted.length * share))
  return sorted[at] ?? Number.NaN
}

export const median = (values: readonly number[]): number => percentile(values, 0.5)

/** The best round counts where noise of a shared machine only ever makes a round worse. */
export const lowest = (values: readonly number[]): number => Math.min(...values)
export const highest = (values: readonly number[]): number => Math.max(...values)

/** A round of one latency: what counts, and what a quiet moment of a busy machine shows. */
export interface Spread {
  readonly p50: number
  readonly p10: number
}

export const spreadOf = (values: readonly number[]): Spread => ({
  p50: median(values),
  p10: percentile(values, 0.1),
})

/** The best round as a reading, of so many samples each; its note tells the fastest tenth of all rounds. */
export function bestRound(rounds: readonly Spread[], samples: number) {
  const p10 = lowest(rounds.map((round) => round.p10))
  const digits = p10 < 100 ? 2 : 0
  const value = lowest(rounds.map(({ p50 }) => p50))
  return { value, samples, rounds: rounds.length, note: `p10 ${p10.toFixed(digits)} ms` }
}

/** Slope of a line through the points (0, values[0]), (1, values[1]) … */
export function slopeOf(values: readonly number[]): number {
  const meanX = (values.length - 1) / 2
  const meanY = values.reduce((sum, value) => sum + value, 0) / values.length
  let above = 0
  let below = 0
  values.forEach((value, x) => {
    above += (x - meanX) * (value - meanY)
    below += (x - meanX) ** 2
  })
  return above / below
}
