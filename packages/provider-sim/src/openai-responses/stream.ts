/**
 * Stream: a response as typed server-sent events, in the provider's order (recorded).
 *
 *   response.created  response.in_progress
 *     ( output_item.added  [ content_part.added  deltas  …done  content_part.done ]
 *       output_item.done )*
 *   response.completed | response.incomplete
 *
 * Every event has the next `sequence_number`; deltas carry padding against eavesdroppers.
 */
import { paddingOf } from "../answer/answer.ts"
import type { JsonObject } from "../json.ts"
import type { Reply } from "../model.ts"
import { chunkText, textEvent } from "../stream.ts"
import type { StreamEvent } from "../stream.ts"
import { finalState, itemObject, responseObject, textPart } from "./response.ts"
import type { OutputItem, ResponseAnswer } from "./response.ts"

interface Draft {
  readonly type: string
  readonly part: StreamEvent["part"]
  readonly fields: JsonObject
}

export function streamEvents(answer: ResponseAnswer, reply: Reply): readonly StreamEvent[] {
  const isStrange = reply.unknownEvents === true
  const open = responseObject(answer, "in_progress")
  const state = finalState(answer)
  const closed = responseObject(answer, state)
  const drafts: readonly Draft[] = [
    draft("response.created", "other", {
      response: isStrange ? { ...open, sim_unknown_field: { a: [1] } } : open,
    }),
    draft("response.in_progress", "other", { response: open }),
    ...(isStrange ? [draft("response.sim_unknown_event", "other", { detail: { nested: true } })] : []),
    ...answer.output.flatMap((item, index) => itemDrafts(item, index, answer, reply)),
    draft(`response.${state}`, "stop", {
      response: isStrange ? { ...closed, sim_unknown_field: 7 } : closed,
    }),
  ]
  return drafts.map((item, sequence) =>
    event(item.type, item.part, item.fields, sequence, item.part === "delta" ? (reply.delayMs ?? 0) : 0),
  )
}

/** One event; the type is named twice, as on the wire. */
export function event(
  type: string,
  part: StreamEvent["part"],
  fields: JsonObject,
  sequence: number,
  afterMs = 0,
): StreamEvent {
  const data = JSON.stringify({ type, ...fields, sequence_number: sequence })
  return textEvent(type, part, `event: ${type}\ndata: ${data}\n\n`, afterMs)
}

function itemDrafts(item: OutputItem, index: number, answer: ResponseAnswer, reply: Reply): readonly Draft[] {
  const added = itemObject(item, "in_progress")
  return [
    draft("response.output_item.added", "start", {
      item: reply.unknownEvents === true ? { ...added, sim_unknown_field: "x" } : added,
      output_index: index,
    }),
    ...contentDrafts(item, { item_id: item.id, output_index: index }, answer, reply),
    draft("response.output_item.done", "other", {
      item: itemObject(item, "completed"),
      output_index: index,
    }),
  ]
}

function contentDrafts(
  item: OutputItem,
  place: JsonObject,
  answer: ResponseAnswer,
  reply: Reply,
): readonly Draft[] {
  const isPadded = answer.body.stream_options?.include_obfuscation !== false
  const deltas = (type: string, text: string, fields: JsonObject) =>
    chunkText(text, reply).map((delta, at) => {
      const padding = isPadded ? { obfuscation: paddingOf(item.id, at) } : {}
      return draft(type, "delta", { ...fields, delta, ...padding })
    })
  switch (item.type) {
    case "message": {
      const inside = { content_index: 0, ...place }
      return [
        draft("response.content_part.added", "other", { ...inside, part: textPart("") }),
        ...deltas("response.output_text.delta", item.text, { ...inside, logprobs: [] }),
        draft("response.output_text.done", "other", { ...inside, logprobs: [], text: item.text }),
        draft("response.content_part.done", "other", { ...inside, part: textPart(item.text) }),
      ]
    }
    case "function_call":
      return [
        ...deltas("response.function_call_arguments.delta", item.arguments, place),
        draft("response.function_call_arguments.done", "other", { ...place, arguments: item.arguments }),
      ]
    case "reasoning":
      // documented: the events of a summary.
      return item.summary.flatMap((text, at) => {
        const inside = { ...place, summary_index: at }
        const part = (shown: string) => ({ ...inside, part: { type: "summary_text", text: shown } })
        return [
          draft("response.reasoning_summary_part.added", "other", part("")),
          ...deltas("response.reasoning_summary_text.delta", text, inside),
          draft("response.reasoning_summary_text.done", "other", { ...inside, text }),
          draft("response.reasoning_summary_part.done", "other", part(text)),
        ]
      })
    case "hosted":
      // documented: how the provider tells that its tool works.
      return ["in_progress", "completed"].map((state) =>
        draft(`response.${String(item.item["type"])}.${state}`, "other", place),
      )
  }
}

function draft(type: string, part: StreamEvent["part"], fields: JsonObject): Draft {
  return { type, part, fields }
}
