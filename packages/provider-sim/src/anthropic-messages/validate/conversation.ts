/**
 * Conversation rules: what blocks must be to each other.
 *
 * Consecutive messages of one role are one turn to the provider (documented), so the rules run on
 * merged turns; paths still point into the request as it was sent (assumed). Either role may begin,
 * and either may speak twice (recorded).
 */
import { wordOf } from "../../json.ts"
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import { blocksOf, isHostedResult } from "../request-body.ts"
import type { Role } from "../../model.ts"
import type { ContentBlock, MessagesBody, ToolResultBlock, WireMessage } from "../request-body.ts"
import type { SimModel } from "../../model.ts"
import { always, anything, firstRefusal, needed } from "../../shape.ts"
import type { Check } from "../../shape.ts"
import type { Verdict } from "../../sim-wire.ts"
import { checkContent } from "./content.ts"
import { list, loose, object, oneOf } from "./shape.ts"

export interface PlacedBlock {
  readonly path: string
  readonly block: ContentBlock
}

export interface ChatTurn {
  readonly role: Role
  readonly path: string
  readonly blocks: readonly PlacedBlock[]
}

/** The list and each message by itself. */
export function checkMessages(value: unknown, systemRole: boolean): Verdict {
  const count = Array.isArray(value) ? value.length : 1
  if (count === 0) return invalid(facts.messagesMissing)
  if (count > facts.messagesMax) return invalid(facts.messagesTooMany(facts.messagesMax))
  const checkRole: Check = (path, role) => {
    if (role !== "system") return oneOf(["user", "assistant"])(path, role)
    // recorded: the answer of models without the role.
    return systemRole ? undefined : invalid(facts.systemRole)
  }
  const known = loose({ role: needed(checkRole) })
  const message: Check = (path, one) =>
    known(path, one) ??
    object({
      role: anything,
      content: always((at, content) => checkContent(at, (one as WireMessage).role, content)),
    })(path, one)
  return list(message)("messages", value)
}

/** The order of roles, the pairing of calls and results, and the last message. */
export function checkConversation(body: MessagesBody, model: SimModel): Verdict {
  const turns = mergeTurns(body.messages)
  return (
    checkEmptyMessages(body.messages) ??
    checkRoles(body.messages) ??
    checkCallIds(turns) ??
    checkPairing(turns) ??
    firstRefusal(turns, checkHostedPairs) ??
    checkToolsDefined(body, turns) ??
    checkLast(body, turns, model)
  )
}

