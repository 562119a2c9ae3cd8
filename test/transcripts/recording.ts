/**
 * Sessions as scripts: what the user said, what the model answered and what the tools gave back, in
 * order. Some we have invented; the recordings of real ones lie beside the repository and are never
 * part of it.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { inventedItems, inventedMessages } from "./invented.ts"
import { readTranscripts, type Transcript } from "./transcript.ts"
import type { WireBlock, WireItem, WireMessage } from "./transcript.ts"

export interface RecordedCall {
  readonly name: string
  readonly input: JsonObject
  readonly result: string
  readonly failed: boolean
}

type RecordedBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call"; readonly call: RecordedCall }

/** One answer of the model, and the user's texts that stand right before it. */
export interface RecordedAnswer {
  readonly inputs: readonly string[]
  readonly blocks: readonly RecordedBlock[]
}

export interface Recording {
  readonly name: string
  readonly answers: readonly RecordedAnswer[]
}

/** Those that we have invented. */
export const inventedRecordings = (): readonly Recording[] => [
  ...inventedMessages.map(recordingOfMessages),
  ...inventedItems.map(recordingOfItems),
]

/** Real ones, in order of their wires and names; none where the data is absent. */
export const realRecordings = (): readonly Recording[] => [
  ...readTranscripts<WireMessage>("anthropic-messages").map(recordingOfMessages),
  ...readTranscripts<WireItem>("openai-responses").map(recordingOfItems),
]

const recordingOfMessages = ({ name, segments }: Transcript<WireMessage>) =>
  recordingOf(
    name,
    segments.flatMap(({ items }) => items),
  )
const recordingOfItems = ({ name, segments }: Transcript<WireItem>) =>
  recordingOf(name, messagesOfItems(segments.flatMap(({ items }) => items)))

export const callsOf = ({ blocks }: RecordedAnswer): readonly RecordedCall[] =>
  blocks.flatMap((block) => (block.type === "call" ? [block.call] : []))

/** Items as messages: the model's own ones between two of others are one answer. */
function messagesOfItems(items: readonly WireItem[]): readonly WireMessage[] {
  const messages: { readonly role: string; readonly content: WireBlock[] }[] = []
  for (const item of items) {
    const role =
      item.type.endsWith("_output") || (item.role ?? "assistant") !== "assistant" ? "user" : "assistant"
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(blockOfItem(item))
    else messages.push({ role, content: [blockOfItem(item)] })
  }
  return messages
}

function blockOfItem(item: WireItem): WireBlock {
  const { type, call_id: id = "", name = type } = item
  const textOf = (parts: WireItem["content"] = []) => parts.flatMap(({ text }) => text ?? []).join("\n")
  if (type === "reasoning") return { type: "thinking", thinking: textOf(item.summary) }
  if (type.endsWith("_output")) {
    const content = typeof item.output === "string" ? item.output : JSON.stringify(item.output ?? "")
    return { type: "tool_result", tool_use_id: id, content }
  }
  // A tool of the provider's own has no id and nobody here ran it; names of ours begin with a letter.
  if (type.endsWith("_call") && id !== "")
    return { type: "tool_use", id, name: name.replace(/^_+/, ""), input: inputOf(item) }
  return { type: "text", text: textOf(item.content) }
}

function inputOf({ arguments: given, input }: WireItem): JsonObject {
  if (typeof given === "string") return JSON.parse(given) as JsonObject
  return given === undefined ? { input: input ?? "" } : (given as JsonObject)
}

function recordingOf(name: string, items: readonly WireMessage[]): Recording {
  const results = readResults(items.flatMap(({ content }) => (typeof content === "string" ? [] : content)))
  const answers: RecordedAnswer[] = []
  let inputs: string[] = []
  for (const { role, content } of items) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
    if (role !== "assistant") {
      inputs.push(...blocks.flatMap((block) => legalInput(block)))
      continue
    }
    const said = blocks.flatMap((block) => readBlock(block, results))
    const before = answers.at(-1)
    // Two answers with nothing between them are one: nobody asked for the second.
    if (inputs.length === 0 && before !== undefined && callsOf(before).length === 0) {
      answers[answers.length - 1] = { ...before, blocks: [...before.blocks, ...said] }
    } else if (said.length > 0) {
      answers.push({ inputs, blocks: said })
      inputs = []
    }
  }
  return { name, answers }
}

type Results = ReadonlyMap<string, Pick<RecordedCall, "result" | "failed">>

function readResults(blocks: readonly WireBlock[]): Results {
  return new Map(
    blocks.flatMap(({ tool_use_id: id, content = "", is_error: failed = false }) => {
      if (id === undefined) return []
      const result =
        typeof content === "string" ? content : content.flatMap((part) => part.text ?? []).join("\n")
      return [[id, { result, failed }] as const]
    }),
  )
}

const legalInput = ({ type, text = "" }: WireBlock): readonly string[] =>
  type === "text" && text.trim() !== "" ? [text.toWellFormed().replaceAll("\0", "")] : []

/** Blank text and blank thinking are refused by the provider, so it cannot have sent them so. */
function readBlock(block: WireBlock, results: Results): readonly RecordedBlock[] {
  const { type, text = "", thinking = "", id = "", name = "", input = {} } = block
  if (type === "text" && text.trim() !== "") return [{ type: "text", text }]
  if (type === "thinking" && thinking.trim() !== "") return [{ type: "thinking", text: thinking }]
  if (type !== "tool_use") return []
  const { result, failed } = results.get(id) ?? { result: "No result was recorded.", failed: true }
  return [{ type: "call", call: { name, input, result, failed } }]
}
