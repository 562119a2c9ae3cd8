/** What is configured of the models that a Session spoke to: their window, their prices, their wire (CA1). */
import type { Event } from "@holdfast/schema/event"
import type { ModelRef } from "@holdfast/schema/model"
import type { HoldfastClient, ListedModel } from "@holdfast/sdk"
import type { ReplayQuestion } from "@holdfast/sdk/replay"
import { listItems } from "../list-items.ts"

type Configured = NonNullable<ReplayQuestion["configured"]>

/** Nothing for a model that is not listed any more: then the catalog tells. */
export async function configuredOf(
  { models }: Pick<HoldfastClient, "models">,
  events: readonly Event[],
): Promise<Configured> {
  const providers = new Set(
    events.flatMap(({ fact }) => (fact.type === "turn.started" ? [fact.model.provider] : [])),
  )
  const listed: ListedModel[] = []
  for (const provider of providers)
    listed.push(
      ...(await listItems((page) => models.list(page.cursor === undefined ? { ...page, provider } : page))),
    )
  return (ref) => {
    const found = listed.find((one) => isOf(one, ref))
    return found === undefined ? {} : overrideOf(found, events)
  }
}

const isOf = ({ provider, model, variants }: Named, ref: ModelRef): boolean =>
  provider === ref.provider &&
  [model, ...variants.map((variant) => `${model}:${variant}`)].includes(ref.model)

type Named = Pick<ListedModel, "provider" | "model" | "variants">

/** How a model writes its cache where nobody said so: as the requests of the Session show it (CA1). */
export function cacheSeen(
  listed: Named,
  events: readonly Pick<Event, "fact">[],
): ListedModel["cache"]["written"] {
  const turns = new Set<string>()
  let read = false
  for (const { fact } of events) {
    if (fact.type === "turn.started" && isOf(listed, fact.model)) {
      if (fact.request.markers.length > 0) return "markers"
      turns.add(fact.turn)
    }
    if (fact.type === "turn.settled" && turns.has(fact.turn)) read ||= fact.ledger.usage.cacheRead > 0
  }
  return read ? "automatic" : "unknown"
}

function overrideOf(listed: ListedModel, events: readonly Event[]): ReturnType<Configured> {
  const { wire, contextTokens, outputTokens, price, images, tools, reasoning, cache } = listed
  return {
    wire: wire as NonNullable<ReturnType<Configured>["wire"]>,
    contextTokensMax: contextTokens,
    outputTokensMax: outputTokens,
    price,
    cacheWriteByTtl:
      price === null ? null : { "5m": price.cacheWrite, "1h": price.cacheWrite1h ?? price.cacheWrite },
    images,
    tools,
    reasoning,
    cache: cache.written === "unknown" ? cacheSeen(listed, events) : cache.written,
    cacheLives: cache.lives,
    ...(cache.tokensMin !== null && { cacheTokensMin: cache.tokensMin }),
  }
}
