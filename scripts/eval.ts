/**
 * `npm run eval -- window [--data FILE…] [--window TOKENS] [--historian plain|vague] [--json] [--html FILE]`: how much
 * of what is used later a small window still holds, by the extractive historian or by a scripted model's. Without
 * files, the sessions of the repository and those beside it.
 *
 * `npm run eval -- lifetime [--data FILE…] [--json]`: what the choice of cache lifetimes is worth. Files
 * may be of any agent that `holdfast replay` reads; without them, the transcripts beside the repository.
 *
 * `npm run eval -- recall --data FILE… [--by-conversation] [--ablation] [--json]`: what search finds of long
 * conversations; also of each alone, with weights that were chosen on the others.
 */
import { existsSync, writeFileSync } from "node:fs"
import { parseArgs, type ParseArgsConfig } from "node:util"
import { inventedRecordings } from "../test/transcripts/recording.ts"
import { transcriptFiles } from "../test/transcripts/transcript.ts"
import { evaluateLifetimes, lifetimeScreen } from "./eval/lifetime.ts"
import { inventedSessions } from "./eval/invented.ts"
import { pageOf } from "./eval/page.ts"
import { reportOf, tableOf } from "./eval/report.ts"
import { scribes } from "./eval/scribe.ts"
import { inventedSession, readSessions, sharedSessions } from "./eval/sessions.ts"
import { evaluateRecall, recallTable } from "./eval/recall.ts"
import { evaluateWindow } from "./eval/window.ts"

const usage =
  "There are three evaluations: npm run eval -- window [--data FILE…] [--window TOKENS] [--historian plain|vague] [--json] [--html FILE], npm run eval -- lifetime [--data FILE…] [--json], and npm run eval -- recall --data FILE… [--by-conversation] [--ablation] [--json]"

const { values, positionals } = parsed({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h", default: false },
    data: { type: "string", multiple: true },
    window: { type: "string", default: "60000" },
    json: { type: "boolean", default: false },
    "by-conversation": { type: "boolean", default: false },
    ablation: { type: "boolean", default: false },
    historian: { type: "string" },
    html: { type: "string" },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
const [name] = positionals
if (name !== undefined && !["window", "lifetime", "recall"].includes(name)) {
  console.error(`There is no evaluation ${name}. ${usage}`)
  process.exit(2)
}
const files = [...(values.data ?? []), ...positionals.slice(1)]
const missing = files.find((file) => !existsSync(file))
if (missing !== undefined) {
  console.error(`There is no ${missing}.`)
  process.exit(2)
}
if (name === "lifetime") {
  const evaluation = await evaluateLifetimes(files.length > 0 ? files : transcriptFiles("anthropic-messages"))
  console.log(values.json ? JSON.stringify(evaluation, null, 2) : lifetimeScreen(evaluation))
  process.exit(0)
}
if (name === "recall" && files.length > 0) {
  const figures = await evaluateRecall(files, {
    byConversation: values["by-conversation"],
    ablation: values.ablation,
  })
  console.log(values.json ? JSON.stringify(figures) : recallTable(figures))
  process.exit(0)
}
const contextTokens = Number(values.window)
const { historian } = values
const unknown = historian !== undefined && historian !== "plain" && historian !== "vague"
if (name !== "window" || unknown || !Number.isInteger(contextTokens) || contextTokens < 8_000) {
  console.error(usage)
  process.exit(2)
}

const sessions =
  files.length > 0
    ? await readSessions(files)
    : [...[...inventedSessions(), ...inventedRecordings()].map(inventedSession), ...(await sharedSessions())]
const report = reportOf(
  contextTokens,
  sessions.map((session) =>
    evaluateWindow(session, contextTokens, historian === undefined ? null : scribes[historian]),
  ),
)
if (values.html !== undefined) writeFileSync(values.html, pageOf(report))
console.log(values.json ? JSON.stringify(report, null, 2) : tableOf(report))

/** An option that nobody knows is told in words. */
function parsed<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (cause) {
    // It throws for arguments alone.
    console.error(`${cause instanceof Error ? cause.message : String(cause)}\n${usage}`)
    process.exit(2)
  }
}
