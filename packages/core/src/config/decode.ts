/**
 * Decoding: from the text of a configuration file to Settings, or to a failure that names the line.
 *
 * Two files, two rights. The user's file may set everything; the project's file comes with whatever
 * was cloned, is not trusted, and may choose among configured models, nothing else.
 */
import { Result } from "effect"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import { type ModelRef, parseModelRef } from "@holdfast/schema/model"
import { RestartPolicy } from "@holdfast/schema/session"
import { decodeProvider, findUrlFault, keyNames, providerKeys } from "./decode-provider.ts"
import type { Environment } from "./directories.ts"
import {
  faultAt,
  faultAtEach,
  type Fields,
  firstFault,
  numberIn,
  objectIn,
  objectsIn,
  openDocument,
  textIn,
  textsIn,
} from "./document.ts"
import type { BudgetSettings, Settings } from "./settings.ts"

type Decoded<A> = Result.Result<A, ConfigurationInvalid>

const settingKeys = [
  "providers",
  "model",
  "fallback",
  "onRestart",
  "budget",
  "timeZone",
  "toolOutputDays",
  "webfetchPrivateHosts",
  "catalogUrl",
]
const fallbackMax = 16

/** `environment` supplies addresses of known providers, the names of their keys and the home directory. */
export function decodeUserFile(file: string, text: string, environment: Environment = {}): Decoded<Settings> {
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
  environment: Environment,
): { readonly settings: Settings; readonly fields: Fields } {
  const fields = openDocument(file, text, settingKeys)
  const providers = new Map(
    [...objectsIn(fields, "providers", providerKeys)].map(([name, provider]) => [
      name,
      decodeProvider(name, provider, { file, environment }),
    ]),
  )
  const settings = {
    providers,
    model: decodeModelRef(fields),
    fallback: decodeFallback(fields),
    onRestart: decodeOnRestart(fields),
    budget: decodeBudget(fields),
    timeZone: decodeTimeZone(fields),
    toolOutputDays: numberIn(fields, "toolOutputDays", "count") ?? null,
    webfetchPrivateHosts: decodePrivateHosts(fields),
    catalogUrl: decodeCatalogUrl(fields),
  }
  return { settings, fields }
}

/** As far as it can be read; every fault is noted in the document of its fields. */
export function readProjectFile(
  file: string,
  text: string,
): { readonly model: ModelRef | null; readonly fields: Fields } {
  const fields = openDocument(file, text, [...settingKeys, ...keyNames])
  for (const key of fields.byKey.keys()) {
    if (key === "model" || ![...settingKeys, ...keyNames].includes(key)) continue
    const keys = faultAtEach(
      fields,
      key,
      keyNames,
      "cannot stand in a project's file: whoever has the project could read your key, or send it elsewhere. Set it in your own configuration, and change a key that was stored here.",
    )
    if (keys > 0) continue
    faultAt(
      fields,
      key,
      "cannot be set by a project, whose files are not trusted. Set it in your own configuration.",
    )
  }
  return { model: decodeModelRef(fields), fields }
}

function decodeModelRef(fields: Fields): ModelRef | null {
  const text = textIn(fields, "model", `"NAME/MODEL"`)
  if (text === undefined) return null
  const ref = parseModelRef(text)
  if (ref === null)
    faultAt(fields, "model", `must name provider and model with a slash between them, as in "NAME/MODEL".`)
  return ref
}

function decodeFallback(fields: Fields): readonly ModelRef[] | null {
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

function decodeOnRestart(fields: Fields): RestartPolicy | null {
  const text = textIn(fields, "onRestart", `"continue"`)
  if (text === undefined) return null
  const policy = RestartPolicy.literals.find((literal) => literal === text)
  if (policy === undefined) faultAt(fields, "onRestart", `must be "settle" or "continue".`)
  return policy ?? null
}

function decodeBudget(fields: Fields): BudgetSettings | null {
  const limits = objectIn(fields, "budget", ["tokens", "money"])
  if (limits === undefined) return null
  const tokens = numberIn(limits, "tokens", "count")
  const money = numberIn(limits, "money", "amount")
  if (money === 0) faultAt(limits, "money", "must be above 0, in dollars. Leave it out for no limit.")
  return { ...(tokens !== undefined && { tokens }), ...(money !== undefined && { money }) }
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

/** As URLs write them, so that `LOCALHOST` and `127.1` are found again. */
function decodePrivateHosts(fields: Fields): readonly string[] | null {
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

function decodeCatalogUrl(fields: Fields): string | null {
  const text = textIn(fields, "catalogUrl", `"https://example.com/api.json"`)
  const fault = text === undefined ? null : findUrlFault(text)
  if (fault !== null) faultAt(fields, "catalogUrl", fault)
  return text ?? null
}
