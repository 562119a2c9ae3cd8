/** Decoding of the settings that are one value each; what is wrong is noted in the document of the fields. */
import { dreamTasks } from "@holdfast/schema/memory/categories"
import type { DreamTask } from "@holdfast/schema/memory/dream"
import { type ModelRef, parseModelRef } from "@holdfast/schema/model"
import { RestartPolicy } from "@holdfast/schema/session"
import { type DecodedFrom, findUrlFault } from "../decode-provider.ts"
import {
  faultAt,
  type Fields,
  numberIn,
  objectIn,
  partIn,
  type Parts,
  partsIn,
  textIn,
  textsIn,
  truthIn,
} from "../document.ts"
import { fetchedHost } from "../../tools/web/fetch-document.ts"
import { executeShareDefault, executeShareMax, executeShareMin } from "@holdfast/recall"
import type {
  BudgetSettings,
  CacheSettings,
  CostSettings,
  DreamerSettings,
  HistorianSettings,
  KeepWarm,
  RecallSettings,
  SearchSettings,
  SidekickSettings,
} from "../settings.ts"

export const fallbackMax = 16
export const instructionsMax = 64

export function decodeModelRef(fields: Fields, key: string): ModelRef | null {
  const text = textIn(fields, key, `"NAME/MODEL"`)
  if (text === undefined) return null
  const ref = parseModelRef(text)
  if (ref === null)
    faultAt(fields, key, `must name provider and model with a slash between them, as in "NAME/MODEL".`)
  return ref
}

export function decodeFallback(fields: Fields): readonly ModelRef[] | null {
  const texts =
    fields.byKey.get("fallback")?.children?.length === 0 ? [] : textsIn(fields, "fallback", `"NAME/MODEL"`)
  if (texts === undefined) return null
  const refs = texts.map(parseModelRef)
  if (refs.includes(null)) {
    faultAt(
      fields,
      "fallback",
      `must name provider and model with a slash between them in each place, as in ["NAME/MODEL"].`,
    )
  }
  if (new Set(texts).size < texts.length)
    faultAt(fields, "fallback", "names a model twice. Keep one of them.")
  if (texts.length > fallbackMax) faultAt(fields, "fallback", `must name at most ${fallbackMax} models.`)
  return refs.filter((ref) => ref !== null)
}

const noOthers = "none"

/** What is sent to it is the whole Session: it names its model itself. */
export function decodeHistorian(fields: Fields): HistorianSettings | null {
  const given = partsIn(fields, "historian", {
    model: null,
    fallback: noOthers,
    prompt: "the built-in instructions",
    editor: "false",
  })
  if (given === undefined) return null
  const model = decodeOwnModel(fields, "historian", given)
  const fallback = partIn(given, "fallback", decodeFallback) ?? []
  const prompt = partIn(given, "prompt", (of, key) => textIn(of, key, `"Write the history of …"`)) ?? null
  const editor = partIn(given, "editor", truthIn) ?? false
  return model === null ? null : { model, fallback, prompt, editor }
}

function decodeOwnModel(fields: Fields, key: string, { fields: given }: Parts<"model">): ModelRef | null {
  if (given.byKey.has("model")) return decodeModelRef(given, "model")
  faultAt(fields, key, `must name a model, as in { "model": "NAME/MODEL" }.`)
  return null
}

export const sidekickSecondsDefault = 30
export const sidekickSecondsMax = 300

/** Without a block nobody is asked: it names its model itself. */
export function decodeSidekick(fields: Fields): SidekickSettings | null {
  const given = partsIn(fields, "sidekick", {
    model: null,
    fallback: noOthers,
    prompt: "the built-in instructions",
    timeoutSeconds: String(sidekickSecondsDefault),
  })
  if (given === undefined) return null
  const model = decodeOwnModel(fields, "sidekick", given)
  const fallback = partIn(given, "fallback", decodeFallback) ?? []
  const prompt = partIn(given, "prompt", (of, key) => textIn(of, key, `"Look up what …"`)) ?? null
  const timeoutSeconds = partIn(given, "timeoutSeconds", decodeTimeout) ?? sidekickSecondsDefault
  return model === null ? null : { model, fallback, prompt, timeoutSeconds }
}

