/** `holdfast inbox`: prompts that a Session has taken in and not taken up yet: listed, changed, taken back (PR3). */
import type { AdmittedPrompt, PromptReceipt, SessionsOperations } from "@holdfast/sdk"
import { clip } from "../figures.ts"
import { findPrompt, findSession } from "../input/ids.ts"
import { listItems } from "../list-items.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { readText } from "../input/standard-input.ts"
import { showTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"

export async function listInbox(terminal: Terminal, given: string, options: SharedOptions): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const prompts = await listItems((page) => sessions.inbox({ sessionID, ...page }))
    if (options.json === true) {
      for (const prompt of prompts) terminal.write(`${JSON.stringify(prompt)}\n`)
    } else if (prompts.length === 0) {
      terminal.write(`No prompt waits in Session ${sessionID}.\n`)
    } else {
      await showTable(terminal, columns, prompts.map(rowOf))
    }
    return 0
  } finally {
    await opened.close()
  }
}

export async function editInbox(
  terminal: Terminal,
  given: string,
  prompt: string,
  argument: string,
  options: SharedOptions,
): Promise<number> {
  const text = await readText(terminal, argument)
  return change(terminal, given, prompt, options, "has the new text", (sessions, of) =>
    sessions.edit({ ...of, text }),
  )
}

export const cancelInbox = (
  terminal: Terminal,
  given: string,
  prompt: string,
  options: SharedOptions,
): Promise<number> =>
  change(terminal, given, prompt, options, "is taken back", (sessions, of) => sessions.cancel(of))

async function change(
  terminal: Terminal,
  given: string,
  prompt: string,
  options: SharedOptions,
  what: string,
  make: (
    sessions: SessionsOperations,
    of: { readonly sessionID: string; readonly promptID: string },
  ) => Promise<PromptReceipt>,
): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const promptID = await findPrompt(sessions, sessionID, prompt)
    const receipt = await make(sessions, { sessionID, promptID })
    terminal.write(
      options.json === true ? `${JSON.stringify(receipt)}\n` : `Prompt ${receipt.prompt} ${what}.\n`,
    )
    return 0
  } finally {
    await opened.close()
  }
}

const columns = [
  { title: "PROMPT" },
  { title: "DELIVERY" },
  { title: "IMAGES", right: true, leave: 1 },
  { title: "TEXT", cutTo: 20 },
]

const textCharactersMax = 80

const rowOf = ({ id, delivery, images = [], text }: AdmittedPrompt): readonly string[] => [
  id,
  delivery,
  String(images.length),
  clip(printable(text), textCharactersMax),
]
