/** `holdfast search`: what was said, in all Sessions of a project, and how to open it (SE1). */
import type { FoundPlace } from "@holdfast/sdk"
import { age, clip, count } from "../figures.ts"
import { pasteable } from "../hint.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { printable, type Terminal } from "../terminal.ts"

export interface SearchOptions extends SharedOptions {
  readonly limit: number
  readonly allProjects?: boolean
  readonly session?: string
}

const titleCharactersMax = 40

export async function searchText(
  terminal: Terminal,
  words: readonly string[],
  options: SearchOptions,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { searches, sessions } = opened.holdfast
    const { session, allProjects = false, limit: results } = options
    const sessionID = session === undefined ? undefined : await findSession(sessions, session)
    const directory = process.cwd()
    const { found, unindexed } = await searches.find({
      query: words.join(" "),
      results,
      ...(sessionID === undefined ? (allProjects ? { allProjects } : { directory }) : { sessionID }),
    })
    if (unindexed > 0)
      terminal.complain(`${count(unindexed, "older event")} are not indexed yet; search again later.`)
    if (options.json === true) for (const place of found) terminal.write(`${JSON.stringify(place)}\n`)
    else if (found.length === 0) terminal.write(pasteable(nothing(options), options))
    else {
      const now = Date.now()
      const texts = found.map((place) => placeText(terminal, place, now, options))
      terminal.write(`${texts.join("\n\n")}\n`)
    }
    return 0
  } finally {
    await opened.close()
  }
}

const nothing = ({ allProjects, session }: SearchOptions): string =>
  allProjects === true || session !== undefined
    ? "Nothing was found. Try other words, or fewer.\n"
    : "Nothing was found in this project. Try other words, or --all-projects.\n"

function placeText(terminal: Terminal, place: FoundPlace, now: number, options: SearchOptions): string {
  const { session, title, author, time, fromSeq } = place
  const head = [
    clip(printable(title ?? "(no title)"), titleCharactersMax),
    speakers[author],
    toldAge(now - time),
  ].join(" · ")
  return [
    terminal.paint("dim", head),
    markedText(terminal, place),
    terminal.paint("dim", pasteable(`holdfast show ${session} --around ${fromSeq}`, options)),
  ].join("\n")
}

const speakers: Readonly<Record<FoundPlace["author"], string>> = {
  user: "user",
  assistant: "assistant",
  call: "call",
  output: "output",
  summary: "summary",
}

/** Matching words stand out where the terminal has colours. */
function markedText(terminal: Terminal, { text, marks }: FoundPlace): string {
  let at = 0
  const pieces = marks.flatMap(([from, to]) => {
    const word = printable(text.slice(from, to))
    const piece = [printable(text.slice(at, from)), terminal.paint("yellow", word)]
    at = to
    return piece
  })
  return [...pieces, printable(text.slice(at))].join("")
}

const toldAge = (ms: number): string => (age(ms) === "now" ? "just now" : `${age(ms)} ago`)
