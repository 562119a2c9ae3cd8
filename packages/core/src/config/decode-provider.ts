/** Decoding of one provider: its wire, its address, where its key comes from, and its models. */
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { Redacted } from "effect"
import type { WireName } from "@holdfast/llm"
import { profiles } from "@holdfast/llm/openai-chat/profiles"
import { findSecrets } from "@holdfast/llm/recording/secrets"
import { knownWires } from "@holdfast/llm/known-wires"
import { decodeAws } from "./aws/decode.ts"
import { regionOf } from "./aws/region.ts"
import { decodeModel, modelKeys } from "./decode-model.ts"
import type { Environment } from "./directories.ts"
import {
  choiceIn,
  faultAt,
  type Fields,
  numberIn,
  objectsIn,
  partIn,
  partsIn,
  textIn,
  textsIn,
} from "./document.ts"
import { optionsIn, optionTarget } from "./given-options.ts"
import { findProvider, type ProviderFacts, wireNames } from "./known-providers.ts"
import { runtimeLimits } from "../session/ports.ts"
import type { ProviderKey, ProviderSettings } from "./settings.ts"

/** Ways to say where a key is; they belong to the user alone. */
export const keyNames = ["apiKey", "apiKeyEnv", "apiKeyFile", "apiKeyCommand", "aws"]
export const providerKeys = ["wire", "baseUrl", "profile", ...keyNames, "options", "timeouts", "models"]

export interface DecodedFrom {
  readonly file: string
  readonly environment: Environment
  /** Whose file it is. */
  readonly owner: "user" | "project"
}

export function decodeProvider(name: string, fields: Fields, from: DecodedFrom): ProviderSettings {
  if (name === "") faultAt(fields, "", "has a provider without a name. Give it one.")
  if (name.includes("/")) faultAt(fields, "", "has a slash in its name. Choose a name without a slash.")
  const aws = decodeAws(fields, from.environment, (at, key, path) => decodePath(at, key, path, from))
  const known = findProvider(
    name,
    aws === null || aws.region === null ? from.environment : { ...from.environment, AWS_REGION: aws.region },
  )
  checkOneKey(fields)
  const wire = decodeWire(fields, known)
  const baseUrl = decodeBaseUrl(fields, known)
  const profile = decodeProfile(fields, wire)
  const target = optionTarget(name, wire)
  const options = optionsIn(fields, "options", target)
  const timeouts = decodeTimeouts(fields)
  const models = objectsIn(fields, "models", modelKeys)
  if (models.size === 0 && known === null) {
    faultAt(
      fields,
      "models",
      `is missing. Name at least one model: {"NAME": {"limit": {"context": 200000, "output": 8192}}}.`,
    )
  }
  return {
    wire,
    baseUrl,
    key: settleKey(fields, aws ?? decodeKey(fields, known, from), { wire, baseUrl }, from),
    ...(profile === undefined ? {} : { profile }),
    ...(options === undefined ? {} : { options }),
    ...(timeouts === undefined ? {} : { timeouts }),
    models: new Map([...models].map(([model, found]) => [model, decodeModel(found, known !== null, target)])),
  }
}

/** What is wrong with a base URL, or null. It is recorded with every turn, so it may hold no secret. */
export function findUrlFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    return "must be an address that begins with http:// or https://."
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return "must be a plain address, without user, password, query or fragment. Put a key into apiKeyEnv, apiKeyFile or apiKeyCommand."
  }
  return null
}

/** A day: who waits longer for an answer waits for nothing. */
export const timeoutSecondsMax = 86_400

/** What holds where nothing is said, or what is said is wrong. */
const timeoutDefaults = {
  firstByteSeconds: secondsOf(runtimeLimits.firstByteMs),
  idleSeconds: secondsOf(runtimeLimits.idleMs),
  contentSeconds: secondsOf(runtimeLimits.contentMs),
  answerSeconds: secondsOf(runtimeLimits.answerMs),
}

export const timeoutKeys = Object.keys(timeoutDefaults) as readonly (keyof typeof timeoutDefaults)[]

function decodeTimeouts(fields: Fields): ProviderSettings["timeouts"] {
  const said = partsIn(fields, "timeouts", timeoutDefaults)
  if (said === undefined) return undefined
  const given = timeoutKeys.map((key) => [key.replace("Seconds", "Ms"), partIn(said, key, millisIn)] as const)
  return Object.fromEntries(given.filter(([, ms]) => ms !== undefined))
}

function millisIn(fields: Fields, key: string): number | undefined {
  const seconds = numberIn(fields, key, "count")
  if (seconds !== undefined && seconds > timeoutSecondsMax)
    faultAt(fields, key, `must be at most ${timeoutSecondsMax}, a day.`)
  return seconds === undefined ? undefined : seconds * 1_000
}

