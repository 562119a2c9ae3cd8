/** What a person reads around a conversation: who answers, how it ended, how to go on. */
import { formatModelRef } from "@holdfast/schema/model"
import type { ModelInfo } from "@holdfast/sdk"
import { count, money, percent } from "./figures.ts"
import { offlineName } from "./offline.ts"
import type { FinalRecord } from "./outcome.ts"
import type { Style, Terminal } from "./terminal.ts"

/** The first line of a run: who answers, whether it costs money, and why it is not the one that was asked for. */
export function modelNotice(model: ModelInfo, configured: boolean): string {
  const { insteadOf } = model
  if (insteadOf === undefined) return answerer(model, configured)
  const until = new Date(insteadOf.until).toLocaleTimeString("en-GB")
  return `${answerer(model, true)} It answers for ${formatModelRef(insteadOf.model)}, which failed and rests until ${until}.`
}

function answerer(model: ModelInfo, configured: boolean): string {
  const name = `${model.provider}/${model.model}`
  if (model.paid) return `Paid provider: ${name} at ${new URL(model.baseUrl).host}. This run costs money.`
  if (model.provider !== offlineName) {
    const priced = model.price !== null && Object.values(model.price).some((price) => price > 0)
    const cost = priced ? "is counted at the configured price" : "costs nothing"
    return `Local provider: ${name} at ${model.baseUrl}. This run ${cost}.`
  }
  if (configured) return `Offline model: ${name}. It follows rules; no network, no cost.`
  return (
    `Offline model: ${name} answers, because no provider is configured. It follows rules; no network, no cost.\n` +
    "For a real model set ANTHROPIC_API_KEY, or describe a provider in holdfast.jsonc."
  )
}

/** Where images are sent to a model that takes none. */
export const unseenNotice = ({ provider, model }: ModelInfo): string =>
  `${provider}/${model} takes no images: it is told what they are called. If it does take them, set "images": true for it in holdfast.jsonc.`

/** The last lines of a run. */
export function closingLines(
  terminal: Pick<Terminal, "paint">,
  record: FinalRecord,
  dataDir?: string,
): readonly string[] {
  const { paint } = terminal
  const { usage } = record
  const read = usage.input + usage.cacheRead + usage.cacheWrite
  const figures = [
    paint(styles[record.status], record.status),
    count(record.turns, "turn"),
    `${count(read)} tokens in (${percent(usage.cacheRead, read)} from cache), ${count(usage.output)} out`,
    `cost ${money(record.cost)}`,
  ]
  const lines = ["", figures.join(paint("dim", " · "))]
  if (record.reason !== null) lines.push(record.reason.message)
  const where = dataDir === undefined ? "" : ` --data-dir ${quoted(dataDir)}`
  if (record.session !== null) {
    const next =
      record.status === "done"
        ? `holdfast run --session ${record.session}${where} "…"`
        : `holdfast resume ${record.session}${where}`
    lines.push(paint("dim", `Session ${record.session}. Go on with: ${next}`))
  }
  return lines
}

const styles: Record<FinalRecord["status"], Style> = {
  done: "green",
  failed: "red",
  asking: "yellow",
  blocked: "yellow",
  interrupted: "yellow",
}

const quoted = (word: string): string =>
  /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
