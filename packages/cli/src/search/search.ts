/** `holdfast search`: what was said, in all Sessions of a project, and how to open it (SE1). */
import type { FoundOther, FoundPlace } from "@holdfast/sdk"
import { inOrder } from "@holdfast/schema/search/in-order"
import { searchWords, spokenWords } from "@holdfast/schema/search/words"
import { age, clip, count } from "../figures.ts"
import { pasteable, quoted } from "../hint.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
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
  const query = words.join(" ")
  if (query.trim() === "") throw new UsageError("Name what to search for.")
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { searches, sessions } = opened.holdfast
    const { session, allProjects = false, limit: results } = options
    const sessionID = session === undefined ? undefined : await findSession(sessions, session)
    const directory = terminal.directory
    const {
      found,
      also = [],
      unindexed,
    } = await searches.find({
      query,
      results,
      ...(sessionID === undefined ? (allProjects ? { allProjects } : { directory }) : { sessionID }),
    })
    if (unindexed > 0)
      terminal.complain(`Not yet wholly indexed: ${count(unindexed, "event")}. Search again later.`)
    if (options.json === true) {
      const lines = inOrder<FoundPlace, FoundOther, FoundOther | FoundPlace>(
        found,
        also,
        (one) => one,
        (one) => one,
      )
      for (const line of lines) terminal.write(`${JSON.stringify(line)}\n`)
    } else if (found.length + also.length === 0) terminal.write(pasteable(nothing(query, options), options))
    else {
      const now = Date.now()
      const texts = inOrder(
        found,
        also,
        (place) => placeText(terminal, place, now, options),
        (other) => otherText(terminal, other, now, options),
      )
      terminal.write(`${texts.join("\n\n")}\n`)
    }
    return 0
  } finally {
    await opened.close()
  }
}

function nothing(query: string, { allProjects, session }: SearchOptions): string {
  if (spokenWords(query).length === 0) return "Nothing was found: there is no word in it to look for.\n"
  if (searchWords(query).length === 0)
    return `Nothing was found: words as common as these count only in a phrase of four or more, in double quotes.\n`
  return allProjects === true || session !== undefined
    ? "Nothing was found. Try other words, or fewer.\n"
    : "Nothing was found in this project. Try other words, or --all-projects.\n"
}

function placeText(terminal: Terminal, place: FoundPlace, now: number, options: SearchOptions): string {
  const { session, title, project, author, time, fromSeq } = place
  const head = [
    clip(printable(title ?? "(no title)"), titleCharactersMax),
    ...(project === undefined ? [] : [printable(project)]),
    speakers[author],
    toldAge(now - time),
  ].join(" · ")
  return [
    terminal.paint("dim", head),
    markedText(terminal, place),
    terminal.paint("dim", pasteable(`holdfast show ${session} --around ${fromSeq}`, options)),
  ].join("\n")
}

function otherText(terminal: Terminal, other: FoundOther, now: number, options: SearchOptions): string {
  const at = other.project === undefined ? "" : ` -C ${quoted(other.project)}`
  const open =
    other.kind === "commit"
      ? `git${at} show ${other.id.slice(0, 12)}`
      : `holdfast memory show ${memoryWords(other)}`
  const named = other.project === undefined ? [] : [printable(other.project)]
  return [
    terminal.paint("dim", [other.kind, ...named, toldAge(now - other.time)].join(" · ")),
    markedText(terminal, other),
    terminal.paint("dim", pasteable(open, options)),
  ].join("\n")
}

/** One of another project is opened there, but for what that project shares with this one. */
const memoryWords = ({ id, project }: FoundOther): string =>
  project === undefined || id.includes("@") ? id : `${id} --dir ${quoted(project)}`

const speakers: Readonly<Record<FoundPlace["author"], string>> = {
  user: "user",
  assistant: "assistant",
  call: "call",
  output: "output",
  summary: "summary",
}

/** Matching words stand out where the terminal has colours. */
function markedText(terminal: Terminal, { text, marks }: Pick<FoundPlace, "text" | "marks">): string {
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
