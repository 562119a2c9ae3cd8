/**
 * Conversation rules: what items must be to each other.
 *
 * Roles may come in any order. A call and its output find each other by `call_id`, the call first;
 * reasoning is followed by what it led to (recorded). What the provider has stored stands in the
 * input already; an item that still only names itself is not found.
 */
import { isObject, wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { invalid } from "../openai/error.ts"
import { firstRefusal } from "../shape.ts"
import { isSealedReasoning } from "../signature.ts"
import type { Verdict } from "../sim-wire.ts"
import { itemsOf } from "./body.ts"
import type { InputItem, ResponsesBody } from "./body.ts"
import { facts } from "./facts.ts"

export function checkConversation(body: ResponsesBody): Verdict {
  const items = itemsOf(body)
  const raw = typeof body.input === "string" ? [] : body.input
  return (
    checkReferences(body, raw) ??
    checkDuplicates(raw) ??
    firstRefusal(items, checkReasoning) ??
    firstRefusal(items, (item, index) => checkFollower(item, items[index + 1])) ??
    checkPairs(items)
  )
}

function checkReferences(body: ResponsesBody, raw: readonly JsonObject[]): Verdict {
  const conversation = body.conversation ?? undefined
  if (conversation !== undefined) {
    const id = isObject(conversation) ? conversation["id"] : conversation
    return { ...invalid(facts.conversationUnknown(wordOf(id)), "conversation"), status: 404 }
  }
  const reference = raw.find((item) => item["type"] === "item_reference")
  return reference === undefined ? undefined : unknownItem(wordOf(reference["id"]))
}

function checkDuplicates(raw: readonly JsonObject[]): Verdict {
  const seen = new Set<string>()
  return firstRefusal(raw, (item) => {
    const id = item["id"]
    if (typeof id !== "string") return undefined
    if (seen.has(id)) return invalid(facts.duplicateId(id), "input")
    seen.add(id)
    return undefined
  })
}

function checkReasoning(item: InputItem): Verdict {
  if (item.type !== "reasoning") return undefined
  const sealed = item.encrypted_content ?? undefined
  if (sealed === undefined) return item.id === undefined ? undefined : unknownItem(item.id)
  return isSealedReasoning(sealed)
    ? undefined
    : invalid(facts.encryptedWrong(shown(sealed)), null, "invalid_encrypted_content")
}

function checkFollower(item: InputItem, next: InputItem | undefined): Verdict {
  if (item.type !== "reasoning" || isOutput(next)) return undefined
  return invalid(facts.followerMissing(item.id ?? ""), "input")
}

/** What a model can have put out after its reasoning. */
function isOutput(item: InputItem | undefined): boolean {
  if (item === undefined) return false
  if ("role" in item) return item.role === "assistant"
  return !item.type.endsWith("_output")
}

function checkPairs(items: readonly InputItem[]): Verdict {
  const open = new Map<string, InputItem>()
  const called = new Set<string>()
  for (const item of items) {
    if (item.type === "function_call" || item.type === "custom_tool_call") {
      open.set(item.call_id, item)
      called.add(`${item.type} ${item.call_id}`)
    }
    if (item.type !== "function_call_output" && item.type !== "custom_tool_call_output") continue
    const isCustom = item.type === "custom_tool_call_output"
    if (!called.has(`${isCustom ? "custom_tool_call" : "function_call"} ${item.call_id}`)) {
      const fact = isCustom ? facts.customCallMissing : facts.callMissing
      return invalid(fact(item.call_id), "input")
    }
    open.delete(item.call_id)
  }
  const [unanswered] = open
  if (unanswered === undefined) return undefined
  const [callId, call] = unanswered
  const fact = call.type === "custom_tool_call" ? facts.customOutputMissing : facts.outputMissing
  return invalid(fact(callId), "input")
}

/** recorded: the status of an item that is not there. */
function unknownItem(id: string): Verdict {
  return { ...invalid(facts.itemUnknown(id), "input"), status: 404 }
}

/** recorded: the ends of the content. */
function shown(sealed: string): string {
  return `${sealed.slice(0, 4)}...${sealed.slice(-4)}`
}
