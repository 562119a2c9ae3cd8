/** `holdfast show`: a conversation from its beginning, with the ids of its messages. */
import { everyItem, type Message } from "@holdfast/sdk"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import type { Terminal } from "../terminal.ts"
import { messageLines } from "./message-lines.ts"

export interface ShowOptions extends SharedOptions {
  /** The sequence of a message. */
  readonly around?: number
  readonly system?: boolean
  readonly reasoning?: boolean
}

export async function showSession(terminal: Terminal, given: string, options: ShowOptions): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const { system = false } = options
    const all = everyItem((page) => sessions.messages({ sessionID, ...page }), { system })
    const messages = options.around === undefined ? all : aroundOf(all, options.around)
    const view = { terminal, reasoning: options.reasoning === true }
    if (options.json === true) {
      for await (const message of messages) terminal.write(`${JSON.stringify(chosen(message, view))}\n`)
      return 0
    }
    const first = await messages.next()
    if (first.done === true) terminal.write(`Session ${sessionID} has no message yet.\n`)
    else await terminal.page(pieces(first.value, messages, view))
    return 0
  } finally {
    await opened.close()
  }
}

/** Messages that are shown before and behind the one that is named. */
const aroundMessages = 3

async function* aroundOf(all: AsyncIterable<Message>, seq: number): AsyncGenerator<Message, void> {
  let shown: Message[] = []
  for await (const message of all) {
    shown = [...shown, message].slice(-2 * aroundMessages - 1)
    const behind = shown.filter((one) => one.seq > seq).length
    if (behind >= aroundMessages) break
  }
  const named = shown.findLastIndex((one) => one.seq <= seq)
  yield* shown.slice(Math.max(0, named - aroundMessages))
}

/** Message by message, so that a long Session need not fit into memory. */
async function* pieces(
  first: Message,
  rest: AsyncIterable<Message>,
  view: Parameters<typeof messageLines>[1],
): AsyncGenerator<string> {
  yield `${messageLines(first, view).join("\n")}\n`
  for await (const message of rest) yield `${messageLines(message, view).join("\n")}\n`
}

function chosen(message: Message, { reasoning }: { readonly reasoning: boolean }): Message {
  if (message.kind !== "assistant" || reasoning) return message
  return { ...message, parts: message.parts.filter(({ part }) => part.type !== "reasoning") }
}
