/** `holdfast receipt`: what a break kept, dropped and summed up, and what it cost (SU4). */
import type { BreakReceipt } from "@holdfast/sdk"
import { count, money } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { listItems } from "../list-items.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import { nothing, showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"
import { columnsOf, fill, fit, wrap } from "../text-width.ts"
import { cacheLoss } from "../window/cache-loss.ts"

export interface ReceiptOptions extends SharedOptions {
  readonly all?: boolean
}

export async function showReceipt(
  terminal: Terminal,
  given: string,
  turn: string | null,
  options: ReceiptOptions,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const receipts = await listItems((page) => sessions.receipts({ sessionID, ...page }))
    if (options.all === true) await showAll(terminal, receipts, options)
    else showOne(terminal, chosenReceipt(receipts, turn), options)
    return 0
  } finally {
    await opened.close()
  }
}

/** The newest, or that of the turn that is named. */
export function chosenReceipt(receipts: readonly BreakReceipt[], turn: string | null): BreakReceipt | null {
  if (turn === null) return receipts.at(-1) ?? null
  const found = receipts.find(({ turn: id, number }) => id === turn || String(number) === turn)
  if (found !== undefined) return found
  const known = receipts.map(({ number }) => number).join(", ")
  throw new UsageError(
    `There is no break of the cache in a turn ${turn}. ${known === "" ? "None did." : `These did: ${known}.`}`,
  )
}

function showOne(terminal: Terminal, receipt: BreakReceipt | null, { json }: ReceiptOptions): void {
  if (json === true) terminal.write(`${JSON.stringify(receipt)}\n`)
  else if (receipt === null) terminal.write(`${never}\n`)
  else
    terminal.write(
      `${receiptLines(receipt, terminal.interactive ? terminal.columns : Infinity).join("\n")}\n`,
    )
}

const never = "There was no break: every request repeated the one before it."

async function showAll(
  terminal: Terminal,
  receipts: readonly BreakReceipt[],
  { json }: ReceiptOptions,
): Promise<void> {
  if (json === true) for (const receipt of receipts) terminal.write(`${JSON.stringify(receipt)}\n`)
  else if (receipts.length === 0) terminal.write(`${never}\n`)
  else await showTable(terminal, tableColumns, receipts.map(receiptRow))
}

const tableColumns = [
  { title: "TURN", right: true },
  { title: "PASS" },
  { title: "ABOUT BEFORE", right: true },
  { title: "AFTER", right: true },
  { title: "PARTS", right: true },
  { title: "DROPPED", right: true },
  { title: "COST", right: true },
  { title: "CACHE LOST (BREAK)", below: "cache lost" },
]

export const receiptRow = (receipt: BreakReceipt): readonly string[] => [
  String(receipt.number),
  receipt.pass,
  count(receipt.tokensBefore),
  count(receipt.tokensAfter),
  String(receipt.summarised.length),
  String(unitsDropped(receipt)),
  money(receipt.cost),
  receipt.break === null ? nothing : cacheLoss(receipt.break),
]

const unitsDropped = ({ dropped: { messages, calls, skeletons, images = 0 } }: BreakReceipt): number =>
  messages + calls + skeletons + images

const screenColumns = 80
/** Parts that one receipt lists; of more the rest is counted. */
const partsMax = 10
/** Of these, for parts that were there before and are told otherwise now, where there are many new ones. */
const changedMin = 4

/** A screen of at most 24 lines. Titles are cut to its columns, figures never; in a pipe nothing is. */
export function receiptLines(receipt: BreakReceipt, columnsGiven = screenColumns): readonly string[] {
  const width = Math.max(columnsMin, columnsGiven)
  const { number, turn, pass, tokensBefore, tokensAfter, kept, held, summarised, left } = receipt
  const lines = (label: string, text: string) =>
    wrap(printable(text), width - labelColumns).map(
      (part, at) => fill(at === 0 ? label : "", labelColumns) + part,
    )
  const changed = held.filter((one) => stateBefore(one) !== stateNow(one))
  const changedMax = Math.max(changedMin, partsMax - summarised.length)
  return [
    ...lines(`Turn ${number}`, `${pass === "fold" ? "Fold" : "Refresh"} · ${turn}`),
    ...lines("because", receipt.break === null ? "it was the first" : cacheLoss(receipt.break)),
    ...lines("tokens", `about ${count(tokensBefore)} before, about ${count(tokensAfter)} after`),
    ...lines(
      "kept",
      `${count(kept.messages, "message")} unchanged, ${count(kept.compartments, "part")} of the history`,
    ),
    ...(held.length === 0 ? [] : lines("history", heldText(held))),
    ...listed(changed, changedMax, (one) => partLine(one, changeText(one), width)),
    ...lines("dropped", droppedText(receipt)),
    ...lines("summed up", summedText(summarised)),
    ...listed(summarised, partsMax - Math.min(changed.length, changedMax), (one) =>
      partLine(one, coveredText(one), width),
    ),
    ...(left.length === 0 ? [] : lines("left", leftText(left, width - labelColumns))),
    ...lines("cost", costLine(receipt)),
  ]
}

const columnsMin = 60
const labelColumns = 12

