/**
 * Recordings: traffic of a provider as a file, one exchange after another.
 *
 * Bodies are whole texts; an answer that is no text is base64. What is in a file was written by
 * others: reading one gives a recording or a sentence that says what is wrong, and throws nothing.
 */
import { fieldsOf, headersOf, isFields, parseFields, textOf } from "../json-fields.ts"

export interface Recording {
  readonly version: 1
  readonly metadata: Readonly<Record<string, unknown>>
  readonly interactions: readonly Interaction[]
}

export interface Interaction {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly bodyEncoding?: "base64"
  }
}

export const notAnObject = "It is not a JSON object."

/** A recording, or what is wrong with the text. */
export function readRecording(text: string): Recording | string {
  const value = parseFields(text)
  if (value === null) return notAnObject
  if (value["version"] === undefined) return "It says no version, so it is no recording."
  if (value["version"] !== 1) return `It has the version ${JSON.stringify(value["version"])}; 1 can be read.`
  if (!Array.isArray(value["interactions"]) || value["interactions"].length === 0)
    return "It has no interactions."
  const interactions: Interaction[] = []
  for (const [at, item] of value["interactions"].entries()) {
    const interaction = readInteraction(item)
    if (typeof interaction === "string") return `Its interaction ${at} ${interaction}`
    interactions.push(interaction)
  }
  return { version: 1, metadata: fieldsOf(value["metadata"]), interactions }
}

/** The answer as it came over the network. */
export const answerBytes = ({ response }: Interaction): Uint8Array =>
  Buffer.from(response.body, response.bodyEncoding === "base64" ? "base64" : "utf8")

function readInteraction(item: unknown): Interaction | string {
  const { request, response } = fieldsOf(item)
  if (!isFields(request) || !isFields(response)) return "lacks its request or its response."
  const url = textOf(request["url"])
  if (!URL.canParse(url)) return "has no address that can be read."
  if (typeof request["body"] !== "string") return "has a request without a body."
  if (typeof response["body"] !== "string") return "has a response without a body."
  if (!Number.isInteger(response["status"])) return "has a response without a status."
  const base64 = response["bodyEncoding"] === "base64"
  return {
    request: {
      method: textOf(request["method"]),
      url,
      headers: headersOf(request["headers"]),
      body: request["body"],
    },
    response: {
      status: response["status"] as number,
      headers: headersOf(response["headers"]),
      body: response["body"],
      ...(base64 ? { bodyEncoding: "base64" as const } : {}),
    },
  }
}
