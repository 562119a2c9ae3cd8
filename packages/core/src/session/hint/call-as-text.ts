/**
 * Call as text: finds a call that a model wrote into its answer in place of making it.
 *
 * Models fall into the form of calls that they were trained on, or copy one from what they read. Only what
 * ends the answer counts, in a form that is known, with the name of a tool that is offered: an answer that
 * explains calls goes on behind them. Pure, and linear in the part that is looked at.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"

export interface CallAsText {
  readonly tool: string
  /** Null where it cannot be read. */
  readonly input: JsonObject | null
}

/** Of an answer, its end. */
const unitsMax = 65_536

export function findCallAsText(answer: string, isTool: (name: string) => boolean): CallAsText | null {
  const text = answer.slice(-unitsMax).trimEnd()
  if (!text.includes("{") && !text.includes("<")) return null // every form has one of them
  for (const find of forms) {
    const found = find(text)
    if (found !== null && isTool(found.tool)) return found
  }
  return null
}

type Form = (text: string) => CallAsText | null

/** `<tool_call>{"name": "read", "arguments": {…}}</tool_call>`, and its kin with other words and marks. */
function taggedJson(text: string): CallAsText | null {
  const opened = lastIndexOf(
    text,
    /<\|?(?:tool_call|tool_use|function_call|python_tag)\|?>|\[TOOL_CALLS?\]/gi,
  )
  if (opened === null) return null
  const inner = text.slice(opened.end).replace(/\s*(?:<[/|][^<>]{0,40}>|\[\/TOOL_CALLS?\])$/i, "")
  return namedCall(parsed(unfenced(inner)))
}

/** `<invoke name="read"><parameter name="path">a</parameter></invoke>`, also with `function=` and `parameter=`. */
function markedUp(text: string): CallAsText | null {
  const opened = lastIndexOf(
    text,
    /<(?:\w{1,16}:)?(?:invoke|function)(?: name)?= ?"?([a-zA-Z][\w-]{0,63})"?>/g,
  )
  if (opened === null) return null
  const inner = text.slice(opened.end)
  const closed = /<\/(?:\w{1,16}:)?(?:invoke|function)>(?:\s*<[/|][^<>]{0,40}>)*$/.exec(inner)
  if (closed === null) return null
  const body = inner.slice(0, closed.index)
  const plain = parsed(body)
  return { tool: opened.name, input: isObject(plain) ? plain : parametersIn(body) }
}

function parametersIn(body: string): JsonObject | null {
  const input: Record<string, Json> = {}
  const opening = /<(?:\w{1,16}:)?parameter(?: name)?= ?"?([\w-]{1,64})"?(?: [^<>]{0,40})?>/g
  for (let found = opening.exec(body); found !== null; found = opening.exec(body)) {
    const rest = body.slice(opening.lastIndex)
    const end = rest.search(/<\/(?:\w{1,16}:)?parameter>/)
    if (end === -1) return null
    input[found[1] ?? ""] = rest.slice(0, end)
    opening.lastIndex += end
  }
  return Object.keys(input).length === 0 ? null : input
}

/** `{"name": "read", "arguments": {…}}` as the last thing, alone or in a fence. */
function bareJson(text: string): CallAsText | null {
  const fence = /(?:^|\n)```[\w-]{0,20}\n([^]*?)\n```$/.exec(fencedEnd(text))
  const body = fence?.[1] ?? lastBlock(text)
  return body === null ? null : namedCall(parsed(body))
}

/** `read({"path": "a"})` as the last line. */
function writtenOut(text: string): CallAsText | null {
  const line = text.slice(text.lastIndexOf("\n", text.endsWith("\n```") ? text.length - 5 : undefined) + 1)
  const found = /^`{0,3}(?:functions\.)?([a-zA-Z][\w-]{0,63})\((\{[^]*\})\);?(?:\s*`{1,3})?$/.exec(
    line.trim(),
  )
  if (found === null) return null
  const input = parsed(found[2] ?? "")
  return isObject(input) ? { tool: found[1] ?? "", input } : null
}

/** `<|channel|>commentary to=functions.read …<|message|>{…}`, as open models leak it. */
function addressed(text: string): CallAsText | null {
  const opened = lastIndexOf(text, /\bto=functions\.([a-zA-Z][\w-]{0,63})\b/g)
  if (opened === null) return null
  const at = text.indexOf("{", opened.end)
  const input = at === -1 ? null : parsed(text.slice(at).replace(/<\|[^<>|]{1,20}\|>$/, ""))
  return isObject(input) ? { tool: opened.name, input } : null
}

const forms: readonly Form[] = [taggedJson, markedUp, addressed, bareJson, writtenOut]

interface Opened {
  readonly end: number
  readonly name: string
}

function lastIndexOf(text: string, pattern: RegExp): Opened | null {
  let last: Opened | null = null
  for (const { index, 0: all, 1: name = "" } of text.matchAll(pattern))
    last = { end: index + all.length, name }
  return last
}

/** From the last opening fence on. */
function fencedEnd(text: string): string {
  if (!text.endsWith("\n```")) return ""
  const at = text.lastIndexOf("\n```", text.length - 5)
  return at === -1 ? (text.startsWith("```") ? text : "") : text.slice(at)
}

/** What stands behind the last empty line, if it looks like an object; all of the text, if it does. */
function lastBlock(text: string): string | null {
  if (!text.endsWith("}")) return null
  if (text.startsWith("{")) return text
  const at = text.lastIndexOf("\n{")
  return at === -1 ? null : text.slice(at + 1)
}

const unfenced = (text: string): string => text.trim().replace(/^```[\w-]{0,20}\n|\n?```$/g, "")

function parsed(text: string): Json | null {
  try {
    return JSON.parse(text.trim()) as Json
  } catch {
    return null // no JSON, and so no call
  }
}

/** An object that names a tool and what it is given; of a list, its first. */
function namedCall(value: Json | null): CallAsText | null {
  const call = Array.isArray(value) ? ((value as readonly Json[])[0] ?? null) : value
  if (!isObject(call)) return null
  const { function: inner } = call
  if (isObject(inner)) return namedCall(inner)
  const tool = [call["name"], call["tool"], call["tool_name"], inner].find((name) => typeof name === "string")
  const given = [call["arguments"], call["input"], call["parameters"], call["args"]].find(
    (input) => input !== undefined,
  )
  if (tool === undefined || given === undefined) return null
  const input = typeof given === "string" ? parsed(given) : (given as Json)
  return { tool: tool as string, input: isObject(input) ? input : null }
}

const isObject = (value: Json | null | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
