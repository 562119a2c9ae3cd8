/**
 * Rule: one line of what is allowed, asked for or denied (PE1).
 *
 *   allow write(src/**)     effect, action, and in brackets what it is about
 *   ask bash                without brackets it is about everything the action can do
 *   deny bash(!git *)       an exclamation mark in front means everything but this
 *
 * Of paths it speaks by gitignore patterns, of commands by words, of `webfetch` by host, of any other
 * tool by a name in which a star may stand.
 */
import { Result } from "effect"
import { readCommandRule } from "./pattern/command.ts"
import { allBut, everything, type Fit, type Pattern, readStars, type Reading } from "./pattern/fit.ts"
import { isAbsolutePattern, readPathRule } from "./pattern/path.ts"
import type { Resource, RuleOrigin } from "./verdict.ts"

export type RuleEffect = "allow" | "ask" | "deny"

export interface Rule {
  readonly effect: RuleEffect
  readonly selector: Selector
  readonly origin: RuleOrigin
  /** The file and line, the option or the agent that it stands in; empty for what is built in. */
  readonly source: string
}

/** What a rule, or an approval, is about. */
export interface Selector {
  /** As it was written, such as `write(src/**)`. */
  readonly text: string
  /** `*` for every action. */
  readonly action: string
  readonly pattern: Pattern
}

/** Why a rule cannot be read. */
export interface RuleFault {
  readonly message: string
  /** What is wrong and what to write instead, without the rule itself. */
  readonly advice: string
}

export interface RuleSource {
  readonly origin: RuleOrigin
  readonly source: string
  /** The directory that `~` stands for. */
  readonly home: string
}

/** Reads a rule with its effect in front, as settings and agents hold it. */
export function readRule(text: string, source: RuleSource): Result.Result<Rule, RuleFault> {
  const found = /^\s*(\S+)(?:\s+([^]*\S))?\s*$/.exec(text)
  const effect = effects.find((known) => known === found?.[1])
  if (effect === undefined || found?.[2] === undefined) return invalid(text, form)
  return readRuleFor(effect, found[2], source)
}

/** Reads a rule whose effect is known already, as by the name of an option. */
export function readRuleFor(
  effect: RuleEffect,
  text: string,
  { origin, source, home }: RuleSource,
): Result.Result<Rule, RuleFault> {
  return Result.map(readSelector(text, home), (selector) => ({ effect, selector, origin, source }))
}

export function readSelector(text: string, home: string): Result.Result<Selector, RuleFault> {
  const trimmed = text.trim()
  const found = /^(\*|[A-Za-z][\w-]{0,63})(?:\(([^]*)\))?$/.exec(trimmed)
  const [, action = "", about] = found ?? []
  const effect = effects.find((known) => trimmed.startsWith(`${known} `))
  if (effect !== undefined)
    return invalid(text, `What is allowed stands here without "${effect}" in front. ${placeOf[effect]}`)
  if (found === null) return invalid(text, form)
  const meant = misspelt(action)
  if (meant !== undefined)
    return invalid(text, `There is no action "${action}". Write ${judgedAs(meant)} instead.`)
  const covering = coveredBy.get(action)
  if (covering !== undefined)
    return invalid(text, `"${action}" is covered by "${covering}". Write ${covering} instead.`)
  if (about === undefined) return Result.succeed({ text: trimmed, action, pattern: everything })
  if (action === "*") return invalid(text, `"*" is about every action and takes no brackets.`)
  const isOthers = about.startsWith("!")
  const pattern = readPattern(action, (isOthers ? about.slice(1) : about).trim(), home)
  if (typeof pattern === "string") return invalid(text, pattern)
  return Result.succeed({ text: trimmed, action, pattern: isOthers ? allBut(pattern) : pattern })
}

export function fitOf({ action, pattern }: Selector, resource: Resource, reading: Reading): Fit {
  return action === "*" || action === resource.action ? pattern.fits(resource.resource, reading) : "no"
}

/** The action by which the calls of a tool are judged. */
export const judgedAs = (tool: string): string => coveredBy.get(tool) ?? tool

export const writeRule = ({ effect, selector }: Rule): string => `${effect} ${selector.text}`

const effects: readonly RuleEffect[] = ["allow", "ask", "deny"]
const elsewhere = 'It belongs into "permissions" of holdfast.jsonc, or of an agent.'
const placeOf: Readonly<Record<RuleEffect, string>> = {
  allow: "Leave it out.",
  ask: elsewhere,
  deny: elsewhere,
}
const pathActions: readonly string[] = ["read", "write", "outside"]

/** Tools that are judged as another action. */
const coveredBy: ReadonlyMap<string, string> = new Map([
  ["edit", "write"],
  ["apply_patch", "write"],
  ["glob", "read"],
  ["grep", "read"],
  ["list", "read"],
])

const knownActions: readonly string[] = [
  ...pathActions,
  ...coveredBy.keys(),
  ..."bash bash_output bash_kill webfetch skill todo question context_expand context_memory context_note context_search context_status".split(
    " ",
  ),
]

/**
 * The action that was meant: other letters of the same kind, swapped ones, or one too few. A rule about
 * nothing would be taken for one that holds; what is only alike may be a tool of a program.
 */
function misspelt(action: string): string | undefined {
  if (action === "*" || knownActions.includes(action)) return undefined
  const given = action.toLowerCase()
  const letters = sorted(given)
  return knownActions.find((known, at) => knownLetters[at] === letters || isOneLess(given, known))
}

const sorted = (word: string): string => [...word].sort().join("")
const knownLetters: readonly string[] = knownActions.map(sorted)

const isOneLess = (given: string, known: string): boolean =>
  given.length === known.length - 1 &&
  [...known].some((_, at) => known.slice(0, at) + known.slice(at + 1) === given)

const form = `Write allow, ask or deny, then an action, and in brackets what it is about, as in "allow write(src/**)" or "deny bash(git push)".`
const lengthMax = 1_000

function readPattern(action: string, about: string, home: string): Pattern | string {
  if (about === "") return `The brackets are empty. Leave them out to mean everything.`
  if (about.length > lengthMax) return `It is longer than ${lengthMax} characters.`
  if (/\p{Cc}/u.test(about)) return "It holds a control character, such as a line end."
  if (pathActions.includes(action)) return readPath(action, about, home)
  if (action === "bash") return readCommandRule(about) ?? "A quote is not closed. Close it, or leave it out."
  const fits = readStars(action === "webfetch" ? about.toLowerCase().replace(/\.$/, "") : about)
  if (action === "webfetch" && /[/:@\s]/.test(about.replace(/^\[[\da-f:]+\]$/i, "")))
    return `Name a host alone, as in webfetch(*.example.com).`
  return { fits: (resource) => (fits(resource) ? "yes" : "no") }
}

function readPath(action: string, about: string, home: string): Pattern | string {
  if (about.split("/").includes("..")) return `A path in a rule holds no "..". Write the real path.`
  if (/^~[^/]/.test(about)) return `Only your own home directory can be named: begin with "~/".`
  if (action === "outside" && !isAbsolutePattern(about))
    return `What is outside the project has an absolute path: begin with "/" or "~/".`
  return readPathRule(about, home)
}

const invalid = (text: string, advice: string): Result.Result<never, RuleFault> =>
  Result.fail({ message: `The rule ${JSON.stringify(text)} cannot be read. ${advice}`, advice })
