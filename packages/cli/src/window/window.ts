/** `holdfast window`: what the model will see next, on one screen (SU2). */
import type { PlannedRequest } from "@holdfast/sdk"
import { count } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { warnOfInstructions } from "../instructions.ts"
import { listItems } from "../list-items.ts"
import { openForCommand } from "../opened.ts"
import { showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"
import { wrapFor } from "../text-width.ts"
import { layoutWindow } from "./layout.ts"
import { windowView } from "./view.ts"

export interface WindowOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly server?: boolean
  /** Prints what the request says in place of its sizes. */
  readonly content?: boolean
  /** Lists the parts of the history in place of the segments. */
  readonly parts?: boolean
}

export async function showWindow(terminal: Terminal, given: string, options: WindowOptions): Promise<number> {
  // What would be sent depends on the model, and a Session may have been started with the offline one.
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const content = options.content === true
    const request = await sessions.request({ sessionID, content })
    const session = await sessions.get({ sessionID })
    await warnOfInstructions(terminal, session.location.directory, options)
    if (options.json === true) {
      terminal.write(`${JSON.stringify(request)}\n`)
      return 0
    }
    if (content) {
      terminal.write(contentText(request))
      return 0
    }
    if (options.parts === true) {
      await showParts(terminal, request)
      return 0
    }
    const turns = await listItems((page) => sessions.turns({ sessionID, ...page }))
    const columns = terminal.interactive ? terminal.columns : Infinity
    const lines = layoutWindow(windowView(session, request, turns), terminal.paint, columns)
    terminal.write(`${lines.join("\n")}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

/** Which messages each part covers, and how full it is told. */
async function showParts(terminal: Terminal, { compartments = [], segments }: PlannedRequest): Promise<void> {
  if (compartments.length === 0) {
    terminal.write("All of the conversation is shown as it was: there are no parts.\n")
    return
  }
  const rows = compartments.map(({ id, fromSeq, toSeq, tier, archived, tokens, place, title }) => [
    id,
    `#${fromSeq}–#${toSeq}`,
    tier === null ? "–" : archived === true ? "archived" : String(tier),
    count(tokens),
    places[place],
    printable(title),
  ])
  await showTable(terminal, partColumns, rows)
  terminal.write(`\n${wrapFor(terminal, `${besideText({ compartments, segments })}${partsLegend}`)}\n`)
}

/** What the history takes beside its parts, so that the column adds up. */
export function besideText({
  compartments = [],
  segments,
}: Pick<PlannedRequest, "compartments" | "segments">): string {
  const history = segments.filter(({ name }) => name === "history-baseline" || name === "history-delta")
  const all = history.reduce((sum, { tokens }) => sum + tokens, 0)
  const told = compartments.filter(({ place }) => place === "baseline" || place === "delta")
  const beside = all - told.reduce((sum, { tokens }) => sum + tokens, 0)
  return beside <= 0
    ? ""
    : `The history takes ${count(all)} tokens: ${count(all - beside)} for its parts, ${count(beside)} for names, headings and what is known of the project.\n`
}

const partsLegend =
  "Each part is a summary of older messages. Tier 1 is its longest version, tier 4 its shortest. An archived one stands for parts that have aged past the last tier: what you asked to hold, and names."

const partColumns = [
  { title: "PART" },
  { title: "MESSAGES" },
  { title: "TIER", right: true },
  { title: "TOKENS", right: true },
  { title: "SHOWN" },
  { title: "ABOUT", cutTo: 16 },
]

const places = {
  baseline: "yes",
  delta: "yes, new",
  waiting: "with the next break",
  hidden: "no room",
} as const

/** Segment by segment, a line for each block as the provider gets it. */
function contentText({ segments, settings, obstacle }: PlannedRequest): string {
  if (segments.length === 0)
    return `Nothing would be sent.${obstacle === null ? "" : ` ${obstacle.message}`}\n`
  const parts = [
    ...segments.map(({ name, blocks }) => [name, ...blocks.map((block) => block.content ?? "")]),
    ["settings", settings ?? ""],
  ]
  return parts.map(([name, ...lines]) => `# ${name}\n${printable(lines.join("\n"))}\n`).join("\n")
}