function decodeTimeout(fields: Fields, key: string): number | undefined {
  const seconds = numberIn(fields, key, "count")
  if (seconds !== undefined && seconds > sidekickSecondsMax)
    faultAt(fields, key, `must be at most ${sidekickSecondsMax}.`)
  return seconds
}

/** What a model may be asked; what writes files, stores what is said about people, or fills the window has to be named. */
export const askedTasks = dreamTasks.filter((task) => task !== "tidy")
const usualTasks: readonly DreamTask[] = ["consolidate", "verify", "archive-stale", "improve", "smart-notes"]
export const schedulePattern = "^(always|never|([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d)$"

/** Other tasks, or another time, would spend what nobody meant to; without a model nothing is asked. */
export function decodeDreamer(fields: Fields): DreamerSettings | null {
  const given = partsIn(fields, "dreamer", {
    model: "no model",
    fallback: noOthers,
    tasks: null,
    schedule: null,
  })
  if (given === undefined) return null
  const named = partIn(given, "tasks", decodeTasks)
  const when = partIn(given, "schedule", decodeSchedule) ?? "always"
  const model = partIn(given, "model", decodeModelRef) ?? null
  return {
    model,
    fallback: partIn(given, "fallback", decodeFallback) ?? [],
    tasks: named === undefined ? usualTasks : askedTasks.filter((task) => named.includes(task)),
    schedule: when === "always" || when === "never" ? when : stretchOf(when),
  }
}

function decodeTasks(fields: Fields, key: string): readonly string[] | undefined {
  const named = textsIn(fields, key, `"verify"`)
  const unknown = named?.find((task) => !askedTasks.some((known) => known === task))
  if (unknown !== undefined)
    faultAt(fields, key, `has no task "${unknown}". There are ${askedTasks.join(", ")}.`)
  return named
}

function decodeSchedule(fields: Fields, key: string): string | undefined {
  const when = textIn(fields, key, `"02:00-06:00"`)
  if (when !== undefined && !new RegExp(schedulePattern).test(when))
    faultAt(fields, key, `must be "always", "never" or a stretch of the day such as "02:00-06:00".`)
  return when
}

function stretchOf(text: string): Exclude<DreamerSettings["schedule"], string> {
  const [fromMinute = 0, toMinute = 0] = text.split("-").map((time) => {
    const [hours = 0, minutes = 0] = time.split(":").map(Number)
    return hours * 60 + minutes
  })
  return { fromMinute, toMinute }
}

export function decodeOnRestart(fields: Fields): RestartPolicy | null {
  const text = textIn(fields, "onRestart", `"continue"`)
  if (text === undefined) return null
  const policy = RestartPolicy.literals.find((literal) => literal === text)
  if (policy === undefined) faultAt(fields, "onRestart", `must be "settle" or "continue".`)
  return policy ?? null
}

export function decodeBudget(fields: Fields): BudgetSettings | null {
  const limits = objectIn(fields, "budget", ["tokens", "money"])
  if (limits === undefined) return null
  const tokens = numberIn(limits, "tokens", "count")
  const money = numberIn(limits, "money", "amount")
  if (money === 0) faultAt(limits, "money", "must be above 0, in dollars. Leave it out for no limit.")
  return { ...(tokens !== undefined && { tokens }), ...(money !== undefined && { money }) }
}

export const lifetimes = ["auto", "5m", "1h"] as const

