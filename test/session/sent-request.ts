/** A request as it went over the wire, read back for assertions. */

interface WireBlock {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly name?: string
  readonly content?: string | readonly { readonly text?: string }[]
  readonly is_error?: boolean
}

interface WireBody {
  readonly model: string
  readonly system?: readonly { readonly text: string }[]
  readonly messages: readonly { readonly role: string; readonly content: string | readonly WireBlock[] }[]
}

export interface SentRequest {
  readonly atMs: number
  readonly model: string
  /** The whole body as text. */
  readonly raw: string
  /** The text in front of the conversation: Baseline first, then the agent prompt. */
  readonly system: readonly string[]
  /** One line per block: `user: …`, `assistant: …`, `call: name`, `result: …`, `failed: …`. */
  readonly lines: readonly string[]
}

export function readRequest(bytes: Uint8Array, atMs: number): SentRequest {
  const raw = Buffer.from(bytes).toString("utf8")
  const body = JSON.parse(raw) as WireBody
  return {
    atMs,
    raw,
    model: body.model,
    system: (body.system ?? []).map((block) => block.text),
    lines: body.messages.flatMap(({ role, content }) =>
      typeof content === "string" ? [`${role}: ${content}`] : content.map((block) => lineOf(role, block)),
    ),
  }
}

function lineOf(role: string, block: WireBlock): string {
  if (block.type === "tool_use") return `call: ${block.name}`
  if (block.type === "thinking") return `thinking: ${block.thinking}`
  if (block.type !== "tool_result") return `${role}: ${block.text}`
  const text =
    typeof block.content === "string"
      ? block.content
      : (block.content ?? []).map((part) => part.text).join("")
  return `${block.is_error === true ? "failed" : "result"}: ${text}`
}

/** How the wire of the stage says a system message and a notice. */
export const saidBySystem = (text: string): string =>
  `user: <context-update from="runtime">\n${text}\n</context-update>`
export const noticed = (text: string): string => `user: <notice from="runtime">\n${text}\n</notice>`
