/**
 * Conversation rules: what blocks must be to each other.
 *
 * Consecutive messages of one role are one turn to the provider (documented), so the rules run on
 * merged turns; paths still point into the request as it was sent (assumed).
 */
import { invalid } from "../api-error.ts"
import { blocksOf } from "../request-body.ts"
import type { Role } from "../../model.ts"
import type { ContentBlock, MessagesBody, ToolResultBlock, WireMessage } from "../request-body.ts"
import type { SimModel } from "../../model.ts"
import { checkContent } from "./content.ts"
import { extraField, firstRefusal, isObject } from "./shape.ts"
import type { Verdict } from "./shape.ts"

/** documented. */
const messagesMax = 100_000

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
  if (!Array.isArray(value)) return invalid("messages: Input should be a valid list")
  // recorded.
  if (value.length === 0) return invalid("messages: at least one message is required")
  if (value.length > messagesMax) return invalid(`messages: List should have at most ${messagesMax} items`)
  return firstRefusal<unknown>(value, (message, index) => {
    const path = `messages.${index}`
    if (!isObject(message)) return invalid(`${path}: Input should be a valid dictionary or object`)
    const role = message["role"]
    if (role === undefined) return invalid(`${path}.role: Field required`)
    if (role === "system" && !systemRole) {
      // recorded: the answer of models without the role.
      return invalid(
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      )
    }
    if (role !== "user" && role !== "assistant" && role !== "system") {
      return invalid(`${path}.role: Input should be 'user' or 'assistant'`)
    }
    return checkContent(path, role, message["content"]) ?? extraField(path, message, ["role", "content"])
  })
}

/** The order of roles, the pairing of calls and results, and the last message. */
export function checkConversation(body: MessagesBody, model: SimModel): Verdict {
  const turns = mergeTurns(body.messages)
  return (
    checkEmptyMessages(body.messages) ??
    checkRoles(body.messages) ??
    checkCallIds(turns) ??
    checkPairing(turns) ??
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
    // recorded.
    return invalid(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    )
  })
}

function checkRoles(messages: readonly WireMessage[]): Verdict {
  const first = messages[0]?.role
  // recorded.
  if (first === "assistant") return invalid('messages: first message must use the "user" role')
  return firstRefusal(messages, (message, index) => {
    if (message.role !== "system") return undefined
    const before = messages[index - 1]?.role
    const after = messages[index + 1]?.role
    // recorded (both, less a clause on a beta form); documented: a system message sits right after a user turn, before the answer.
    if (before !== "user") {
      return invalid(
        `messages.${index}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result`,
      )
    }
    if (after !== undefined && after !== "assistant") {
      return invalid(`messages.${index}: role 'system' must precede an 'assistant' message or end the array`)
    }
    return undefined
  })
}

function checkCallIds(turns: readonly ChatTurn[]): Verdict {
  const seen = new Set<string>()
  return firstRefusal(
    turns.flatMap((turn) => turn.blocks),
    ({ path, block }) => {
      if (block.type !== "tool_use") return undefined
      // recorded.
      if (seen.has(block.id)) return invalid(`${path}: \`tool_use\` ids must be unique`)
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
    // recorded (both).
    if (!calls.has(id)) {
      return invalid(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
    if (answered.has(id)) {
      return invalid(
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      )
    }
    answered.add(id)
    return undefined
  })
}

function checkAnswered(turn: ChatTurn, calls: readonly string[], next: ChatTurn | undefined): Verdict {
  const leading = new Set(leadingResults(next).map((result) => result.tool_use_id))
  const missing = calls.filter((id) => !leading.has(id))
  if (missing.length === 0) return undefined
  // recorded; documented: a result that follows other content counts as missing.
  return invalid(
    `${turn.path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )
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

function checkToolsDefined(body: MessagesBody, turns: readonly ChatTurn[]): Verdict {
  const used = turns.some((turn) =>
    turn.blocks.some(({ block }) => block.type === "tool_use" || block.type === "tool_result"),
  )
  // recorded.
  return used && (body.tools ?? []).length === 0
    ? invalid("Requests which include `tool_use` or `tool_result` blocks must define tools.")
    : undefined
}

function checkLast(body: MessagesBody, turns: readonly ChatTurn[], model: SimModel): Verdict {
  const last = turns.at(-1)
  if (last?.role !== "assistant") return undefined
  const thinking = body.thinking !== undefined && body.thinking.type !== "disabled"
  // recorded: the text; documented: thinking and prefill exclude each other.
  if (thinking || model.prefill === false) {
    return invalid(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    )
  }
  const block = last.blocks.at(-1)?.block
  // recorded.
  return block?.type === "text" && /\s$/.test(block.text)
    ? invalid("messages: final assistant content cannot end with trailing whitespace")
    : undefined
}