export function decodeCache(fields: Fields): CacheSettings | null {
  const given = partsIn(fields, "cache", { lifetime: "auto", keepWarm: "nothing is sent to keep them" })
  if (given === undefined) return null
  const lifetime = partIn(given, "lifetime", decodeLifetime)
  const keepWarm = partIn(given, "keepWarm", decodeKeepWarm)
  return { ...(lifetime && { lifetime }), ...(keepWarm && { keepWarm }) }
}

function decodeLifetime(fields: Fields, key: string): (typeof lifetimes)[number] | undefined {
  const text = textIn(fields, key, `"auto"`)
  const lifetime = lifetimes.find((one) => one === text)
  if (text !== undefined && lifetime === undefined) faultAt(fields, key, `must be "auto", "5m" or "1h".`)
  return lifetime
}

/** Both bounds are needed: what is sent by itself must have an end. */
function decodeKeepWarm(fields: Fields): KeepWarm | null {
  const said = objectIn(fields, "keepWarm", ["max", "costMax"])
  if (said === undefined) return null
  const max = numberIn(said, "max", "count")
  const costMax = numberIn(said, "costMax", "amount")
  if (max !== undefined && costMax !== undefined && max <= keepWarmMax && costMax > 0) return { max, costMax }
  faultAt(
    fields,
    "keepWarm",
    `must have both bounds, as in { "max": 3, "costMax": 0.5 }: at most ${keepWarmMax} requests in a row, and dollars above 0 of a Session in all.`,
  )
  return null
}

export const keepWarmMax = 24

export function decodeCost(fields: Fields): CostSettings | null {
  const said = objectIn(fields, "cost", ["askAbove"])
  if (said === undefined) return null
  const askAbove = numberIn(said, "askAbove", "amount")
  return askAbove === undefined ? {} : { askAbove }
}

export const chunkCharactersMin = 200
export const chunkCharactersMax = 8_000
export const chunkCharactersDefault = 1_000

/** A project chooses its model and nothing else: which ones it may choose is the user's to say (SE3). */
export function decodeSearch(fields: Fields, { owner }: DecodedFrom): SearchSettings | null {
  const said = objectIn(fields, "search", ["embedding", "projectModels", "chunkCharacters", "hint"])
  if (said === undefined) return null
  if (owner === "project" && [...said.byKey.keys()].some((key) => key !== "embedding"))
    faultAt(fields, "search", "may hold only embedding here; the rest is for the user's own file.")
  const text = textIn(said, "embedding", `"local"`)
  const embedding = text === "local" || text === "off" || text === undefined ? text : parseModelRef(text)
  if (embedding === null) faultAt(said, "embedding", `must be "local", "off", or a model as "NAME/MODEL".`)
  const texts = textsIn(said, "projectModels", `"NAME/MODEL"`)
  const projectModels = texts?.map(parseModelRef).filter((ref) => ref !== null)
  if (projectModels !== undefined && (projectModels.length !== texts?.length || texts.length > fallbackMax))
    faultAt(said, "projectModels", `must name at most ${fallbackMax} models, as in ["NAME/MODEL"].`)
  const chunkCharacters = numberIn(said, "chunkCharacters", "count")
  if (
    chunkCharacters !== undefined &&
    (chunkCharacters < chunkCharactersMin || chunkCharacters > chunkCharactersMax)
  )
    faultAt(said, "chunkCharacters", `must be between ${chunkCharactersMin} and ${chunkCharactersMax}.`)
  const hint = truthIn(said, "hint")
  return {
    ...(embedding && { embedding }),
    ...(projectModels && { projectModels }),
    ...(chunkCharacters !== undefined && { chunkCharacters }),
    ...(hint !== undefined && { hint }),
  }
}

export function decodeRecall(fields: Fields): RecallSettings | null {
  const given = partsIn(fields, "recall", {
    threshold: String(executeShareDefault),
    docs: "ARCHITECTURE.md and STRUCTURE.md",
    textCompression: "false",
  })
  if (given === undefined) return null
  const threshold = partIn(given, "threshold", decodeThreshold)
  const docs = partIn(given, "docs", decodeDocs)
  const textCompression = partIn(given, "textCompression", truthIn)
  return {
    ...(threshold !== undefined && { threshold }),
    ...(docs && { docs }),
    ...(textCompression !== undefined && { textCompression }),
  }
}

