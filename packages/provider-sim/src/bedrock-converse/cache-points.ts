/**
 * Cache points: how many a request may have, where they may stand and what life they may ask for,
 * by the family of the model; and the bounds of the cache behind them.
 *
 * A model whose name says nothing is taken for one of Anthropic's.
 */
import type { MarkerBounds } from "../anthropic-messages/marker-cache.ts"
import type { Verdict } from "../sim-wire.ts"
import type { CachePoint, ConverseBody } from "./body.ts"
import { invalid } from "./error.ts"
import { facts } from "./facts.ts"

interface PlacedPoint {
  /** Where it stands, as a pointer into the request; recorded: behind a result it is that of the result. */
  readonly path: readonly (string | number)[]
  readonly point: CachePoint
  /** It stands right behind the result of a tool. */
  readonly followsResult: boolean
}

export function checkCachePoints(body: ConverseBody, name: string): Verdict {
  const points = cachePointsIn(body)
  const isNova = facts.novaModels.test(name)
  if (points.length > facts.cachePointsMax) {
    const { cachePointsTooMany, novaPointsTooMany } = facts
    return invalid((isNova ? novaPointsTooMany : cachePointsTooMany)(points.length))
  }
  return isNova ? checkNova(points) : checkOrder(points)
}

/** The cache of Anthropic's models has those of its own service. */
export function cacheBoundsOf(name: string): MarkerBounds {
  return facts.novaModels.test(name)
    ? { lookbackBlocks: facts.novaLookbackBlocks, tokensMax: facts.novaCacheTokensMax }
    : {}
}

function checkNova(points: readonly PlacedPoint[]): Verdict {
  for (const { path, point, followsResult } of points) {
    if (path[0] === "toolConfig" || followsResult) return invalid(facts.novaPointMisplaced(path.join("/")))
    if (point.ttl === "1h") return invalid(facts.novaLifeUnsupported(path.join("/")))
  }
  return undefined
}

/** Longer lives come first, in the order in which a prompt is read. */
function checkOrder(points: readonly PlacedPoint[]): Verdict {
  const short = points.findIndex(({ point }) => point.ttl !== "1h")
  const late = points.slice(short + 1).find(({ point }) => short >= 0 && point.ttl === "1h")
  return late === undefined ? undefined : invalid(facts.cachePointOrder(late.path.join(".")))
}

/** In the order in which a prompt is read. */
function cachePointsIn(body: ConverseBody): readonly PlacedPoint[] {
  return [
    ...pointsOf(["toolConfig", "tools"], body.toolConfig?.tools ?? []),
    ...pointsOf(["system"], body.system ?? []),
    ...body.messages.flatMap(({ content }, index) => pointsOf(["messages", index, "content"], content)),
  ]
}

function pointsOf(
  path: readonly (string | number)[],
  items: readonly { readonly cachePoint?: CachePoint; readonly toolResult?: object }[],
): readonly PlacedPoint[] {
  return items.flatMap(({ cachePoint: point }, index) => {
    if (point === undefined) return []
    const followsResult = items[index - 1]?.toolResult !== undefined
    return [{ path: [...path, followsResult ? index - 1 : index], point, followsResult }]
  })
}
