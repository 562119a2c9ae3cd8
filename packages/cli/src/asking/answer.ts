/**
 * `holdfast answer`: allows, declines or answers what a Session asks (PE5).
 *
 * A server goes on by itself then; without one this command does the work, and follows it as
 * `resume` does. What a call has started cannot answer.
 */
import type { Ask, HoldfastClient } from "@holdfast/sdk"
import { pasteable } from "../hint.ts"
import { pickAsk } from "../input/ids.ts"
import { readText } from "../input/standard-input.ts"
import { UsageError } from "../outcome/outcome.ts"
import { type CommonOptions, runConversation } from "../run.ts"
import type { Terminal } from "../terminal.ts"
import type { Answer } from "./choices.ts"
import { listItems } from "../list-items.ts"

export type Decision = "allow" | "decline" | "say"

export interface AnswerOptions extends CommonOptions {
  readonly for?: "once" | "session" | "project"
  readonly rule?: readonly string[]
}

export async function answerAsk(
  terminal: Terminal,
  given: string,
  decision: Decision,
  argument: string | undefined,
  options: AnswerOptions,
): Promise<number> {
  const text = argument === undefined ? undefined : await readText(terminal, argument)
  const answer = readDecision(decision, text, options)
  const call = await terminal.callAbove()
  if (call !== null)
    throw new UsageError(
      `This command was started by the call ${call} of a Session, and a call cannot answer what Sessions ask. A person has to answer, from outside of it.`,
    )
  return runConversation(terminal, options, async ({ holdfast, server }) => {
    const ask = await findAsk(holdfast, given, answer)
    const give = () => holdfast.asks.answer({ askID: ask.id, ...answer })
    if (server === null) {
      const session = await holdfast.sessions.get({ sessionID: ask.session })
      return { session, made: false, begin: () => give().then(() => null) }
    }
    await give()
    const follow = pasteable(`holdfast attach ${ask.session}`, options)
    terminal.write(
      options.json === true
        ? `${JSON.stringify({ type: "answered", ask: ask.id, session: ask.session, decision: answer.decision })}\n`
        : `Answered. The server goes on with Session ${ask.session}. Follow it with: ${follow}\n`,
    )
    return null
  })
}

/** What the words of the command line say. */
export function readDecision(decision: Decision, text: string | undefined, options: AnswerOptions): Answer {
  const { for: scope, rule: rules } = options
  if (decision !== "allow" && (scope !== undefined || rules !== undefined))
    throw new UsageError("--for and --rule say what is allowed. Leave them out, or answer with allow.")
  if (decision === "say") {
    if (text === undefined) throw new UsageError("Give the answer behind say, in quotes.")
    return { decision: "answer", text }
  }
  if (decision === "decline") return { decision, ...(text !== undefined && { text }) }
  if (text !== undefined)
    throw new UsageError("What is allowed takes no text. To tell the model something else, decline with it.")
  const [first, ...more] = rules ?? []
  return {
    decision,
    ...(scope !== undefined && { scope }),
    ...(first !== undefined && { rules: [first, ...more] }),
  }
}

/** One that is not open is answered all the same: whoever is asked says what is wrong. */
async function findAsk({ asks }: HoldfastClient, given: string, answer: Answer): Promise<Ask> {
  const open = await listItems((page) => asks.list(page))
  const id = pickAsk(given, open)
  const found = open.find((ask) => ask.id === id)
  if (found !== undefined) return found
  await asks.answer({ askID: id, ...answer })
  throw new UsageError(`There is no open ask ${given}.`)
}
