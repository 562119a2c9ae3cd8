/**
 * The grammar of an AI SDK prompt, checked over messages (LL3).
 *
 *   tools → prompts → messages
 *   each call that the provider did not run is answered by the very next message
 *   instructions in time only where the model takes them; metadata belongs to the target
 *   the last message is the user's, an instruction or results
 *
 * What the provider behind the model object would refuse cannot be known here.
 */
import { type Fields, fieldsOf, isWellFormed, listOf, parseFields, textOf } from "../json-fields.ts"
import { checkImage, checkImages, type ImageState, seenBase64, startImages } from "../image/check.ts"
import { aiSdkImages } from "../image/rules.ts"
import { checkSegment, makeChainCheck, type Report } from "../request/checked-chain.ts"
import { checkNoHostedTools } from "../request/hosted-tools.ts"
import { nativeTag } from "../request/lowering.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, LintFault } from "../wire.ts"

export function lint(encoded: Encoded, target: Target): readonly LintFault[] {
  const systemRole = target.options.traits.systemRole === true
  const state = checkChain(encoded.blocks, { tag: nativeTag(target), systemRole })
  const faults = [...state.faults]
  const end = Math.max(0, encoded.blocks.length - 1)
  const report: Report = (rule, block, message) => void faults.push({ rule, block, message })
  if (state.open.length > 0) report("pairing", end, `calls without a result: ${state.open.join(", ")}`)
  if (state.role === "") report("role-last", end, "the request holds no message")
  else if (state.role === "assistant") report("role-last", end, "the last message is the model's")
  checkImages(state, encoded, target, aiSdkImages, report)
  checkNoHostedTools(target.options, report)
  return faults
}

interface Subject {
  readonly tag: string
  readonly systemRole: boolean
}

interface State extends ImageState {
  faults: LintFault[]
  segment: number
  toolNames: ReadonlySet<string>
  /** The latest message's role, empty before the first. */
  role: string
  /** Calls of the latest message that have no result yet. */
  open: readonly string[]
}

const checkChain = makeChainCheck<State, Subject>({
  start: () => ({ ...startImages(), faults: [], segment: 0, toolNames: new Set(), role: "", open: [] }),
  branch: (state) => ({ ...state, faults: [...state.faults] }),
  check: checkBlock,
  keyOf: ({ tag, systemRole }) => JSON.stringify([tag, systemRole]),
})

function checkBlock(state: State, block: Block, at: number, subject: Subject, report: Report): void {
  state.segment = checkSegment(state.segment, block, at, report)
  const value = parseFields(block.json)
  if (value === null) return report("block-shape", at, "the message is not a JSON object")
  if (!isWellFormed(block.json, value)) report("surrogate", at, "the message holds half of a surrogate pair")
  if (block.native !== null && block.native !== subject.tag)
    report("reasoning-native", at, "native content of another target")
  if (block.segment === "tools") return checkTool(state, textOf(value["name"]), at, report)
  const role = textOf(value["role"])
  if (block.role === null) {
    if (role !== "system") report("block-shape", at, "a prompt is not an instruction")
    return checkText(value["content"], at, report)
  }
  checkMessage(state, role, value, block, at, subject, report)
  state.role = role
}

function checkTool(state: State, name: string, at: number, report: Report): void {
  if (name === "") report("tool-name", at, "a tool has no name")
  else if (state.toolNames.has(name)) report("tool-unique", at, `the tool ${name} is defined twice`)
  state.toolNames = new Set([...state.toolNames, name])
}

function checkMessage(
  state: State,
  role: string,
  value: Fields,
  block: Block,
  at: number,
  { systemRole }: Subject,
  report: Report,
): void {
  const parts = listOf(value["content"]).map(fieldsOf)
  if (role === "tool") return checkResults(state, parts, at, report)
  if (state.open.length > 0) report("pairing", at, `calls without a result: ${state.open.join(", ")}`)
  state.open = []
  if (role === "system") {
    if (!systemRole) report("system-place", at, "the model takes no instruction here")
    return checkText(value["content"], at, report)
  }
  if (role !== "user" && role !== "assistant")
    return report("block-shape", at, `a message of the role ${role}`)
  if (parts.length === 0) report("text-empty", at, "a message without content")
  for (const part of parts) {
    if (part["type"] === "text") checkText(part["text"], at, report)
    else if (role === "user" && part["type"] === "file") checkFile(state, part, block, at, report)
    else if (role === "user") report("block-shape", at, `${textOf(part["type"])} in a user's message`)
  }
  const calls = parts.filter((part) => part["type"] === "tool-call" && part["providerExecuted"] !== true)
  state.open = calls.map((part) => textOf(part["toolCallId"]))
  if (new Set(state.open).size < calls.length) report("call-unique", at, "two calls have one id")
}

const checkFile = (state: State, file: Fields, block: Block, at: number, report: Report): void =>
  checkImage(state, seenBase64(file["data"], textOf(file["mediaType"]), block), aiSdkImages, at, report)

function checkResults(state: State, parts: readonly Fields[], at: number, report: Report): void {
  const ids = parts.map((part) => textOf(part["toolCallId"]))
  for (const id of ids) {
    if (!state.open.includes(id)) report("result-unknown", at, `${id} is no open call of the answer before`)
  }
  state.open = state.open.filter((id) => !ids.includes(id))
  for (const part of parts) checkText(fieldsOf(part["output"])["value"], at, report)
}

function checkText(text: unknown, at: number, report: Report): void {
  if (typeof text !== "string" || text.trim() === "")
    report("text-empty", at, "text without any visible character")
}