/** On one line as many as fit, and the rest counted. */
function leftText(left: readonly string[], columns: number): string {
  const begin = `${count(left.length, "part")}, replaced by others: `
  for (let shown = left.length; shown > 0; shown--) {
    const more = shown === left.length ? "" : `, and ${count(left.length - shown)} more`
    const text = `${begin}${left.slice(0, shown).join(", ")}${more}`
    if (columnsOf(text) <= columns) return text
  }
  return `${begin}${left.join(", ")}`
}

/** As many as there is room for; the rest is counted. */
const listed = <One>(all: readonly One[], linesMax: number, lineOf: (one: One) => string) => [
  ...all.slice(0, linesMax).map(lineOf),
  ...(all.length > linesMax ? [`  … and ${count(all.length - linesMax)} more`] : []),
]

type Held = BreakReceipt["held"][number]

/** What became of the parts that were there before. */
function heldText(held: readonly Held[]): string {
  const of = (text: string, is: (one: Held) => boolean): readonly string[] => {
    const found = held.filter(is).length
    return found === 0 ? [] : [`${count(found)} ${text}`]
  }
  const told = (tier: number | null) => tier ?? Infinity
  const isTold = ({ archived, tier }: Held) => archived === undefined && tier !== null
  const pieces = [
    ...of("as full as before", (one) => isTold(one) && one.tier === one.tierBefore),
    ...of("told in less", (one) => isTold(one) && told(one.tier) > told(one.tierBefore)),
    ...of("told in more", (one) => isTold(one) && told(one.tier) < told(one.tierBefore)),
    ...of("archived", ({ archived, tier }) => archived === "now" && tier !== null),
    ...of("archived before", ({ archived, tier }) => archived === "before" && tier !== null),
    ...of(
      "no longer shown, for want of room",
      ({ tierBefore, tier }) => tier === null && tierBefore !== null,
    ),
    ...of("not shown, as before", ({ tierBefore, tier }) => tier === null && tierBefore === null),
  ]
  return `${count(held.length, "part")} from before: ${pieces.join(", ")}`
}

function droppedText(receipt: BreakReceipt): string {
  const { messages, calls, skeletons, strips, images = 0, shortened = 0 } = receipt.dropped
  const pieces = [
    [messages, count(messages, "message")],
    [calls + skeletons, `${count(calls, "call")} wholly and ${count(skeletons)} but for their names`],
    [images, count(images, "image")],
    [strips, `${count(strips)} stripped`],
    [shortened, `${count(shortened)} shortened`],
  ] as const
  return pieces.flatMap(([units, said]) => (units === 0 ? [] : [said])).join(", ") || "nothing"
}

/** Messages that left the window with this break; an archive, or what was rebuilt, stands for others again. */
function summedText(summarised: BreakReceipt["summarised"]): string {
  if (summarised.length === 0) return "nothing"
  const again = summarised.reduce((sum, { messagesBefore = 0 }) => sum + messagesBefore, 0)
  const left = summarised.reduce((sum, { messages }) => sum + messages, 0) - again
  const told = [
    ...(left > 0 || again === 0 ? [count(left, "message")] : []),
    ...(again > 0 ? [`${count(again, left > 0 ? undefined : "message")} that stood in parts before`] : []),
  ]
  return `${told.join(" and ")} in ${count(summarised.length, "part")}; tier 1 tells most, tier 4 least`
}

function partLine({ id, title }: Pick<Held, "id" | "title">, told: string, width: number): string {
  const begin = `  ${id.padEnd(idColumns)}  `
  return begin + fit(`${told}: ${printable(title)}`, width - columnsOf(begin))
}

/** As wide as those of a long Session are. */
const idColumns = 11

const stateText = (tier: number | null, archived: boolean): string =>
  tier === null ? "not shown" : archived ? "archived" : `tier ${tier}`

const stateBefore = ({ tierBefore, archived }: Held): string => stateText(tierBefore, archived === "before")
const stateNow = ({ tier, archived }: Held): string => stateText(tier, archived !== undefined)

const changeText = (one: Held): string => `${stateBefore(one)} before, now ${stateNow(one)}`

function coveredText(one: BreakReceipt["summarised"][number]): string {
  const { fromSeq, toSeq, messages, tier, archived = false } = one
  return `#${fromSeq}–#${toSeq}, ${count(messages, "message")}, ${stateText(tier, archived)}`
}

function costLine({ cost, costHistorian, priceExpected }: BreakReceipt): string {
  const historian = costHistorian === 0 ? "" : ` · historian ${money(costHistorian)}`
  return `the turn ${money(cost)}${expectedText(priceExpected)}${historian}`
}

/** Of its input, and what would have been sent otherwise. */
function expectedText(price: BreakReceipt["priceExpected"]): string {
  if (price === null || price.cost === null) return ""
  const { cost, costWarm, costOtherwise, cause } = price
  const otherwise =
    costOtherwise === undefined
      ? `, from the cache ${money(costWarm)}`
      : costOtherwise === null
        ? ""
        : `, left as it was ${money(costOtherwise)}`
  return ` · input about ${money(cost)}${otherwise}${cause === "cold" ? " (the cache had lapsed)" : ""}`
}
