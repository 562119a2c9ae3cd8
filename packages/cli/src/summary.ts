/** What a person reads around a conversation: who answers, how it ended, how to go on. */
import { formatModelRef } from "@holdfast/schema/model"
import type { AllowRule, Ask, ModelInfo } from "@holdfast/sdk"
import { ruleText, touched } from "./asking/ask-lines.ts"
import { nameHiddenInLine } from "./asking/hidden-characters.ts"
import { costText, count, tokensText } from "./figures.ts"
import { offlineName } from "./offline/offline.ts"
import { type OptionsInForce, pasteable } from "./hint.ts"
import { type FinalRecord, spentCode, withdrawnCode } from "./outcome/outcome.ts"
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
  if (record.declined !== undefined) lines.push(nobodyAskedText(record.declined))
  lines.push(...askHints(record.asks ?? [], options))
  if (record.session !== null) lines.push(paint("dim", pasteable(sessionLine(record), options)))
  return lines
}

/** What goes on stands here, unless the reason has said it: resuming alone would not, with a budget that is spent. */
function sessionLine(record: FinalRecord): string {
  const session = `Session ${record.session}.`
  const isSaid = record.reason?.code === spentCode
  return isSaid ? session : `${session} Go on with: ${nextCommand(record)}`
}

function nextCommand({ status, session, reason, asks = [] }: FinalRecord): string {
  if (asks.length > 0) return `holdfast asks ${session}`
  const owesNothing = status === "done" || reason?.code === withdrawnCode
  return owesNothing ? `holdfast run --session ${session} "…"` : `holdfast resume ${session}`
}

/** What a headless run did not do because nobody could be asked, and how it can be (PE4). */
function nobodyAskedText(declined: NonNullable<FinalRecord["declined"]>): string {
  const resources = declined.flatMap((call) => call.resources)
  return `Declined, because nobody could be asked: ${touched({ resources })}. ${allowingText(declined)}`
}

/** What a rule asks for, such as secrets and what programs trust, is not allowed by the name of its action alone. */
function allowingText(declined: NonNullable<FinalRecord["declined"]>): string {
  const unruled = declined.flatMap(({ rule, resources }) => (rule === null ? resources : []))
  const actions = [...new Set(unruled.map(({ action }) => action))].join(",")
  const rules = [...new Set(declined.flatMap(({ rule }) => rule ?? []))]
  const quoted = rules.map((rule) => `"${nameHiddenInLine(rule)}"`).join(", ")
  const ruling = rules.length === 1 ? `rule ${quoted} asks` : `rules ${quoted} ask`
  if (rules.length === 0)
    return `Allow such things with --allow ${actions}, or answer yourself with --on-ask wait.`
  return unruled.length === 0
    ? `The ${ruling} for it: answer yourself with --on-ask wait.`
    : `Allow ${actions} with --allow ${actions}; what the ${ruling} for you can answer with --on-ask wait.`
}

/** What is asked, and the commands that answer it. */
export const askHints = (asks: readonly Ask[], options: OptionsInForce): readonly string[] =>
  asks.flatMap(askHint).map((line) => pasteable(line, options))

const askHint = (ask: Ask): readonly string[] =>
  ask.kind === "question"
    ? [`It asks: ${nameHiddenInLine(ask.question)}`, `  Answer with: holdfast answer ${ask.id} say "…"`]
    : [
        ask.resources.length === 0
          ? `It asks: ${nameHiddenInLine(ask.question)} ${ruleText(ask)}`
          : `It asks to touch ${touched(ask)}. ${ruleText(ask)}`,
        `  Answer with: holdfast answer ${ask.id} allow`,
        `  or with: holdfast answer ${ask.id} decline "…"`,
      ]

const styles: Record<FinalRecord["status"], Style> = {
  done: "green",
  failed: "red",
  asking: "yellow",
  blocked: "yellow",
  interrupted: "yellow",
}
