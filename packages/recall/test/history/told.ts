/**
 * What a user says early in a long conversation in the ways that people say it, and how strictly it is looked for after many
 * Folds: by its own words, or by a handle that names it, on the compartment that holds it.
 */
import { readRange } from "@holdfast/recall"
import type { Message } from "@holdfast/schema/message"
import { assistant, call, text, user } from "../history.ts"
import { expanded, statuses } from "./planted.ts"

/** A rule, the message that holds it, and the words without which nobody knows that it is there. */
export interface Told {
  readonly words: string
  readonly seq: number
  readonly names: readonly string[]
}

type Rule = readonly [words: string, ...names: readonly string[]]

/** One to a message; few say that they are rules. */
const apart: readonly Rule[] = [
  ["Use UTC in all timestamps.", "UTC"],
  ["Reply in British English.", "British"],
  ["Call the service Kestrel, not Hawk.", "Kestrel", "not"],
  ["Round prices to 3 decimals.", "Round", "3"],
  ["Keep the retry limit at 6.", "retry", "6"],
  ["The API key lives in SECRET_TUNA.", "SECRET_TUNA"],
  ["From now on squash the commits of a branch.", "squash"],
  ["I'd rather have tabs than spaces in Makefiles.", "tabs", "Makefiles"],
  ["Don't upgrade react beyond 17.0.2.", "react", "17.0.2"],
  ["Antworte mir auf Deutsch.", "Deutsch"],
  ["Zeiten bitte in Millisekunden angeben.", "Millisekunden"],
  ["コミットメッセージは日本語で書いてください。", "日本語"],
  ["Les dates au format ISO 8601.", "ISO", "8601"],
  ["Temperatures are in kelvin here.", "kelvin"],
  ["My name is Odalys, sign reports with it.", "Odalys"],
  ["Staging listens on port 8443.", "8443"],
]

/** All in one message, with bullets, with numbers, between commas. */
const bullets: readonly Rule[] = [
  ["Always run the linter before a commit", "linter"],
  ["Never push to the branch release-7", "release-7"],
  ["Functions stay below 40 lines", "40"],
  ["Tests must not use the network", "network", "not"],
  ["pnpm in packages/web, npm elsewhere", "pnpm"],
  ["Money is an integer of cents", "cents"],
  ["Log nothing that holds an e-mail address", "e-mail"],
  ["Public functions get a docstring", "docstring"],
]
const numbered: readonly Rule[] = [
  ["Ask before you touch infra/terraform", "infra/terraform"],
  ["Leave the class OrderLedger as it is", "OrderLedger"],
  ["Spell it colour", "colour"],
  ["Branches begin with ticket numbers", "ticket"],
  ["Verwende Leerzeichen statt Tabs in YAML", "YAML"],
]
const counted: readonly Rule[] = [
  ["snake_case for columns", "snake_case"],
  ["no default exports", "default"],
  ["vitest for tests", "vitest"],
  ["errors as values", "errors"],
]
/** Between the sentences of a task. */
const amid: readonly Rule[] = [
  ["Keep the public API of src/ledger.ts as it is.", "src/ledger.ts"],
  ["Prefer small commits.", "small"],
  ["Everything under vendor/acme is generated, so do not edit it.", "vendor/acme"],
]

const task = (rules: readonly Rule[]): string =>
  [
    "The importer drops rows where the amount has a comma in it, and we found out on Monday because the totals were off.",
    rules[0]?.[0],
    "Please find out where that happens, write a test that shows it, and mend it.",
    rules[1]?.[0],
    "The files of last week are in data/in, you can take any of them.",
    rules[2]?.[0],
    "Tell me when it is done.",
  ].join(" ")

const lists: readonly (readonly [readonly Rule[], (rules: readonly Rule[]) => string])[] = [
  [bullets, (rules) => `A few things first:\n${rules.map(([words]) => `- ${words}`).join("\n")}`],
  [numbered, (rules) => rules.map(([words], n) => `${n + 1}. ${words}`).join("\n")],
  [counted, (rules) => `Style: ${rules.map(([words]) => words).join(", ")}.`],
  [amid, task],
]

/** Where they are said: from the first message on, or behind so many others. */
function saidFrom(first: number, rules: readonly (readonly [string, readonly Rule[]])[]) {
  const messages = rules.flatMap(([words, among], n): Message[] => [
    user(first + 2 * n, words),
    assistant(first + 2 * n + 1, text("Understood."), ...(among === amid ? [call(first + n, "ok")] : [])),
  ])
  const told = rules.flatMap(([, among], n) =>
    among.map(([words, ...names]): Told => ({ words, seq: first + 2 * n, names })),
  )
  return { messages, told }
}

const alone = apart.map((rule) => [rule[0], [rule]] as const)
const together = lists.map(([rules, write]) => [write(rules), rules] as const)

export const early = saidFrom(1, [...together, ...alone.slice(0, 10)])
export const middle = (first: number) => saidFrom(first, alone.slice(10))

const things = [
  "port parser",
  "write docs",
  "tell QA",
  "add index",
  "drop v1 API",
  "bench queries",
  "ship beta",
  "fix flake",
]
export const tasks = things.map((content, n) => ({ content, status: statuses[n] as string }))
const tasksSeq = 60
export const tasksTold = assistant(tasksSeq, {
  ...call(tasksSeq, "ok"),
  name: "todo",
  input: { todos: tasks },
})

/** What a window says of each message: lines by the compartment they stand on. */
export function answers(shown: string, all: readonly Message[], { words, seq, names }: Told): boolean {
  const parts = shown.split(/^(?=## c)/m).filter((part) => {
    const range = readRange(/^## (c\d+-\d+)/.exec(part)?.[1] ?? "")
    return range !== null && seq >= range.fromSeq && seq <= range.toSeq
  })
  const lines = parts.flatMap((part) =>
    part.split("\n").filter((line) => new RegExp(`^[DU] #${seq} `).test(line)),
  )
  if (lines.some((line) => line.includes(words))) return true
  const named = names.every((name) => lines.some((line) => line.toLowerCase().includes(name.toLowerCase())))
  return named && expanded(all, `#${seq}`).includes(words)
}

/** A task with its state, as the window says it. */
export function answersTask(shown: string, { content, status }: (typeof tasks)[number]): boolean {
  const lines = shown.split("\n").filter((line) => line.startsWith(`T #${tasksSeq} `))
  const groups = lines.flatMap((line) => line.slice(line.indexOf(" ", 2) + 1).split("; "))
  return groups.some((group) => group.startsWith(`${status}: `) && group.includes(content))
}
