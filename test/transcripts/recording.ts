/**
 * Recordings of real sessions as scripts: what the user said, what the model answered and what the
 * tools gave back, in order. The data lies beside the repository and is never part of it; where it
 * is absent there are no recordings.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { JsonObject } from "@holdfast/schema/json"

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

const folder = join(import.meta.dirname, "../../../shared/data/transcripts/anthropic-messages")

/** All recordings, in order of their names; none where the data is absent. */
export function loadRecordings(): readonly Recording[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => readRecording(file.slice(0, 8), readFileSync(join(folder, file), "utf8")))
}

export const callsOf = ({ blocks }: RecordedAnswer): readonly RecordedCall[] =>
  blocks.flatMap((block) => (block.type === "call" ? [block.call] : []))

interface WireBlock {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly id?: string
  readonly name?: string
  readonly input?: JsonObject
  readonly tool_use_id?: string
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[]
  readonly is_error?: boolean
}

interface WireTranscript {
  readonly segments: readonly {
    readonly items: readonly { readonly role: string; readonly content: string | readonly WireBlock[] }[]
  }[]
}

/** A segment begins where the recorded agent had compacted; its summary is one more input here. */
function readRecording(name: string, text: string): Recording {
  const items = (JSON.parse(text) as WireTranscript).segments.flatMap((segment) => segment.items)
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
