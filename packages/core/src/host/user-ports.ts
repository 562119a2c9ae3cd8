/**
 * What a runtime takes from the user's settings: nothing of it is a constant of the process (DR2), but for the few
 * that `startSettings` names, which are built into what a host opens.
 */
import { Redacted } from "effect"
import type { Degradation } from "@holdfast/schema/health"
import type { Settings } from "../config/index.ts"
import { namedModels } from "../embedding/choose.ts"
import type { RuntimePorts, TurnSettings } from "../session/ports.ts"
import type { SetByUser } from "./samples.ts"

export const setByUser = (user: Settings, disableProject: boolean): SetByUser => ({
  context: { timeZone: user.timeZone, instructions: user.instructions },
  rules: user.permissions,
  settingsIn: turnSettings(user, disableProject),
})

/** What turns in a project work with: the user's settings, and over them what the project may set. */
const turnSettings =
  (user: Settings, disableProject: boolean) =>
  (project: Settings): TurnSettings => {
    const { threshold, docs, textCompression = false } = { ...user.recall, ...project.recall }
    const shown = disableProject ? [] : docs
    return {
      ...(threshold !== undefined && { executeShare: threshold }),
      ...(shown !== undefined && { docs: shown }),
      textCompression,
      fallback: user.fallback ?? [],
      searchHint: user.search?.hint ?? true,
      ...user.cost,
    }
  }

/** Models that do jobs (HI8, DM1, NT2), and the bounds of what keeps a cache. */
export const besideTurns = (
  now: () => Settings,
): Pick<RuntimePorts, "historian" | "dreamer" | "sidekick" | "keepWarm"> => ({
  keepWarm: () => now().cache?.keepWarm ?? null,
  dreamer: () => {
    const { dreamer } = now()
    return {
      models: dreamer === null || dreamer.model === null ? [] : [dreamer.model, ...dreamer.fallback],
      tasks: dreamer?.tasks ?? [],
      schedule: dreamer?.schedule ?? "always",
    }
  },
  historian: () => {
    const { historian } = now()
    if (historian === null) return null
    const { model, fallback, prompt, editor } = historian
    return { models: [model, ...fallback], prompt, editor }
  },
  sidekick: () => {
    const { sidekick } = now()
    if (sidekick === null) return null
    const { model, fallback, prompt, timeoutSeconds } = sidekick
    return { models: [model, ...fallback], prompt, msMax: timeoutSeconds * 1_000 }
  },
})

/** Settings that hold from the next start on: a worker, or the masks of the store, are made of them. */
const startSettings = {
  maskShapes: ({ maskShapes }: Settings) => maskShapes ?? true,
  "search.embedding": ({ search }: Settings) => search?.embedding,
  "search.projectModels": ({ search }: Settings) => search?.projectModels,
  "search.chunkCharacters": ({ search }: Settings) => search?.chunkCharacters,
  "the address or the key of a provider that embeds": endpointsIn,
} as const

/** Where the models that the worker was started with are to be reached, and by which key. */
function endpointsIn({ providers }: Settings, { search }: Settings): readonly unknown[] {
  return namedModels(search).map(({ provider }) => {
    const { wire, baseUrl, key } = providers.get(provider) ?? {}
    return [wire, baseUrl, key?.kind === "value" ? Redacted.value(key.value) : key]
  })
}

/** Told while the file says something else of them than it did at the start. */
export function findWaiting(started: Settings, now: Settings, since: number): Degradation | null {
  const waiting = Object.entries(startSettings).flatMap(([name, of]) =>
    JSON.stringify(of(started, started)) === JSON.stringify(of(now, started)) ? [] : [name],
  )
  if (waiting.length === 0) return null
  const cause = `${waiting.join(" and ")} changed in your configuration. What was set at the start holds until Holdfast is started again.`
  return { part: "configuration/start", cause, since }
}
