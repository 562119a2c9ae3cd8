/** Decoding of the settings that are one value each; what is wrong is noted in the document of the fields. */
import { type ModelRef, parseModelRef } from "@holdfast/schema/model"
import { RestartPolicy } from "@holdfast/schema/session"
import { type DecodedFrom, findUrlFault } from "../decode-provider.ts"
import { faultAt, type Fields, numberIn, objectIn, textIn, textsIn } from "../document.ts"
import { fetchedHost } from "../../tools/web/fetch-document.ts"
import type { BudgetSettings } from "../settings.ts"

export const fallbackMax = 16
export const instructionsMax = 64

export function decodeModelRef(fields: Fields, key: "model" | "titleModel"): ModelRef | null {
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
