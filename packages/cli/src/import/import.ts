/**
 * `holdfast import`: Sessions from files, into this store (ST4, IM1).
 *
 *   a bundle of holdfast export      taken over as it is
 *   a file or folder of an agent     its sessions, all or those that are chosen
 *   an id of such a session          one of the file or folder that is named, or of the usual folders
 *   nothing                          a listing of those, and a choice where somebody types
 */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { canPrompt } from "../asking/prompting.ts"
import { importFiles, type BundleOptions } from "../bundle/import.ts"
import { exitCode } from "../outcome/exit-code.ts"
import { openForCommand } from "../opened.ts"
import { count } from "../figures.ts"
import type { Terminal } from "../terminal.ts"
import {
  type Candidate,
  candidateLine,
  candidateTable,
  findCandidates,
  pickCandidate,
  readNumbers,
} from "./candidates.ts"
import { takenLine, takenText, takeSession } from "./foreign.ts"
import { bundleKind } from "./log-file.ts"

export interface ImportOptions extends BundleOptions {
  readonly from?: string
  readonly all?: boolean
}

export async function importGiven(
  terminal: Terminal,
  given: readonly string[],
  options: ImportOptions,
): Promise<number> {
  const { bundles, files, folders, ids } = await sortGiven(terminal, given)
  if (bundles.length > 0) {
    const ended = await importFiles(terminal, bundles, options)
    if (ended !== exitCode.done || bundles.length === given.length) return ended
  }
  const { from } = options
  const wanted: Candidate[] = []
  const listed: Candidate[] = []
  for (const file of files) {
    const found = await findCandidates(terminal, [file], from, true)
    // A file of one session leaves nothing to choose.
    ;(found.length === 1 ? wanted : listed).push(...found)
  }
  if (folders.length > 0) listed.push(...(await findCandidates(terminal, folders, from)))
  const named = await pickNamed(terminal, ids, listed, from)
  wanted.push(...named)
  const isOpen = ids.length + files.length + folders.length === 0
  if (isOpen) listed.push(...(await findCandidates(terminal, null, from)))
  const isNarrowed = named.some((candidate) => listed.includes(candidate))
  const isAsked = isOpen || wanted.length === 0 || (listed.length > 0 && !isNarrowed)
  const chosen = isAsked ? await choose(terminal, listed, isOpen, options) : []
  return importChosen(terminal, [...wanted, ...chosen], options)
}

/** Of what was named beside them first: then that is what is chosen there. */
async function pickNamed(
  terminal: Terminal,
  ids: readonly string[],
  listed: readonly Candidate[],
  from: string | undefined,
): Promise<readonly Candidate[]> {
  if (ids.length === 0) return []
  const isListed = ({ agent, session }: Candidate) =>
    listed.some((one) => one.agent === agent && one.session === session)
  const usual = await findCandidates(terminal, null, from)
  const known = [...listed, ...usual.filter((candidate) => !isListed(candidate))]
  return ids.map((id) => pickCandidate(id, known))
}

interface Given {
  readonly bundles: readonly string[]
  readonly files: readonly string[]
  readonly folders: readonly string[]
  readonly ids: readonly string[]
}

const standardInput = "-"
/** What is no id, whether or not it is there. */
const namesFile = /[/\\]|\.\w+$/

async function sortGiven(terminal: Terminal, given: readonly string[]): Promise<Given> {
  const bundles: string[] = []
  const files: string[] = []
  const folders: string[] = []
  const ids: string[] = []
  for (const one of given) {
    const path = resolve(terminal.directory, one)
    const found = one === standardInput ? null : await stat(path).catch(() => null)
    if (one === standardInput) bundles.push(one)
    else if (found === null && !namesFile.test(one)) ids.push(one)
    else if (found?.isFile() === true && (await bundleKind(path)) !== null) bundles.push(one)
    else if (found?.isDirectory() === true) folders.push(path)
    else files.push(path)
  }
  return { bundles, files, folders, ids }
}

/** Those that are to come; none where nobody can choose: then what is there was listed. */
async function choose(
  terminal: Terminal,
  listed: readonly Candidate[],
  isOpen: boolean,
  { all, json = false }: ImportOptions,
): Promise<readonly Candidate[]> {
  if (all === true && listed.length > 0) return listed
  if (listed.length === 0) {
    terminal.complain(`There are no sessions of other agents ${isOpen ? "in the usual folders" : "there"}.`)
    return []
  }
  if (json) for (const candidate of listed) terminal.write(candidateLine(candidate))
  else terminal.write(candidateTable(terminal, listed, Date.now()))
  if (!(await canPrompt(terminal, json))) {
    terminal.complain(
      `${count(listed.length, "session")} found, none imported. Name some by their ids, or give --all.`,
    )
    return []
  }
  for (;;) {
    const line = await terminal.ask("Which ones? Numbers such as 1 3-5, all, or nothing: ")
    const numbers = readNumbers(line ?? "", listed.length)
    if (numbers !== null) return listed.filter((_, at) => numbers.includes(at))
    terminal.complain(`Type numbers from 1 to ${listed.length}, all, or nothing.`)
  }
}

async function importChosen(
  terminal: Terminal,
  chosen: readonly Candidate[],
  options: ImportOptions,
): Promise<number> {
  if (chosen.length === 0) return exitCode.done
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { holdfast } = opened
    const given = options.directory === undefined ? null : resolve(terminal.directory, options.directory)
    const directory = given && (await holdfast.locations.open({ directory: given })).directory
    for (const candidate of chosen) {
      const taken = takeSession(holdfast, candidate, { elsewhere: terminal.directory, directory })
      for await (const one of taken) terminal.write(options.json === true ? takenLine(one) : takenText(one))
    }
    return exitCode.done
  } finally {
    await opened.close()
  }
}
