/**
 * Decoding: from the text of a configuration file to Settings, or to a failure that names the line.
 *
 * Two files, two rights. The user's file may set everything; the project's file comes with whatever
 * was cloned, is not trusted, and may choose among configured models, nothing else.
 */
import { Redacted, Result } from "effect"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import { type ModelRef, parseModelRef, type Price } from "@holdfast/schema/model"
import {
  faultAt,
  type Fields,
  firstFault,
  numberIn,
  objectIn,
  objectsIn,
  openDocument,
  textIn,
  truthIn,
} from "./document.ts"
import {
  anthropic,
  type ModelSettings,
  type ProviderKey,
  type ProviderSettings,
  type Settings,
} from "./settings.ts"

type Decoded<A> = Result.Result<A, ConfigurationInvalid>

const settingKeys = ["providers", "model", "timeZone"]
const providerKeys = ["wire", "baseUrl", "apiKey", "apiKeyEnv", "models"]
const modelKeys = ["limit", "thinkingTokens", "systemRole", "price"]
const limitKeys = ["context", "output"]
const priceKeys = ["input", "output", "cacheRead", "cacheWrite"]
const thinkingTokensMin = 1_024

/** `environment` only supplies the address of the provider that needs none in the file. */
export function decodeUserFile(
  file: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>> = {},
): Decoded<Settings> {
  const { settings, fields } = readUserFile(file, text, environment)
  const fault = firstFault(fields.document)
  return fault === null ? Result.succeed(settings) : Result.fail(fault)
}

/** The model that a project asks for, or null. */
export function decodeProjectFile(file: string, text: string): Decoded<ModelRef | null> {
  const { model, fields } = readProjectFile(file, text)
  const fault = firstFault(fields.document)
  return fault === null ? Result.succeed(model) : Result.fail(fault)
}

/** As far as it can be read; every fault is noted in the document of its fields. */
export function readUserFile(
  file: string,
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly settings: Settings; readonly fields: Fields } {
  const fields = openDocument(file, text, settingKeys)
  const providers = new Map(
    [...objectsIn(fields, "providers", providerKeys)].map(([name, provider]) => [
      name,
      decodeProvider(name, provider, environment),
    ]),
  )
  const settings = { providers, model: decodeModelRef(fields), timeZone: decodeTimeZone(fields) }
  return { settings, fields }
}

/** As far as it can be read; every fault is noted in the document of its fields. */
export function readProjectFile(
  file: string,
  text: string,
): { readonly model: ModelRef | null; readonly fields: Fields } {
  const fields = openDocument(file, text, settingKeys)
  for (const key of fields.byKey.keys()) {
    if (key === "model" || !settingKeys.includes(key)) continue
    faultAt(
      fields,
      key,
      "cannot be set by a project, whose files are not trusted. Set it in your own configuration.",
    )
  }
  return { model: decodeModelRef(fields), fields }
}

/** What is wrong with a base URL, or null. It is recorded with every turn, so it may hold no secret. */
export function findUrlFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    return "must be an address that begins with http:// or https://."
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return "must be a plain address, without user, password, query or fragment. Put a key into apiKey or apiKeyEnv."
  }
  return null
}

function decodeProvider(
  name: string,
  fields: Fields,
  environment: Readonly<Record<string, string | undefined>>,
): ProviderSettings {
  if (name === "" || name.includes("/")) faultAt(fields, "", "needs a name without a slash.")
  const known = name === anthropic.name
  const wire = textIn(fields, "wire", `"${anthropic.wire}"`)
  if (wire === undefined && !known && !fields.byKey.has("wire"))
    faultAt(fields, "wire", `is missing. Set it to "${anthropic.wire}".`)
  if (wire !== undefined && wire !== anthropic.wire) faultAt(fields, "wire", `must be "${anthropic.wire}".`)
  const baseUrl = textIn(fields, "baseUrl", `"https://api.example.com"`)
  if (baseUrl === undefined && !known && !fields.byKey.has("baseUrl")) {
    faultAt(
      fields,
      "baseUrl",
      `is missing. Set it to the address of the provider, such as "https://api.example.com".`,
    )
  }
  const urlFault = baseUrl === undefined ? null : findUrlFault(baseUrl)
  if (urlFault !== null) faultAt(fields, "baseUrl", urlFault)
  const models = objectsIn(fields, "models", modelKeys)
  if (models.size === 0 && !known) {
    faultAt(
      fields,
      "models",
      `is missing. Name at least one model: {"NAME": {"limit": {"context": 200000, "output": 8192}}}.`,
    )
  }
  return {
    wire: anthropic.wire,
    baseUrl: baseUrl ?? (environment[anthropic.urlVariable]?.trim() || anthropic.baseUrl),
    key: decodeKey(fields, known),
    models: new Map([...models].map(([model, found]) => [model, decodeModel(found, known)])),
  }
}