/** documented: consecutive user or assistant messages are combined into a single turn. */
export function mergeTurns(messages: readonly WireMessage[]): readonly ChatTurn[] {
  const turns: { role: Role; path: string; blocks: PlacedBlock[] }[] = []
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`
    const placed = blocksOf(message.content).map((block, place) => ({
      path: `${path}.content.${place}`,
      block,
    }))
    const last = turns.at(-1)
    if (last !== undefined && last.role === message.role) last.blocks.push(...placed)
    else turns.push({ role: message.role, path, blocks: placed })
  }
  return turns
}

function checkEmptyMessages(messages: readonly WireMessage[]): Verdict {
  return firstRefusal(messages, (message, index) => {
    if (blocksOf(message.content).length > 0) return undefined
    if (index === messages.length - 1 && message.role === "assistant") return undefined
    return invalid(facts.messageEmpty(index))
  })
}

function checkRoles(messages: readonly WireMessage[]): Verdict {
  return firstRefusal(messages, (message, index) => {
    if (message.role !== "system") return undefined
    const before = messages[index - 1]?.role
    const after = messages[index + 1]?.role
    // recorded (both, less a clause on a beta form); documented: a system message sits right after a user turn, before the answer.
    if (before !== "user") return invalid(facts.systemAfter(index))
    if (after !== undefined && after !== "assistant") return invalid(facts.systemBefore(index))
    return undefined
  })
}

function checkCallIds(turns: readonly ChatTurn[]): Verdict {
  const seen = new Set<string>()
  return firstRefusal(
    turns.flatMap((turn) => turn.blocks),
    ({ path, block }) => {
      if (block.type !== "tool_use") return undefined
      if (seen.has(block.id)) return invalid(facts.callIdsTwice(path))
      seen.add(block.id)
      return undefined
    },
  )
}

function checkPairing(turns: readonly ChatTurn[]): Verdict {
  return firstRefusal(turns, (turn, index) => {
    const calls = turn.blocks.flatMap(({ block }) => (block.type === "tool_use" ? [block.id] : []))
    const next = turns[index + 1]
    return checkResults(turn, turns[index - 1]) ?? checkAnswered(turn, calls, next)
  })
}

function checkResults(turn: ChatTurn, previous: ChatTurn | undefined): Verdict {
  const calls = new Set(
    (previous?.blocks ?? []).flatMap(({ block }) => (block.type === "tool_use" ? [block.id] : [])),
  )
  const answered = new Set<string>()
  return firstRefusal(turn.blocks, ({ path, block }) => {
    if (block.type !== "tool_result") return undefined
    const id = block.tool_use_id
    if (!calls.has(id)) return invalid(facts.resultUnexpected(path, id))
    if (answered.has(id)) return invalid(facts.resultsTwice(path, id))
    answered.add(id)
    return undefined
  })
}

function checkAnswered(turn: ChatTurn, calls: readonly string[], next: ChatTurn | undefined): Verdict {
  const leading = new Set(leadingResults(next).map((result) => result.tool_use_id))
  const missing = calls.filter((id) => !leading.has(id))
  if (missing.length === 0) return undefined
  // recorded; documented: a result that follows other content counts as missing.
  return invalid(facts.resultsMissing(turn.path, missing.join(", ")))
}

function leadingResults(turn: ChatTurn | undefined): readonly ToolResultBlock[] {
  const results: ToolResultBlock[] = []
  if (turn?.role !== "user") return results
  for (const { block } of turn.blocks) {
    if (block.type !== "tool_result") break
    results.push(block)
  }
  return results
}

/** The provider ran these itself, so call and result stand in one answer. */
function checkHostedPairs({ blocks }: ChatTurn): Verdict {
  const open = new Map<string | undefined, PlacedBlock>()
  for (const placed of blocks) {
    const { path, block } = placed
    if (block.type === "server_tool_use" || block.type === "mcp_tool_use") open.set(block.id, placed)
    else if (isHostedResult(block)) {
      if (open.delete(block.tool_use_id)) continue
      return invalid(facts.hostedUnpaired(path, block.type, wordOf(block.tool_use_id)))
    }
  }
  const [left] = open.values()
  // documented: code of the provider waits for the calls that it makes itself.
  const isWaiting = blocks.some(({ block }) => block.type === "tool_use")
  if (left?.block.type !== "server_tool_use" || isWaiting) return undefined
  return invalid(facts.hostedUnanswered(left.path, wordOf(left.block.name), wordOf(left.block.id)))
}

function checkToolsDefined(body: MessagesBody, turns: readonly ChatTurn[]): Verdict {
  const used = turns.some((turn) =>
    turn.blocks.some(({ block }) => block.type === "tool_use" || block.type === "tool_result"),
  )
  return used && (body.tools ?? []).length === 0 ? invalid(facts.toolsUndefined) : undefined
}

function checkLast(body: MessagesBody, turns: readonly ChatTurn[], model: SimModel): Verdict {
  const last = turns.at(-1)
  if (last?.role !== "assistant") return undefined
  const thinking = body.thinking !== undefined && body.thinking.type !== "disabled"
  // recorded: the text; documented: thinking and prefill exclude each other.
  const prefills = model.prefill ?? !facts.prefilllessModels.test(body.model)
  if (thinking || !prefills) return invalid(facts.prefill)
  const block = last.blocks.at(-1)?.block
  return block?.type === "text" && /\s$/.test(block.text) ? invalid(facts.trailingWhitespace) : undefined
}