function decodeThreshold(fields: Fields, key: string): number | undefined {
  const share: unknown = fields.byKey.get(key)?.value
  if (!fields.byKey.has(key)) return undefined
  if (typeof share === "number" && share >= executeShareMin && share <= executeShareMax) return share
  const bounds = `${executeShareMin} and ${executeShareMax}`
  faultAt(fields, key, `must be a share of the window, a number between ${bounds}, as in 0.7.`)
  return undefined
}

const docsMax = 8

/** Names below the root of the project; an empty list asks for none. */
function decodeDocs(fields: Fields): readonly string[] | undefined {
  const { children } = fields.byKey.get("docs") ?? {}
  if (children?.length === 0) return []
  const names = textsIn(fields, "docs", `["ARCHITECTURE.md"]`)
  if (names === undefined) return undefined
  if (names.length <= docsMax && names.every((name) => !/^[/\\]|(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(name)))
    return names
  faultAt(fields, "docs", `must be at most ${docsMax} names of files below the root of the project.`)
  return undefined
}

export function decodeTimeZone(fields: Fields): string | null {
  const text = textIn(fields, "timeZone", `"Europe/Paris"`)
  if (text === undefined) return null
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: text }).resolvedOptions().timeZone
  } catch {
    // RangeError is the only way Intl says that it does not know a zone.
    faultAt(fields, "timeZone", `must be a time zone name such as "Europe/Paris".`)
    return null
  }
}

/** As URLs write them, so that `LOCALHOST` and `127.1` are found again. */
export function decodePrivateHosts(fields: Fields): readonly string[] | null {
  const texts = textsIn(fields, "webfetchPrivateHosts", `"localhost"`)
  if (texts === undefined) return null
  const hosts = texts.map((text) => ({ text, url: URL.parse(`http://${text}`) }))
  for (const { text, url } of hosts) {
    if (url !== null && url.host === url.hostname && url.pathname === "/" && url.username === "") continue
    const message = `names "${text}", which is no host. Write names or addresses without port and path, as in ["localhost", "10.0.0.7"].`
    faultAt(fields, "webfetchPrivateHosts", message)
  }
  return hosts.flatMap(({ url }) => (url === null ? [] : [url.hostname]))
}

/** A project names files of its own root: anything else could bring the user's into every request. */
export function decodeInstructions(fields: Fields, { owner }: DecodedFrom): readonly string[] | null {
  const given = textsIn(fields, "instructions", `"docs/style.md"`)
  if (given === undefined) return null
  if (given.length > instructionsMax)
    faultAt(fields, "instructions", `must name at most ${instructionsMax} files.`)
  const addresses = given.filter((path) => /^[a-z][a-z0-9+.-]+:\/\//i.test(path))
  if (owner === "project" && addresses.length > 0)
    faultAt(fields, "instructions", "must name files: only the user's own file names addresses.")
  if (addresses.some((address) => fetchedHost(address) === null))
    faultAt(fields, "instructions", "must name addresses by http or https, without user and password.")
  if (owner === "project" && given.some((path) => /^([/~\\]|[A-Za-z]:)|(^|[/\\])\.\.([/\\]|$)/.test(path)))
    faultAt(fields, "instructions", "must name files inside of the project, by paths from its root.")
  return given
}

export function decodeCatalogUrl(fields: Fields): string | null {
  const text = textIn(fields, "catalogUrl", `"https://example.com/api.json"`)
  const fault = text === undefined ? null : findUrlFault(text)
  if (fault !== null) faultAt(fields, "catalogUrl", fault)
  return text ?? null
}