function secondsOf(ms: number): string {
  return String(ms / 1_000)
}

const wireDefault: WireName = "anthropic-messages"

function decodeWire(fields: Fields, known: ProviderFacts | null): WireName {
  const names = wireNames()
  if (known === null && !fields.byKey.has("wire"))
    faultAt(fields, "wire", `is missing. Set it to one of ${names.join(", ")}.`)
  return choiceIn(fields, "wire", names) ?? known?.wire ?? wireDefault
}

function decodeProfile(fields: Fields, wire: WireName): string | undefined {
  const profile = choiceIn(fields, "profile", Object.keys(profiles))
  if (profile !== undefined && wire !== "openai-chat")
    faultAt(fields, "profile", "is for servers of the wire openai-chat. Leave it out.")
  return profile
}

function decodeBaseUrl(fields: Fields, known: ProviderFacts | null): string {
  const baseUrl = textIn(fields, "baseUrl", `"https://api.example.com"`)
  if (baseUrl === undefined && known === null && !fields.byKey.has("baseUrl")) {
    faultAt(
      fields,
      "baseUrl",
      `is missing. Set it to the address of the provider, such as "https://api.example.com".`,
    )
  }
  const urlFault = baseUrl === undefined ? null : findUrlFault(baseUrl)
  if (urlFault !== null) faultAt(fields, "baseUrl", urlFault)
  return baseUrl ?? known?.baseUrl ?? ""
}

function checkOneKey(fields: Fields): void {
  const [first, second] = keyNames.filter((name) => fields.byKey.has(name))
  if (first !== undefined && second !== undefined)
    faultAt(fields, second, `stands beside ${first}. Keep one of them.`)
}

function decodeKey(fields: Fields, known: ProviderFacts | null, from: DecodedFrom): ProviderKey {
  const value = textIn(fields, "apiKey", `"sk-…"`)
  if (value !== undefined) return { kind: "value", value: Redacted.make(value) }
  const name = textIn(fields, "apiKeyEnv", `"MY_API_KEY"`)
  if (name !== undefined && !isKeyLike(name) && /^[A-Za-z_]\w*$/.test(name)) return { kind: "variable", name }
  if (name !== undefined) {
    faultAt(
      fields,
      "apiKeyEnv",
      `must be the name of an environment variable, such as "MY_API_KEY".${noKeyHere}`,
    )
    return { kind: "none" }
  }
  const path = textIn(fields, "apiKeyFile", `"~/.keys/provider"`)
  if (path !== undefined && isKeyLike(path)) {
    faultAt(fields, "apiKeyFile", `must be the path of a file.${noKeyHere}`)
    return { kind: "none" }
  }
  if (path !== undefined) return { kind: "file", path: decodePath(fields, "apiKeyFile", path, from) }
  const argv = textsIn(fields, "apiKeyCommand", `["pass", "show", "provider"]`)
  if (argv?.some(isKeyLike)) {
    faultAt(fields, "apiKeyCommand", `must be a command that prints the key.${noKeyHere}`)
    return { kind: "none" }
  }
  if (argv !== undefined) return { kind: "command", argv }
  const key: ProviderKey = known?.key ?? { kind: "none" }
  // The file may give an address of another region.
  return key.kind === "aws" ? { ...key, region: null } : key
}

/** What a message quotes later must not be the secret itself, pasted where its place should stand (AU1). */
const isKeyLike = (text: string): boolean =>
  /^(?:sk|pk|rk|xai)-|^gsk_/.test(text) ||
  /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w+-]{40,}=*$/.test(text) ||
  findSecrets([text], []).length > 0

const noKeyHere = " A key itself belongs into apiKey of your own file, or better into a private file."

/** AWS keys sign for one region, and for a wire whose requests can be signed. */
function settleKey(
  fields: Fields,
  key: ProviderKey,
  { wire, baseUrl }: Pick<ProviderSettings, "wire" | "baseUrl">,
  { environment }: DecodedFrom,
): ProviderKey {
  if (key.kind !== "aws") return key
  if (knownWires[wire]?.signs === true)
    return { ...key, region: key.region ?? regionOf(baseUrl, environment) }
  if (fields.byKey.has("aws")) faultAt(fields, "aws", "is for the wire bedrock-converse. Leave it out.")
  return { kind: "none" }
}

/** Beside the file that names it, unless it says where; `~/` is the home directory. */
function decodePath(fields: Fields, key: string, path: string, { file, environment }: DecodedFrom): string {
  if (path.startsWith("~/")) return join(environment["HOME"] || homedir(), path.slice(2))
  if (isAbsolute(path)) return path
  if (!isAbsolute(file)) {
    faultAt(fields, key, "must be an absolute path here.")
    return path
  }
  return join(dirname(file), path)
}
