/** `holdfast config`: every setting in force, and where it comes from. */
import { type Configuration, readConfiguration } from "@holdfast/sdk"
import { count } from "../figures.ts"
import { warn } from "../opened.ts"
import { exitCode } from "../outcome/exit-code.ts"
import { type Column, showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"

type Source = Configuration["model"]["from"]

export interface ShowOptions {
  readonly json?: boolean
}

export async function showConfiguration(terminal: Terminal, { json }: ShowOptions): Promise<number> {
  const { environment, directory } = terminal
  const configuration = await readConfiguration({ environment, directory })
  if (json === true) terminal.write(`${JSON.stringify(configuration)}\n`)
  else await showTable(terminal, columns, settingRows(configuration))
  for (const remark of remarksOf(configuration)) warn(terminal, remark)
  return configuration.layers.some(({ faults }) => faults.length > 0) ? exitCode.usage : exitCode.done
}

const columns: readonly Column[] = [
  { title: "setting" },
  { title: "value", cutTo: 24 },
  { title: "from", cutTo: 20 },
]

function settingRows(configuration: Configuration): readonly (readonly string[])[] {
  const { model, fallback, onRestart, budget, timeZone, catalogUrl, providers } = configuration
  const row = (name: string, value: string | number | null, from: Source) => [
    name,
    value === null ? "-" : printable(String(value)),
    placeOf(from),
  ]
  return [
    ...providers.map(({ name, wire, baseUrl, key, keyFrom, models, from }) =>
      row(
        printable(`providers.${name}`),
        [`${wire} at ${baseUrl}`, keyWords(key, keyFrom), count(models.length, "model")].join(", "),
        from,
      ),
    ),
    row("model", model.value, model.from),
    row("fallback", fallback.value.join(", ") || null, fallback.from),
    row("onRestart", onRestart.value, onRestart.from),
    row("budget.tokens", budget.value.tokens, budget.value.tokens === null ? null : budget.from),
    row("budget.money", budget.value.money, budget.value.money === null ? null : budget.from),
    row("timeZone", timeZone.value, timeZone.from),
    row("catalogUrl", catalogUrl.value, catalogUrl.from),
  ]
}

function keyWords(key: string, keyFrom: string | null): string {
  if (key === "none") return "no key"
  return key === "missing" ? `its key is missing (${keyFrom})` : `key from ${keyFrom}`
}

function placeOf(from: Source): string {
  if (from === null) return "default"
  if (from.file === null) return from.kind
  return printable(from.line === 0 ? from.file : `${from.file}:${from.line}`)
}

function remarksOf({ layers, problems }: Configuration): readonly string[] {
  const told = layers.flatMap(({ file, faults, warnings = [] }) =>
    [...faults, ...warnings].map(({ line, message }) =>
      file === null ? message : `${line === 0 ? file : `${file}:${line}`}: ${message}`,
    ),
  )
  return [...told, ...problems]
}
