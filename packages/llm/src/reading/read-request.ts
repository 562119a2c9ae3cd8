/**
 * Reading a body that anybody sent, for replays of recorded traffic: back to a canonical request.
 *
 * A wire says how its conversation, its tools and its settings are read. What it does not take is
 * named by its place; a rare form is left unread rather than supported.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Media } from "@holdfast/schema/media"
import type { Native } from "@holdfast/schema/message"
import { parseInput } from "../answer/call-input.ts"
import { isFields, parseFields, textOf } from "../json-fields.ts"
import type { RequestOptions } from "../options.ts"
import { isBlank } from "../request/runtime-words.ts"
import type { Segments, Target, ToolDefinition } from "../segments.ts"
import { ReadConversation } from "./conversation.ts"
import { FieldReader } from "./field-reader.ts"
import { ReadOptions } from "./read-options.ts"

export interface ReadRequest {
  readonly model: string
  readonly segments: Segments
  readonly options: RequestOptions
  /** Bytes of the images in the segments, by their hash. */
  readonly images: ReadonlyMap<string, Uint8Array>
  /** What the canonical request has no word for, by its place in the body. */
  readonly unread: readonly string[]
}

/** `tag`: whom it is for, and the model where the address named it. Null if it is no request of this wire. */
export type BodyReader = (
  body: string,
  tag: Pick<Target, "provider" | "endpoint"> & { readonly model?: string },
) => ReadRequest | null

export interface Reading {
  readonly top: FieldReader
  readonly said: ReadConversation
  readonly options: ReadOptions
  /** Whom native parts of the body belong to. */
  readonly of: Omit<Native, "opaque">
}

/** `conversation`: the member by which a body is known, and `read` gives the tools that are ours. */
export const makeReader =
  (
    conversation: string,
    modelIn: string,
    read: (reading: Reading) => readonly ToolDefinition[],
  ): BodyReader =>
  (body, { provider, endpoint, model: addressed }) => {
    const value = parseFields(body)
    if (value === null || !isConversation(value[conversation])) return null
    const top = new FieldReader(value)
    const named = textOf(top.take(modelIn))
    const model = addressed ?? named
    if (model === "") top.strange("no model")
    const said = new ReadConversation()
    const options = new ReadOptions()
    const tools = read({ top, said, options, of: { provider, endpoint, model } })
    const segments = said.segments(tools)
    return { model, segments, options: options.value(), images: said.images.bytes, unread: top.unread() }
  }

const isConversation = (value: unknown): boolean => Array.isArray(value) || typeof value === "string"

export interface ReadContent {
  readonly text: string
  readonly images: readonly Media[]
}

/** Parts as words with images: `textOf` and `imageOf` give null for a part that is none of theirs. */
export function readContent(
  parts: readonly FieldReader[],
  textOfPart: (part: FieldReader) => string | null,
  imageOf: (part: FieldReader) => Media | null,
): ReadContent {
  const texts: string[] = []
  const images: Media[] = []
  let isBehindText = false
  for (const part of parts) {
    const text = textOfPart(part)
    const media = text === null ? imageOf(part) : null
    // What stands between two images speaks of one of them, which no canonical content can say.
    if (media !== null && images.length > 0 && isBehindText) part.strange("image behind a text")
    if (text !== null) texts.push(text)
    else if (media === null) part.strange(textOf(part.peek("type")) || (part.left()[0] ?? "nothing"))
    else images.push(media)
    isBehindText = media === null
  }
  return { text: texts.join("\n"), images }
}

/** The same for parts that say what they are. */
export const readTyped = (
  parts: readonly FieldReader[],
  textType: string,
  imageType: string,
  imageOf: (part: FieldReader) => Media | null,
): ReadContent => {
  const is = (part: FieldReader, type: string) => part.peek("type") === type && part.take("type") === type
  return readContent(
    parts,
    (part) => (is(part, textType) ? part.text("text") : null),
    (part) => (is(part, imageType) ? imageOf(part) : null),
  )
}

/** The input of a call, which is a text. */
export function readArguments(at: FieldReader): Json {
  const given = at.text("arguments")
  // recorded: a call of a function without parameters may have no text at all.
  const input: Json = isBlank(given) ? {} : parseInput(given)
  if (!isFields(input)) at.strange("arguments that are no object")
  return input
}

/** How a wire declares tools. */
export interface ToolForms {
  /** Whether the provider runs it. */
  readonly isHosted: (tool: FieldReader) => boolean
  readonly read: (tool: FieldReader) => ReadTool
  readonly canBeStrict: (schema: JsonObject) => boolean
}

type ReadTool = ToolDefinition & { readonly strict: boolean }

export const readFunction = (
  at: FieldReader,
  inputSchema: JsonObject,
  strict = at.take("strict") === true,
): ReadTool => ({ name: at.text("name"), description: at.text("description"), inputSchema, strict })

/** The tools that are ours; those that the provider runs become an option. */
export function readTools(
  declared: readonly FieldReader[],
  options: ReadOptions,
  { isHosted, read, canBeStrict }: ToolForms,
): readonly ToolDefinition[] {
  const hostedTools = declared.filter(isHosted).map((tool) => tool.whole())
  if (hostedTools.length > 0) options.say({ model: { hostedTools } })
  const ours = declared.filter((tool) => !isHosted(tool)).map((at) => ({ at, ...read(at) }))
  if (ours.some(({ strict }) => strict)) {
    options.say({ traits: { strictTools: true } })
    // Strictness is the request's: each schema that allows it is enforced, or none is.
    for (const { strict, inputSchema, at } of ours) {
      if (strict !== canBeStrict(inputSchema)) at.strange("strict for some of the tools")
    }
  }
  return ours.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
}
