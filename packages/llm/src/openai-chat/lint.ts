/**
 * The grammar of Chat servers, checked over messages (LL3). Written from the grammar, not from
 * `encode`: it reads each message's text again and trusts nothing but its place.
 *
 *   tools → prompts → messages
 *   each call is answered once, directly behind its answer, before any other message
 *   instructions in time only where the server takes them; reasoning belongs to the target
 *   the last message is the user's, an instruction or a result
 */
import { type Fields, fieldsOf, isWellFormed, listOf, parseFields, textOf } from "../json-fields.ts"
import { callIdShapes, functionNameShape, toolCalled } from "../request/call-shape.ts"
import { branchCalls, checkSegment, makeChainCheck, type Report } from "../request/checked-chain.ts"
import { checkImage, checkImages, type ImageState, seenUrl, startImages } from "../image/check.ts"
import { openaiImages } from "../image/rules.ts"
import { checkNoHostedTools } from "../request/hosted-tools.ts"
import { nativeTag } from "../request/lowering.ts"
import { markerFaults } from "../request/markers.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, LintFault } from "../wire.ts"
import { markerPolicies } from "./place.ts"
import { checkParams, isClosed } from "./lint-params.ts"
import { type ChatProfile, profileOf, updateRoleOf } from "./profiles.ts"

export function lint(encoded: Encoded, target: Target): readonly LintFault[] {
  const profile = profileOf(target)
  const subject = { tag: nativeTag(target), profile, updateRole: updateRoleOf(profile, target) }
  // A copy: what is kept at the chain does not know where this request ends.
  const state = { ...checkChain(encoded.blocks, subject) }
  const faults = [...state.faults]
  const report: Report = (rule, block, message) => void faults.push({ rule, block, message })
  const end = Math.max(0, encoded.blocks.length - 1)
  checkPaired(state, end, report)
  if (state.role === "") report("role-last", end, "the request holds no message")
  else if (state.role === "assistant") report("role-last", end, "the last message is the model's")
  checkParams({ ...encoded, target, profile, toolNames: state.toolNames }, report)
  checkImages(state, encoded, target, openaiImages, report)
  checkNoHostedTools(target.options, report)
  if (state.images > 0 && !profile.takesImages) report("media-unread", end, "the server takes no images")
  return faults
}

/** The cap and the places of markers; they are chosen after the check of the request itself. */
export const lintMarkers = (
  blocks: readonly Block[],
  markers: readonly number[],
  kind: "openai" | "anthropic",
): readonly LintFault[] => markerFaults(blocks, markers, markerPolicies[kind].markersMax)

interface Subject {
  readonly tag: string
  readonly profile: ChatProfile
  readonly updateRole: string | null
}

interface State extends ImageState {
  faults: LintFault[]
  /** Position of the latest segment in the fixed order. */
  segment: number
  toolNames: ReadonlySet<string>
  /** The latest message's role, empty before the first. */
  role: string
  /** Calls of the latest answer that have no result yet. */
  open: Set<string>
  /** Every call so far. Shared with later states, which own what is behind the count. */
  callIds: Set<string>
  callCount: number
}

const start = (): State => ({
  ...startImages(),
  faults: [],
  segment: 0,
  toolNames: new Set(),
  role: "",
  open: new Set(),
  callIds: new Set(),
  callCount: 0,
})

const checkChain = makeChainCheck<State, Subject>({
  start,
  branch: branchCalls,
  check: checkBlock,
  keyOf: ({ tag, profile, updateRole }) => JSON.stringify([tag, profile.name, updateRole]),
})

function checkBlock(state: State, block: Block, at: number, subject: Subject, report: Report): void {
  state.segment = checkSegment(state.segment, block, at, report)
  const value = parseFields(block.json)
  if (value === null) return report("block-shape", at, "the message is not a JSON object")
  if (!isWellFormed(block.json, value)) report("surrogate", at, "the message holds half of a surrogate pair")
  if (block.segment === "tools") return checkTool(state, value, at, subject.profile, report)
  if (block.native !== null && block.native !== subject.tag) {
    report("reasoning-native", at, "native content of another target")
  }
  if (block.segment === "system" || block.segment === "agent") {
    if (value["role"] !== subject.profile.promptRole) report("block-shape", at, "a prompt of another role")
    return checkText(value, at, report)
  }
  checkMessage(state, value, block, at, subject, report)
}

function checkTool(state: State, value: Fields, at: number, profile: ChatProfile, report: Report): void {
  // A tool of another kind is somebody else's: only its name is known here.
  const isFunction = value["type"] === "function" || value["custom"] === undefined
  const definition = fieldsOf(isFunction ? value["function"] : value["custom"])
  const name = textOf(definition["name"])
  if (!functionNameShape.test(name)) report("tool-name", at, "a tool's name has an illegal shape")
  else if (state.toolNames.has(name)) report("tool-unique", at, `the tool ${name} is defined twice`)
  else state.toolNames = new Set([...state.toolNames, name])
  if (isFunction) checkSchema(definition, value["type"], at, profile, report)
}

