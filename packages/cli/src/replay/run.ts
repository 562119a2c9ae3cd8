/** One replay: recorded Sessions through assembly and the oracle, summed up. */
import { summarySource } from "@holdfast/schema/fact/input"
import { replaySession } from "@holdfast/sdk/replay"
import { ReplayFigures } from "./figures.ts"
import { countedTokens, createOracle } from "./oracle.ts"
import { tryLifetimes } from "./lifetimes.ts"
import type { RecordedSession } from "./recorded.ts"

export async function replayRecorded(
  sessions: readonly RecordedSession[],
  windowTokens: number | null,
): Promise<ReplayFigures> {
  const figures = new ReplayFigures()
  for (const { name, events, requests, configured } of sessions) {
    const oracle = createOracle()
    await replaySession({
      events,
      prompts: new Map([...requests].map(([turn, one]) => [turn, one === null ? 0 : countedTokens(one)])),
      windowTokens,
      ...(configured && { configured }),
      isSummary: (source) => source.startsWith(summarySource),
      count: (request) => {
        const recorded = requests.get(request.turn) ?? null
        const counted = oracle.count(request, recorded)
        figures.add(name, request, counted, recorded, oracle.parts())
        const { input, cacheRead, cacheWrite5m, cacheWrite1h } = counted
        return { input, cacheRead, cacheWrite: cacheWrite5m + cacheWrite1h, output: 0 }
      },
    })
    figures.tried(tryLifetimes(oracle.asked))
  }
  return figures
}
