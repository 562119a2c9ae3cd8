/**
 * The options of a program, by name and kind: a misspelt one is refused and not passed over, and one of
 * another kind is not taken for what it was not meant to be (CF1, CO3). What the settings decode anyway
 * (`providers`, `model`, …) is theirs to judge.
 */
import { homedir } from "node:os"
import { Result } from "effect"
import { readAllowed } from "@holdfast/core/host/permissions"
import { ConfigurationInvalid } from "@holdfast/schema/error"
import { nearNames } from "@holdfast/schema/names/near-names"
import type { HoldfastOptions } from "./holdfast.ts"
import type { ServeOptions } from "./serve.ts"

interface Kind {
  readonly isGiven: (value: unknown) => boolean
  /** After "must be". */
  readonly expected: string
}

const isText = (value: unknown): value is string => typeof value === "string"
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const text: Kind = { isGiven: isText, expected: "a text" }
const path: Kind = {
  isGiven: (value) => isText(value) && !value.includes("\0"),
  expected: "the path of a directory, as a text",
}
const texts: Kind = {
  isGiven: (value) => Array.isArray(value) && value.every(isText),
  expected: "a list of texts",
}
const rules: Kind = { ...texts, expected: 'a list of rules, as in ["bash(npm test)", "write(src/**)"]' }
/** Each is read when it is registered. */
const list: Kind = { isGiven: Array.isArray, expected: "a list, of what `register` takes" }
const flag: Kind = { isGiven: (value) => typeof value === "boolean", expected: "true or false" }
const callback: Kind = { isGiven: (value) => typeof value === "function", expected: "a function" }
const port: Kind = {
  isGiven: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
  expected: "a port, a whole number from 0 to 65535",
}
const byName: Kind = { isGiven: isObject, expected: "an object, with a field for each name" }
const variables: Kind = {
  isGiven: (value) =>
    isObject(value) && Object.values(value).every((each) => each === undefined || isText(each)),
  expected: "an object of texts, as process.env is",
}
const spare: Kind = {
  isGiven: (value) =>
    isObject(value) &&
    Object.values(value).every(
      (each) => isObject(each) && ["undefined", "function"].includes(typeof Object(each).start),
    ),
  expected: "an object of providers, whose start is a function",
}
/** The settings decode it. */
const setting: Kind = { isGiven: () => true, expected: "" }

const ofHoldfast = {
  dataDir: path,
  configDir: path,
  directory: path,
  providers: setting,
  reserve: spare,
  models: byName,
  model: setting,
  fallback: setting,
  onRestart: setting,
  budget: setting,
  continues: flag,
  onConfigurationFault: callback,
  onConfigurationWarning: callback,
  onWarning: callback,
  allow: rules,
  tools: list,
  sources: list,
  environment: variables,
} as const satisfies Record<keyof HoldfastOptions, Kind>

const ofServer = {
  ...ofHoldfast,
  token: text,
  port,
  host: text,
  allowedHosts: texts,
  allowedOrigins: texts,
  onDefect: callback,
  onRequest: callback,
  onEvent: callback,
} as const satisfies Record<keyof ServeOptions, Kind>

const known = { openHoldfast: ofHoldfast, serveHoldfast: ofServer }

/** Throws where there is no such option, or it is of another kind. */
export function checkOptions(opener: keyof typeof known, options: object): void {
  const message = faultOf(opener, options)
  if (message !== null) throw new ConfigurationInvalid({ file: `${opener}(…)`, line: 0, message })
}

function faultOf(opener: keyof typeof known, options: unknown): string | null {
  if (!isObject(options)) return `${opener} takes its options as one object.`
  const kinds = new Map<string, Kind>(Object.entries(known[opener]))
  for (const [name, value] of Object.entries(options)) {
    const kind = kinds.get(name)
    if (kind === undefined) return unknownOption(opener, name, [...kinds.keys()])
    if (value !== undefined && !kind.isGiven(value))
      return `The option "${name}" of ${opener} must be ${kind.expected}.`
  }
  return unreadableRule(options as HoldfastOptions)
}

function unknownOption(opener: string, name: string, names: readonly string[]): string {
  const [near] = nearNames(name, names)
  const advice = near === undefined ? `There are ${names.join(", ")}.` : `Did you mean "${near}"?`
  return `${opener} has no option "${name}". ${advice}`
}

/** A rule that is passed over may be the one that was to narrow the others. */
const unreadableRule = ({ allow = [] }: HoldfastOptions): string | null =>
  Result.match(readAllowed(allow, homedir()), {
    onSuccess: () => null,
    onFailure: ({ message }) => `The option "allow": ${message}`,
  })