function checkSchema(
  definition: Fields,
  type: unknown,
  at: number,
  profile: ChatProfile,
  report: Report,
): void {
  const name = textOf(definition["name"])
  const schema = fieldsOf(definition["parameters"])
  if (type !== "function" || schema["type"] !== "object" || typeof schema["properties"] !== "object") {
    return report("tool-schema", at, `the input of ${toolCalled(name)} is not an object with properties`)
  }
  if (["oneOf", "anyOf", "allOf", "not", "enum"].some((key) => schema[key] !== undefined)) {
    report("tool-schema", at, `the input of ${toolCalled(name)} is a union`)
  }
  // recorded: other servers pass over what OpenAI enforces.
  if (profile.name === "openai" && definition["strict"] === true && !isClosed(schema)) {
    report("tool-schema", at, `the tool ${name} is strict, but its schema leaves members open: close it`)
  }
}

const rolesOf: Readonly<Record<string, readonly string[]>> = {
  user: ["user", "tool"],
  assistant: ["assistant"],
  system: ["developer", "system"],
}

function checkMessage(
  state: State,
  value: Fields,
  block: Block,
  at: number,
  subject: Subject,
  report: Report,
): void {
  const role = textOf(value["role"])
  if (rolesOf[String(block.role)]?.includes(role) !== true) {
    return report("block-shape", at, `a message of the role ${role} on the wrong side`)
  }
  if (role !== "tool") checkPaired(state, at, report)
  const before = state.role
  state.role = role
  switch (role) {
    case "tool":
      return checkResult(state, value, at, subject.profile, report)
    case "assistant":
      return checkAnswer(state, value, at, subject, report)
    case "user":
      if (subject.profile.answersResults && before === "tool") {
        report("result-order", at, "a user's message follows a result without an answer between")
      }
      return Array.isArray(value["content"])
        ? checkParts(state, value["content"], block, at, report)
        : checkText(value, at, report)
    default:
      // `developer` and `system` are one role to a server that takes them here.
      if (subject.updateRole === null) report("system-place", at, "the server takes no such instruction here")
      return checkText(value, at, report)
  }
}

function checkText(value: Fields, at: number, report: Report): void {
  if (typeof value["content"] !== "string") return report("block-shape", at, "content that is not text")
  if (value["content"].trim() === "") report("text-empty", at, "text without any visible character")
}

/** Only the user's side brings images. */
function checkParts(
  state: State,
  content: readonly unknown[],
  block: Block,
  at: number,
  report: Report,
): void {
  if (content.length === 0) report("text-empty", at, "a message without content")
  for (const part of content.map(fieldsOf)) {
    if (part["type"] === "image_url") {
      const { url } = fieldsOf(part["image_url"])
      checkImage(state, seenUrl(url ?? part["image_url"], block), openaiImages, at, report)
    } else if (part["type"] === "text") checkText({ content: part["text"] }, at, report)
    else if (!isOtherPart(part)) {
      report("block-shape", at, `a part of the type ${textOf(part["type"])}`)
    }
  }
}

/** documented: what servers take beside text and images, and this project does not send. */
const otherParts: ReadonlySet<string> = new Set(["input_audio", "file", "video_url"])

/** Its content stands under the name of its type. */
const isOtherPart = (part: Fields): boolean => {
  const type = textOf(part["type"])
  return otherParts.has(type) && Object.keys(fieldsOf(part[type])).length > 0
}

/** Servers without a rule of their own take back whatever id they gave. */
const callIdShape = ({ name, callId }: ChatProfile): RegExp =>
  callId === "plain" && name !== "openai" ? /^\S+$/ : callIdShapes[callId]

function checkAnswer(state: State, value: Fields, at: number, subject: Subject, report: Report): void {
  const calls = listOf(value["tool_calls"])
  const silent = textOf(value["content"]).trim() === ""
  if (Array.isArray(value["content"])) report("block-shape", at, "an answer whose content is not text")
  if (calls.length === 0 && silent) report("text-empty", at, "an answer without text and calls")
  const { wantsEmptyReasoning } = subject.profile
  if (wantsEmptyReasoning && calls.length > 0 && typeof value["reasoning_content"] !== "string") {
    report("reasoning-lead", at, "an answer with calls does not bring its reasoning back")
  }
  for (const call of calls) {
    const { id, function: named } = fieldsOf(call)
    const { name, arguments: input } = fieldsOf(named)
    if (!callIdShape(subject.profile).test(textOf(id)))
      report("call-id", at, "a call's id has an illegal shape")
    if (!functionNameShape.test(textOf(name))) report("tool-name", at, "a call's name has an illegal shape")
    if (parseFields(textOf(input)) === null) report("call-input", at, "a call's arguments are no JSON object")
    if (state.callIds.has(textOf(id))) report("call-unique", at, `the call id ${textOf(id)} is used twice`)
    else state.callCount += 1
    state.callIds.add(textOf(id))
    state.open.add(textOf(id))
  }
}

function checkResult(state: State, value: Fields, at: number, profile: ChatProfile, report: Report): void {
  const id = textOf(value["tool_call_id"])
  if (!callIdShape(profile).test(id)) report("call-id", at, "a result's id has an illegal shape")
  if (!state.open.delete(id)) report("result-unknown", at, `${id} is no open call of the answer before`)
  if (textOf(value["content"]) === "") report("text-empty", at, `the result of ${id} is empty`)
}

function checkPaired(state: State, at: number, report: Report): void {
  if (state.open.size === 0) return
  report("pairing", at, `calls without a result: ${[...state.open].join(", ")}`)
  state.open = new Set()
}
