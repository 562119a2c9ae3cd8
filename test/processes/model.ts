/**
 * The model of these tests: the newest words of the user say what it does.
 *
 *   tool   one bash call that writes its call id to the ledger, then a text
 *   hold   one bash call that runs for minutes and says when it was asked to end, then a text
 *   doubt  a text and the call of `tool`, whose input streams for some seconds, then a text
 *   other  a text
 */
import { type Reply, scripted, type SimModel, textReply, type RequestView } from "@holdfast/provider-sim"

export const script = (ledger: string): SimModel => scripted((view) => replyTo(view, ledger))

function replyTo({ messages }: RequestView, ledger: string): Reply {
  const words = newestWords(messages)
  if (words === null) return textReply("The tool has answered.")
  if (/\btool\b/.test(words)) return bash(noting(ledger))
  if (/\bhold\b/.test(words)) return bash(holding(ledger))
  if (/\bdoubt\b/.test(words)) return hesitating(ledger)
  return textReply("An answer.")
}

/** What the user said since the last result of a tool; null if nothing. */
function newestWords(messages: RequestView["messages"]): string | null {
  const blocks = messages.findLast(({ role }) => role === "user")?.blocks ?? []
  const said = blocks.slice(blocks.findLastIndex(({ type }) => type === "tool_result") + 1)
  const texts = said.flatMap((block) => (block.type === "text" ? [block.text] : []))
  return texts.length === 0 ? null : texts.join("\n")
}

const noting = (ledger: string): string => `echo "$HOLDFAST_CALL" >> '${ledger}'`

/** `started` once it runs, `asked <time>` when the signal reaches it. */
const holding = (ledger: string): string =>
  `trap 'echo "asked $EPOCHREALTIME" >> ${ledger}; exit 1' TERM; echo "started $HOLDFAST_CALL" >> ${ledger}; sleep 300 & wait`

/** The text is whole at once, and recorded; the call takes the seconds. */
function hesitating(ledger: string): Reply {
  const command = `${noting(ledger)} # ${"and then ".repeat(140)}`
  return { blocks: [{ type: "text", text: "A word before." }, ...bash(command).blocks], delayMs: 100 }
}

const bash = (command: string): Reply => ({
  blocks: [{ type: "tool_use", name: "bash", input: { command } }],
})
