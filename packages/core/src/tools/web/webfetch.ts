/**
 * webfetch: the text of a document on the web; HTML as Markdown, images as images (TL1).
 *
 * Addresses that are not public are refused wherever a redirect or a name leads, unless the user allowed
 * the host. Time, size and redirects are limited; the output passes the bound of every tool (TO1).
 */
import { Effect, Schema } from "effect"
import { isImage, showGiven } from "../read-image.ts"
import { hostResources } from "../../permission/resources.ts"
import { type Tool, type ToolContext, ToolFailure, type ToolResult, defineTool } from "../tool.ts"
import type { Reach } from "./exchange.ts"
import { type Document, fetchDocument } from "./fetch-document.ts"

const timeoutDefaultMs = 30_000
const timeoutMaxMs = 120_000
const urlUnitsMax = 8_192

const Input = Schema.Struct({
  url: Schema.NonEmptyString.check(Schema.isMaxLength(urlUnitsMax)),
  format: Schema.optionalKey(Schema.Literals(["markdown", "html"])),
  timeoutMs: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: timeoutMaxMs }))),
})
type Input = typeof Input.Type

/** What may be reached is asked for each call. */
export const createWebfetchTool = (reach: () => Reach): Tool =>
  defineTool({
    name: "webfetch",
    description:
      "Fetches a document from the web by its URL (http or https) and returns its text: HTML as Markdown, other text as it is, an image as an image. Only public addresses.",
    inputSchema: {
      type: "object",
      properties: {
        url: { type: "string", minLength: 1, description: "Complete URL." },
        format: {
          type: "string",
          enum: ["markdown", "html"],
          description: "For HTML; markdown unless given.",
        },
        timeoutMs: {
          type: "integer",
          minimum: 1,
          maximum: 120_000,
          description: "Time limit in milliseconds; 30000 unless given.",
        },
      },
      required: ["url"],
      additionalProperties: false,
    },
    repeatable: true,
    readOnly: true,
    input: Input,
    resources: ({ url }) => Effect.succeed(hostResources(url)),
    run: (input, context) => fetchInput(input, reach(), context),
  })

const fetchInput = Effect.fnUntraced(function* (
  input: Input,
  reach: Reach,
  { mayFetch }: Pick<ToolContext, "mayFetch">,
): Effect.fn.Return<ToolResult, ToolFailure> {
  const timeoutMs = input.timeoutMs ?? timeoutDefaultMs
  const found = yield* Effect.tryPromise({
    try: async (interrupted) => {
      const signal = AbortSignal.any([interrupted, AbortSignal.timeout(timeoutMs)])
      const document = await fetchDocument(input.url, reach, signal, mayFetch)
      return { ...document, text: await textOf(document, input.format ?? "markdown", signal) }
    },
    catch: (error) => (error instanceof ToolFailure ? error : networkFailure(input.url, timeoutMs, error)),
  })
  const { status, statusText, url, body, contentType, text } = found
  if (status < 200 || status > 299) {
    const message = `${url.href} answered ${status} ${statusText}.`.replace(" .", ".")
    return yield* new ToolFailure({ code: "http_status", message })
  }
  if (isImage(body)) return yield* showGiven({ bytes: body, name: url.pathname })
  if (text === null) {
    const message = `${url.href} is not text but ${contentType || "of no known type"} (${body.length} bytes), and cannot be shown.`
    return yield* new ToolFailure({ code: "not_text", message })
  }
  const structured = { url: url.href, status, contentType, bytes: body.length }
  return { text: text === "" ? "(the document is empty)" : text, structured }
})

/** Null where there is no text to show. */
async function textOf(
  { status, body, contentType, url }: Document,
  format: "markdown" | "html",
  signal: AbortSignal,
): Promise<string | null> {
  if (status < 200 || status > 299 || isImage(body) || !isText(contentType, body)) return null
  const text = decode(body, contentType)
  if (format === "html" || !isHtml(contentType, text)) return text
  const { markdownOf } = await import("./html-markdown.ts")
  return markdownOf(text, url, signal)
}

const isHtml = (contentType: string, text: string): boolean =>
  contentType === ""
    ? /^\s*<(?:!doctype html|html)/i.test(text)
    : /^(?:text\/html|application\/xhtml\+xml)/.test(contentType)

/** By its type, and where that is missing or says nothing, by its bytes. */
function isText(contentType: string, body: Buffer): boolean {
  const type = contentType.split(";")[0]?.trim() ?? ""
  if (type === "" || type === "application/octet-stream") return !body.subarray(0, 8_192).includes(0)
  return /^text\/|[/+](?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-sh|xhtml\+xml|x-ndjson|graphql|sql)$/.test(
    type,
  )
}

/** In the character set that the header or the document names; UTF-8 where none is known. */
function decode(body: Buffer, contentType: string): string {
  const named = /charset=["']?([\w-]+)/.exec(contentType)?.[1]
  const stated = /<meta[^>]+charset=["']?([\w-]+)/i.exec(body.toString("latin1", 0, 1_024))?.[1]
  try {
    return new TextDecoder(named ?? stated ?? "utf-8").decode(body)
  } catch {
    return new TextDecoder().decode(body) // a name that nobody knows
  }
}

function networkFailure(url: string, timeoutMs: number, error: unknown): ToolFailure {
  const { name = "", code } = error as NodeJS.ErrnoException
  if (name === "TimeoutError" || name === "AbortError")
    return new ToolFailure({ code: "timeout", message: `${url} did not answer within ${timeoutMs} ms.` })
  const why = error instanceof Error ? error.message : String(error)
  return new ToolFailure({ code: "unreachable", message: `${url} cannot be reached: ${code ?? why}.` })
}
