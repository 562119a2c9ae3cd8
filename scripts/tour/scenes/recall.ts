/** A Session that outgrows its window: what the model reads before and after a Fold, and a fact that comes back. */
import { layoutWindow, screenColumns } from "../../../packages/cli/src/window/layout.ts"
import { windowView } from "../../../packages/cli/src/window/view.ts"
import { everyItem, type HoldfastClient, type Message } from "../../../packages/sdk/src/index.ts"
import type { Stage } from "../stage.ts"

const daysMax = 20
const ordersADay = 90
const windowTokens = 16_000
const people = ["Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald"]
const question = "What did Ada order on the first day?"

export async function showRecall(stage: Stage): Promise<void> {
  const { screen, folder } = stage
  const { sessions } = stage.holdfast()
  screen.title("A Session that outgrows its window")
  const { id: sessionID } = await sessions.create({
    directory: folder.project,
    title: "Orders",
    model: "offline/small",
  })
  const say = async (text: string) => {
    await sessions.prompt({ sessionID, text })
    await sessions.wait({ sessionID })
  }
  screen.prompt(`${dayText(1).slice(0, 62)}…`)
  let days = 0
  let windowBefore: readonly string[] = []
  while (days < daysMax && (await folded(sessions, sessionID)) === null) {
    windowBefore = await windowLines(stage, sessionID)
    await say(dayText(++days))
  }
  const history = await folded(sessions, sessionID)
  if (history === null) throw new Error("The Session never folded.")
  screen.line()
  screen.line(
    `… and so on, ${ordersADay} orders a day, with a model that takes ${count(windowTokens)} tokens. On day ${days} the window is nearly full, and the older days become a history:`,
  )
  screen.line()
  for (const [when, lines] of [
    ["before", windowBefore],
    ["after", await windowLines(stage, sessionID)],
  ] as const) {
    screen.row(screen.paint("bold", `holdfast window, ${when} that day:`))
    for (const line of lines) screen.row(line)
    screen.line()
  }
  screen.line("So the history begins:")
  screen.line()
  const lines = history.split("\n").filter((line) => /^(?:##|U) /.test(line))
  for (const line of lines.slice(0, 2)) screen.row(screen.paint("yellow", clipped(line, screen.columns)))
  screen.line()
  screen.prompt(question)
  await say(question)
  screen.line()
  for (const line of await answerOf(sessions, sessionID)) screen.line(line)
  screen.line()
  screen.notice(
    "Nothing was lost: the history names what left the window, and the model fetches it back by itself. No request was too long, and no summary had to be trusted.",
  )
}

/** The screen of `holdfast window` without its headings, the origin of each segment, and what was spent. */
async function windowLines({ screen, holdfast }: Stage, sessionID: string): Promise<readonly string[]> {
  const { sessions } = holdfast()
  const turns = []
  for await (const turn of everyItem((page) => sessions.turns({ sessionID, ...page }))) turns.push(turn)
  const [session, request] = [await sessions.get({ sessionID }), await sessions.request({ sessionID })]
  const columns = Math.min(screenColumns, screen.columns)
  const lines = layoutWindow(windowView(session, request, turns), screen.paint, columns)
  return lines
    .slice(2)
    .filter((line) => line !== "" && !/^ {2}|^(?:cache lost|last turn|Session) /.test(line))
}

const clipped = (line: string, columns: number): string =>
  line.length > columns ? `${line.slice(0, columns - 1)}…` : line

/** One day: who ordered what. */
function dayText(day: number): string {
  const orders = Array.from({ length: ordersADay }, (_, n) => {
    const name = day === 1 && n === 40 ? "Ada" : `${people[1 + ((n + day) % 5)]} ${n}`
    return `${name}: ${1 + ((7 * n + day) % 9)} rye and ${(n * day) % 7} rolls`
  })
  return `Day ${day}. Orders, one after another. ${orders.join("; ")}.`
}

/** The history of a Session that was cut. */
async function folded(sessions: HoldfastClient["sessions"], sessionID: string): Promise<string | null> {
  for await (const { fact } of everyItem((page) => sessions.history({ sessionID, ...page })))
    if (fact.type === "pass.applied" && fact.slots !== null && fact.slots.baseline !== "")
      return fact.slots.baseline
  return null
}

/** What the model did and said since the question. */
async function answerOf(sessions: HoldfastClient["sessions"], sessionID: string): Promise<readonly string[]> {
  const items: Message[] = []
  for await (const message of everyItem((page) => sessions.messages({ sessionID, ...page })))
    items.push(message)
  const at = items.findLastIndex((message) => message.kind === "user")
  return items.slice(at + 1).flatMap((message) =>
    message.kind === "assistant"
      ? message.parts.flatMap(({ part }) => {
          if (part.type === "text") return ["", part.text]
          return part.type === "call" ? [`✓ ${part.name} ${JSON.stringify(part.input)}`] : []
        })
      : [],
  )
}

const count = (amount: number): string => amount.toLocaleString("en-US")