function decodeKey(fields: Fields, known: boolean): ProviderKey {
  const value = textIn(fields, "apiKey", `"sk-…"`)
  const name = textIn(fields, "apiKeyEnv", `"${anthropic.keyVariable}"`)
  if (fields.byKey.has("apiKey") && fields.byKey.has("apiKeyEnv")) {
    faultAt(fields, "apiKeyEnv", "stands beside apiKey. Keep one of them.")
  }
  if (value !== undefined) return { kind: "value", value: Redacted.make(value) }
  if (name !== undefined) return { kind: "variable", name }
  return known ? { kind: "variable", name: anthropic.keyVariable } : { kind: "none" }
}

function decodeModel(fields: Fields, known: boolean): ModelSettings {
  const limit = objectIn(fields, "limit", limitKeys)
  if (limit === undefined && !known) {
    faultAt(fields, "limit", `is missing. Set it, as in {"context": 200000, "output": 8192}.`)
  }
  const contextTokens = limit && required(limit, "context", known)
  const outputTokens = limit && required(limit, "output", known)
  if (contextTokens !== undefined && outputTokens !== undefined && outputTokens >= contextTokens && limit) {
    faultAt(limit, "output", "must be below the context limit: the output is part of the window.")
  }
  const thinkingTokens = numberIn(fields, "thinkingTokens", "count")
  if (thinkingTokens !== undefined && thinkingTokens < thinkingTokensMin) {
    faultAt(fields, "thinkingTokens", `must be at least ${thinkingTokensMin}.`)
  }
  if (thinkingTokens !== undefined && outputTokens !== undefined && thinkingTokens >= outputTokens) {
    faultAt(fields, "thinkingTokens", "must be below the output limit: thinking is part of the output.")
  }
  const systemRole = truthIn(fields, "systemRole")
  const price = decodePrice(fields)
  return {
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(thinkingTokens === undefined ? {} : { thinkingTokens }),
    ...(systemRole === undefined ? {} : { systemRole }),
    ...(price === undefined ? {} : { price }),
  }
}

function required(limit: Fields, key: string, known: boolean): number | undefined {
  if (!limit.byKey.has(key) && !known) faultAt(limit, key, "is missing. It is a number of tokens.")
  return numberIn(limit, key, "count")
}

/** Dollars for a million tokens. */
function decodePrice(fields: Fields): Price | undefined {
  const price = objectIn(fields, "price", priceKeys)
  if (price === undefined) return undefined
  const amount = (key: string) => {
    if (!price.byKey.has(key)) faultAt(price, key, "is missing. It is dollars for a million tokens.")
    return numberIn(price, key, "amount") ?? 0
  }
  return {
    input: amount("input"),
    output: amount("output"),
    cacheRead: amount("cacheRead"),
    cacheWrite: amount("cacheWrite"),
  }
}

function decodeModelRef(fields: Fields): ModelRef | null {
  const text = textIn(fields, "model", `"NAME/MODEL"`)
  if (text === undefined) return null
  const ref = parseModelRef(text)
  if (ref === null)
    faultAt(fields, "model", `must name provider and model with a slash between them, as in "NAME/MODEL".`)
  return ref
}

function decodeTimeZone(fields: Fields): string | null {
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
