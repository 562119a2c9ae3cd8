/**
 * A break in words: why the provider had to read again what its cache held. The plain cause comes
 * first, the term of the glossary in brackets behind it.
 */
import type { Break } from "@holdfast/schema/turn"

type Named = Pick<Break, "segment" | "reason">

/** `the tools changed (break: tools)`. */
export const cacheLoss = (broken: Named): string => `${causeOf(broken.reason)} (break: ${broken.segment})`

/** A code that this program does not know is told as it is. */
const causeOf = (code: string): string => causes[code] ?? code.replaceAll("_", " ")

/** By the codes of the ledger. */
const causes: Readonly<Record<string, string>> = {
  model_changed: "the model changed",
  tools_changed: "the tools changed",
  options_changed: "the options of the model changed",
  params_changed: "the settings of the request changed",
  cut_ceiling: "older messages were left out",
  cut_overflow: "older messages were left out",
  cut_refusal: "older messages were left out after a refusal",
  cut_asked: "older messages were summed up, as somebody asked",
  cut_images: "older images were left out",
  cut_threshold: "older messages were summed up, to keep the window from filling",
  cut_forced: "older messages were summed up, since the window was nearly full",
  cut_idle: "older messages were summed up while the cache was cold",
  execute_threshold: "waiting changes were made, since the window fills",
  execute_forced: "waiting changes were made, since the window was nearly full",
  execute_idle: "the history was told anew while the cache was cold",
  history_changed: "the summaries of older messages changed",
  flush: "waiting changes were made, as somebody asked",
  asked: "somebody asked for a fold",
  epoch_incompatible: "the first facts were told anew",
  epoch_compaction: "the first facts were told anew",
  epoch_moved: "the Session was moved",
  epoch_reverted: "messages were taken back",
  quarantine: "a message was quarantined",
  system_role_unanswered: "an update became plain text",
  encoder_changed: "this version of Holdfast writes requests in another way",
  previous_unknown: "the request before can no longer be read",
  unexplained: "of a defect of Holdfast",
}
