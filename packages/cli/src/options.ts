/**
 * Options: those that many commands have, and how their values are read. What is wrong with a value
 * is said where it is read.
 */
import { Argument, type Command, InvalidArgumentError, Option } from "commander"
import type { AllowRule } from "@holdfast/sdk"
import type { GivenLimit } from "./sessions/budget.ts"
import { readHostName, readOrigin } from "./server/host-name.ts"
import { logFormats, logLevels } from "./server/log.ts"

/** Options of commands that let a model work, or say what it would be given. */
export const workOptions = (command: Command): Command => allowOption(sharedOptions(command))

export const allowOption = (command: Command): Command =>
  command.option(
    "--allow <rule>",
    "what may be done without asking: write, bash, 'bash(npm test)', 'write(src/**)'; may be given several times, or with commas",
    addRules,
  )

/** Options of commands that a running server may do the work of. */
export const sharedOptions = (command: Command): Command =>
  storeOptions(command).option("--no-server", "work in this process, even if a server runs")

export const storeOptions = (command: Command): Command =>
  jsonOption(command).option(
    "--data-dir <directory>",
    "where Sessions are kept (default: HOLDFAST_DATA_DIR, else XDG data)",
    directoryName,
  )

const jsonOption = (command: Command): Command =>
  helpOption(command).option("--json", "print JSON, one object a line")

export const helpOption = (command: Command): Command => command.helpOption("-h, --help", "show this help")

export const onRestartOption = (): Option =>
  new Option(
    "--on-restart <policy>",
    "what a restart does with unfinished work: settle it and wait, or go on by itself",
  ).choices(["settle", "continue"])

/** PE4: whether somebody can answer; never guessed from a terminal. */
export const onAskOption = (more = ""): Option =>
  new Option(
    "--on-ask <answer>",
    `what happens where somebody would have to be asked: decline it, allow it, fail, or wait for an answer${more}`,
  ).choices(["deny", "allow", "fail", "wait"])

/** Options of commands that say what a Session may spend (DR9). */
export const budgetOptions = (command: Command): Command =>
  command
    .option(
      "--budget-tokens <count>",
      "pause the Session once it has used so many tokens; none takes the limit away",
      tokenLimit,
    )
    .option(
      "--budget-money <dollars>",
      "pause the Session once it has cost so much, as 1.50; none takes the limit away",
      moneyLimit,
    )

export const systemOption = (): Option =>
  new Option("--system", "show what Holdfast tells the model in between too")

export const deadlineOption = (): Option =>
  new Option("--deadline <time>", "interrupt the work if it takes longer, as 90s, 10m or 1h30m")
    .argParser(durationMs)
    .conflicts("detach")

export const allowedHostOption = (): Option =>
  new Option(
    "--allowed-host <name>",
    "a name by which other machines call this one; may be given several times",
  ).argParser(hostNameList)

export const allowedOriginOption = (): Option =>
  new Option(
    "--allowed-origin <origin>",
    "an origin whose web pages may use the server, as https://app.example; may be given several times",
  ).argParser(originList)

export const logFormatOption = (): Option =>
  new Option("--log-format <format>", "text for people, or json, one object a line (default: text)").choices(
    logFormats,
  )

export const logLevelOption = (): Option =>
  new Option("--log-level <level>", "how much is logged; debug also logs requests (default: info)").choices(
    logLevels,
  )

export const sessionArgument = (): Argument =>
  new Argument("<session>", "the id of the Session, or its beginning")

/** Reading is always allowed, so naming it is no mistake; alone it takes back what was allowed before. */
function addRules(text: string, before: readonly AllowRule[] = []): readonly AllowRule[] {
  return [...before, ...splitRules(text).filter((rule) => rule !== "read")]
}

/** At commas that stand outside of brackets; one that is not closed stays, so that nobody takes what is left for a wider rule. */
const splitRules = (text: string): readonly AllowRule[] =>
  (text.match(/(?:\([^)]*\)?|[^,(])+/g) ?? []).map((rule) => rule.trim()).filter((rule) => rule !== "")

export const ruleList = (rule: string, before: readonly string[] = []): readonly string[] => [...before, rule]

/** An empty name is that of a variable which is not set, and would mean the current directory. */
export function directoryName(text: string): string {
  if (text.trim() === "")
    throw new InvalidArgumentError("It is empty: name a directory, or leave the option out.")
  return text
}

export function fileList(file: string, before: readonly string[] = []): readonly string[] {
  if (file === "") throw new InvalidArgumentError("Name a file.")
  return [...before, file]
}

function hostNameList(text: string, before: readonly string[] = []): readonly string[] {
  const name = readHostName(text)
  if (name === null)
    throw new InvalidArgumentError(
      "Give the name or address by which others call this machine, as in box.example or box.example:8080.",
    )
  return [...before, name]
}

function originList(text: string, before: readonly string[] = []): readonly string[] {
  const origin = readOrigin(text)
  if (origin === null)
    throw new InvalidArgumentError(
      "Give the origin of the page, without a path, as in https://app.example or http://localhost:5173.",
    )
  return [...before, origin]
}

export function portNumber(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0 || value > portMax)
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${portMax}.`)
  return value
}

const portMax = 65_535

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 }
/** A timer takes no more. */
const durationMsMax = 2 ** 31 - 1

/** `1h30m`, `10m`, `90s`; a bare number counts seconds. */
export function durationMs(text: string): number {
  const spelt = /^\d+$/.test(text) ? `${text}s` : text
  const parts = [...spelt.matchAll(/(\d+)([hms])/g)]
  const sum = parts.reduce((total, [, number, unit = "s"]) => total + Number(number) * (unitMs[unit] ?? 0), 0)
  if (!/^(?:\d+[hms])+$/.test(spelt) || sum < 1_000 || sum > durationMsMax)
    throw new InvalidArgumentError("Write a time from 1s to 596h, as 90s, 10m or 1h30m.")
  return sum
}

export function positive(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError("It must be a whole number above 0.")
  return value
}

const noLimit = "none"

const tokenLimit = (text: string): GivenLimit => (text === noLimit ? noLimit : positive(text))

function moneyLimit(text: string): GivenLimit {
  if (text === noLimit) return noLimit
  const value = Number(text)
  if (!/^\d*\.?\d+$/.test(text) || !Number.isFinite(value) || value === 0)
    throw new InvalidArgumentError("Write dollars above 0, as 1.50, or none.")
  return value
}

export const examples = (lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}\n`

/** For commands that are declared in a folder of their own. */
export interface DeclaredOptions {
  readonly help: (command: Command) => Command
  readonly json: (command: Command) => Command
  readonly shared: (command: Command) => Command
  readonly session: () => Argument
  readonly examples: (lines: readonly string[]) => string
}

export const declaredOptions: DeclaredOptions = {
  help: helpOption,
  json: jsonOption,
  shared: sharedOptions,
  session: sessionArgument,
  examples,
}
