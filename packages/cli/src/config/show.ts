/** `holdfast config`: every setting in force, and where it comes from. */
import { type Configuration, readConfiguration, settingDefaults } from "@holdfast/sdk"
import { count } from "../figures.ts"
import { offlineReserve } from "../offline/offline.ts"
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
  const configuration = await readConfiguration({ environment, directory, reserve: offlineReserve })
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

/** A row for every setting that there is; one that nobody set shows what holds then. */
function settingRows(configuration: Configuration): readonly (readonly string[])[] {
  const { providers, budget } = configuration
  const defaults = settingDefaults()
  const row = (name: string, { value, from }: Valued) => [
    name,
    printable(textOf(value) ?? defaults[name.split(".", 1)[0] ?? ""] ?? "-"),
    placeOf(from),
  ]
  const budgetRow = (limit: "tokens" | "money") => {
    const value = budget.value[limit]
    return row(`budget.${limit}`, { value, from: value === null ? null : budget.from })
  }
  return Object.keys(defaults).flatMap((name) => {
    if (name === "providers")
      return providers.map((each) => row(`providers.${each.name}`, providerValue(each)))
    if (name === "budget") return [budgetRow("tokens"), budgetRow("money")]
    const parts = windowParts(configuration, name)
    if (parts !== null) return parts.map(([part, valued]) => row(part, valued))
    // Of a server that is older than the setting nothing is known.
    const found: Valued | undefined = configuration[name as PlainSetting]
    return found === undefined ? [] : [row(name, found)]
  })
}

/** Settings of several values, a row for each of them; null for any other. */
function windowParts({ cache, cost, recall, dreamer, search, layers }: Configuration, name: string) {
  const part = (key: string, value: Valued["value"], from: Source): readonly [string, Valued] => [
    key,
    { value, from: value === null ? null : partFrom(layers, key, from) },
  ]
  if (name === "cache" && cache !== undefined) {
    const { lifetime, keepWarm } = cache.value
    const kept =
      keepWarm === null
        ? "off"
        : `${count(keepWarm.max, "request")} in a row, $${keepWarm.costMax} of a Session`
    return [part("cache.lifetime", lifetime, cache.from), part("cache.keepWarm", kept, cache.from)]
  }
  if (name === "dreamer" && dreamer !== undefined) {
    const { models, tasks, schedule } = dreamer.value
    const asked = models.length === 0 ? "no model" : `${models.join(", ")}: ${tasks.join(", ")}`
    return [part("dreamer.model", asked, dreamer.from), part("dreamer.schedule", schedule, dreamer.from)]
  }
  if (name === "cost" && cost !== undefined) return [part("cost.askAbove", cost.value.askAbove, cost.from)]
  if (name === "recall" && recall !== undefined)
    return [
      part("recall.threshold", recall.value.threshold, recall.from),
      part("recall.docs", (recall.value.docs ?? []).join(", ") || "none", recall.from),
      part("recall.textCompression", recall.value.textCompression ?? false, recall.from),
    ]
  if (name === "search" && search !== undefined) {
    const { embedding, chunkCharacters, hint } = search.value
    return [
      part("search.embedding", embedding, search.from),
      part("search.chunkCharacters", chunkCharacters, search.from),
      part("search.hint", hint, search.from),
    ]
  }
  return null
}

/** Where one part of a setting comes from: the last file that sets it and was heeded; nowhere where its default holds. */
function partFrom(layers: Configuration["layers"], key: string, from: Source): Source {
  if (from === null || from.file === null) return from
  const [name = ""] = key.split(".", 1)
  for (const { kind, file, sets, warnings = [] } of layers.toReversed()) {
    const whole = sets.every((one) => !one.key.startsWith(`${name}.`)) // said in one value
    const set = sets.find((one) => one.key === (whole ? name : key))
    const refused = warnings.some(({ message }) => [key, name].some((one) => message.startsWith(`${one} `)))
    if (set !== undefined && !refused) return { kind, file, line: set.line }
  }
  return null
}

type PlainSetting = Exclude<
  keyof Configuration,
  "layers" | "providers" | "problems" | "budget" | "cache" | "cost" | "recall" | "dreamer" | "search"
>

interface Valued {
  readonly value: string | number | boolean | readonly string[] | null
  readonly from: Source
}

function textOf(value: Valued["value"]): string | null {
  if (value === null || typeof value === "string") return value
  if (typeof value === "object") return value.length === 0 ? null : value.join(", ")
  return String(value)
}

const providerValue = ({
  wire,
  baseUrl,
  key,
  keyFrom,
  models,
  from,
}: Configuration["providers"][number]) => ({
  value: [`${wire} at ${baseUrl}`, keyWords(key, keyFrom), count(models.length, "model")].join(", "),
  from,
})

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
