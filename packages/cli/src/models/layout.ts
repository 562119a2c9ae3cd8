/** The list of models as a person reads it: a heading for each provider, a line for each model. */
import type { ListedModel } from "@holdfast/sdk"
import { isOffline } from "../offline/offline.ts"
import { printable, type Terminal } from "../terminal.ts"
import { columnsOf, fill, fit, wrap } from "../text-width.ts"
import type { ModelListing, ProviderListing } from "./listing.ts"

type Canvas = Pick<Terminal, "paint" | "columns">

/** Wider lines are cut, on a wider terminal too: the eye must find its way back. */
const columnsMax = 100
const columnsMin = 60

const figures = [
  ["WINDOW", 6],
  ["OUTPUT", 6],
  ["IN", 7],
  ["OUT", 7],
  ["READ", 7],
  ["WRITE", 7],
] as const
const abilitiesWidth = 4
const cacheWidth = 5

export function formatListing(terminal: Canvas, { providers, problems }: ModelListing): string {
  if (providers.length === 0) {
    const answers = problems.length === 0 ? ": the offline model answers" : ""
    return `No provider is configured${answers}. Set a key such as ANTHROPIC_API_KEY, or describe a provider in holdfast.jsonc.\n`
  }
  const columns = Math.max(columnsMin, Math.min(columnsMax, terminal.columns))
  const sections = providers.map((provider) => formatProvider(terminal, provider, columns))
  return `${sections.join("\n\n")}\n\n${legend.map((line) => terminal.paint("dim", line)).join("\n")}\n`
}

const legend = [
  "* default, 1 2 … order of fallback. Prices: dollars for a million tokens, – if not known.",
  "CAN: t tools, i images, s structured output, r reasoning.",
  "CACHE: m marked, b breakpoints, a automatic, and from how many tokens on; – if not known.",
]

function formatProvider(terminal: Canvas, provider: ProviderListing, columns: number): string {
  const { name, wire, key, keyProblem, open, models } = provider
  const place = isOffline(provider) ? "in this program" : provider.baseUrl
  const state = { given: "key given", none: "no key needed", missing: "key missing" }[key]
  const heading = fit(printable(`${name} · ${state} · ${wire} · ${place}`), columns)
  const lines = [terminal.paint(key === "missing" ? "yellow" : "bold", heading)]
  if (keyProblem !== null) lines.push(...wrap(printable(keyProblem), columns - 2).map((line) => `  ${line}`))
  if (models.length > 0) {
    const width = nameWidth(models, columns)
    lines.push(
      terminal.paint(
        "dim",
        row(
          "",
          "MODEL",
          figures.map(([title]) => title),
          "CAN",
          "CACHE",
          width,
        ),
      ),
    )
    lines.push(...models.map((model) => formatModel(model, width)))
  }
  if (open) lines.push("  Other models that it serves are named as they are.")
  return lines.join("\n")
}

function nameWidth(models: readonly ListedModel[], columns: number): number {
  const rest =
    2 + figures.reduce((sum, [, width]) => sum + width + 1, 0) + 1 + abilitiesWidth + 1 + cacheWidth
  const widest = Math.max(...models.map((model) => columnsOf(nameOf(model))))
  return Math.max(8, Math.min(columns - rest, widest))
}

const nameOf = ({ model, variants }: ListedModel): string =>
  printable(variants.length === 0 ? model : `${model} (:${variants.join(" :")})`)

function formatModel(model: ListedModel, width: number): string {
  const { contextTokens, outputTokens, price } = model
  const mark = model.default ? "*" : model.fallback === null ? "" : String(model.fallback)
  const amounts = [price?.input, price?.output, price?.cacheRead, price?.cacheWrite].map(dollars)
  const abilities = [
    model.tools ? "t" : "·",
    model.images ? "i" : "·",
    model.structuredOutput ? "s" : "·",
    model.reasoning === "none" ? "·" : "r",
  ].join("")
  const cells = [tokens(contextTokens), tokens(outputTokens), ...amounts]
  return row(mark, nameOf(model), cells, abilities, cacheCell(model.cache), width)
}

function cacheCell({ written, tokensMin }: ListedModel["cache"]): string {
  const letter = { markers: "m", breakpoints: "b", automatic: "a", unknown: "–" }[written]
  return tokensMin === null ? letter : `${letter}${tokensMin}`
}

const row = (
  mark: string,
  name: string,
  cells: readonly string[],
  abilities: string,
  cache: string,
  width: number,
): string =>
  [
    `${fill(mark, 1)} ${fill(name, width)}`,
    ...cells.map((cell, at) => fill(cell, figures[at]?.[1] ?? 0, "left")),
    fill(abilities, abilitiesWidth),
    cache,
  ].join(" ")

/** Short, and never more than there is. */
function tokens(amount: number): string {
  if (amount >= 1_000_000) return `${(Math.floor(amount / 10_000) / 100).toString()}M`
  return amount >= 1_000 ? `${Math.floor(amount / 1_000)}k` : String(amount)
}

const digitsMax = 4

const dollars = (amount: number | undefined): string =>
  amount === undefined ? "–" : String(Number(amount.toPrecision(digitsMax)))
