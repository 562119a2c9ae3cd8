/** Thinking rules: signatures, and where thinking blocks must and must not stand. */
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import type { MessagesBody } from "../request-body.ts"
import { isSealedFor, isSignatureOf } from "../../signature.ts"
import { mergeTurns } from "./conversation.ts"
import type { ChatTurn, PlacedBlock } from "./conversation.ts"
import { firstRefusal } from "../../shape.ts"
import type { Verdict } from "../../sim-wire.ts"

export function checkThinkingBlocks(body: MessagesBody): Verdict {
  const turns = mergeTurns(body.messages)
  return (
    firstRefusal(
      turns.flatMap((turn) => turn.blocks),
      (placed) => checkSignature(body.model, placed),
    ) ??
    firstRefusal(turns, checkFinalBlock) ??
    (body.thinking?.type === "enabled" ? checkTurnStart(turns) : undefined)
  )
}

/** recorded: a block must come back unchanged, to the model that wrote it, thinking on or off. */
function checkSignature(model: string, { path, block }: PlacedBlock): Verdict {
  if (block.type === "thinking" && !isSignatureOf(model, block.thinking, block.signature)) {
    return invalid(facts.signatureWrong(path))
  }
  if (block.type === "redacted_thinking" && !isSealedFor(model, block.data)) {
    return invalid(facts.sealWrong(path))
  }
  return undefined
}

/** recorded: thinking must lead to something. */
function checkFinalBlock(turn: ChatTurn): Verdict {
  const last = turn.blocks.at(-1)?.block
  return last !== undefined && isThinking(last.type)
    ? invalid(facts.finalThinking(turn.path, last.type))
    : undefined
}

/**
 * recorded: the text. documented: the assistant turn that a tool loop continues must begin with
 * thinking; a turn reaches back over the results that were given inside it. Adaptive thinking has
 * no such rule.
 */
function checkTurnStart(turns: readonly ChatTurn[]): Verdict {
  const last = turns.findLastIndex((turn) => turn.role === "assistant")
  if (!turns[last]?.blocks.some(({ block }) => block.type === "tool_use")) return undefined
  const start = turns[turnStart(turns, last)]?.blocks[0]
  if (start === undefined || isThinking(start.block.type)) return undefined
  return invalid(facts.turnStart(start.path, start.block.type))
}

function turnStart(turns: readonly ChatTurn[], from: number): number {
  let start = from
  for (let index = from - 1; index >= 0; index--) {
    const turn = turns[index]
    if (turn?.role === "assistant") start = index
    else if (turn?.role === "user" && turn.blocks[0]?.block.type !== "tool_result") break
  }
  return start
}

function isThinking(type: string): boolean {
  return type === "thinking" || type === "redacted_thinking"
}
