/**
 * The requests of a replayed Session, counted again by other lifetimes of cached prefixes: five minutes
 * always, an hour always, what the runtime chooses, and the best that foresight could have chosen, each
 * without and with requests that only keep the cache. A request that keeps it is the one before, sent
 * again; it is paid for here, and it is none of the requests of the Session.
 */
import { LifetimeTrial, type ReplayedRequest } from "@holdfast/sdk/replay"
import { createCaches, type SizedRequest } from "./oracle.ts"
import { replayMultipliers, costUnits } from "./units.ts"

export const policyNames = ["fiveMinutes", "hour", "chosen", "foresight"] as const
export type PolicyName = (typeof policyNames)[number]

const policies = { fiveMinutes: "5m", hour: "1h", chosen: "auto", foresight: "foresight" } as const

export const warmMax = 6

interface Trial {
  readonly units: number
  /** With keep-warm requests, and how many were sent. */
  readonly warmUnits: number
  readonly sent: number
}

export type Trials = Readonly<Record<PolicyName, Trial>>

const none: Trial = { units: 0, warmUnits: 0, sent: 0 }

const trialsOf = (of: (name: PolicyName) => Trial): Trials =>
  Object.fromEntries(policyNames.map((name) => [name, of(name)])) as Record<PolicyName, Trial>

export const noTrials: Trials = trialsOf(() => none)

export const addTrials = (a: Trials, b: Trials): Trials =>
  trialsOf((name) => ({
    units: a[name].units + b[name].units,
    warmUnits: a[name].warmUnits + b[name].warmUnits,
    sent: a[name].sent + b[name].sent,
  }))

export function tryLifetimes(asked: readonly SizedRequest[]): Trials {
  // Where nobody can choose a lifetime, every policy sends the same.
  if (!asked.some(canLiveLong)) {
    const { units, sent } = tryOne(asked, "fiveMinutes", 0)
    return trialsOf(() => ({ units, warmUnits: units, sent }))
  }
  return trialsOf((name) => {
    const { units } = tryOne(asked, name, 0)
    const warm = tryOne(asked, name, warmMax)
    return { units, warmUnits: warm.units, sent: warm.sent }
  })
}

const canLiveLong = ({ request }: SizedRequest): boolean => request.facts.cacheLives.includes("1h")

function tryOne(asked: readonly SizedRequest[], name: PolicyName, most: number) {
  const caches = createCaches()
  const trials = new Map<string, LifetimeTrial>()
  let units = 0
  let sent = 0
  asked.forEach((sized, at) => {
    const { request, tokens } = sized
    const multipliers = replayMultipliers(request.facts)
    const count = (markers: ReplayedRequest["markers"], atMs: number, headIsThere: boolean) => {
      const counted = caches.ask({ request: { ...request, markers, atMs }, tokens, headIsThere })
      units += costUnits(counted, multipliers)
    }
    if (!canLiveLong(sized)) return count(request.markers, request.atMs, sized.headIsThere)
    const model = `${request.model.provider}/${request.model.model}`
    const trial =
      trials.get(model) ?? new LifetimeTrial({ policy: policies[name], warmMax: most, multipliers })
    trials.set(model, trial)
    const blocks = request.blocks.map(({ hash, segment }) => ({ segment, tokens: tokens.get(hash) ?? 0 }))
    const nextMs = asked[at + 1]?.request.atMs ?? null
    const tried = trial.next({
      atMs: request.atMs,
      blocks,
      markers: request.markers,
      break: request.break,
      nextMs,
    })
    const living = ({ standing, tail }: typeof tried.lifetimes) =>
      request.markers.map(({ block }) => ({
        block,
        lifetime: blocks[block]?.segment === "tail" ? tail : standing,
      }))
    count(living(tried.lifetimes), request.atMs, sized.headIsThere)
    for (const { atMs, lifetimes } of tried.warmings) {
      count(living(lifetimes), atMs, false)
      sent += 1
    }
  })
  return { units, sent }
}
