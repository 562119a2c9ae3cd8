/** What a person reads around a conversation: who answers, how it ended, how to go on. */
import { formatModelRef } from "@holdfast/schema/model"
import type { AllowRule, ModelInfo } from "@holdfast/sdk"
import { costText, count, tokensText } from "./figures.ts"
import { offlineName } from "./offline/offline.ts"
import { type OptionsInForce, pasteable } from "./hint.ts"
import { type FinalRecord, withdrawnCode } from "./outcome/outcome.ts"
import { statusWords } from "./sessions/status-words.ts"
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

/** Where the command line says nothing about permissions, and the Session was allowed something before. */
export const rememberedNotice = (
  remembered: readonly AllowRule[],
  asked: readonly AllowRule[] | undefined,
): string | null =>
  asked !== undefined || remembered.length === 0
    ? null
    : `It may do without asking, as it was allowed before: ${remembered.join(", ")}. --allow read takes that back.`

/** The last lines of a run. */
export function closingLines(
  terminal: Pick<Terminal, "paint">,
  record: FinalRecord,
  options: OptionsInForce,
): readonly string[] {
  const { paint } = terminal
  const figures = [
    paint(styles[record.status], statusWords[record.status]),
    count(record.turns, "turn"),
    tokensText(record),
    `cost ${costText(record)}`,
  ]
  const lines = ["", figures.join(paint("dim", " · "))]
  if (record.reason !== null) lines.push(pasteable(record.reason.message, options))
  if (record.session !== null) {
    const owesNothing = record.status === "done" || record.reason?.code === withdrawnCode
    const next = owesNothing
      ? `holdfast run --session ${record.session} "…"`
      : `holdfast resume ${record.session}`
    lines.push(paint("dim", pasteable(`Session ${record.session}. Go on with: ${next}`, options)))
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
