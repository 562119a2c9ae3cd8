/**
 * Body: the shape of a `generateContent` request that has passed validation.
 *
 * Only the validators of this folder may claim that a value has this shape. The names are those of
 * the JSON form; a request may use those of the protocol buffers too, and null for what is not there
 * (documented).
 */
import { reread } from "../json.ts"
import type { JsonObject, Reading } from "../json.ts"

export interface GeminiPart {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly inlineData?: JsonObject
  readonly fileData?: JsonObject
  readonly functionCall?: { readonly name: string; readonly args?: JsonObject; readonly id?: string }
  readonly functionResponse?: {
    readonly name: string
    readonly response: JsonObject
    readonly id?: string
    readonly parts?: readonly GeminiPart[]
  }
}

export interface GeminiContent {
  readonly role?: "user" | "model"
  readonly parts: readonly GeminiPart[]
}

export interface GeminiDeclaration {
  readonly name: string
  readonly description?: string
  readonly parameters?: JsonObject
  readonly parametersJsonSchema?: JsonObject
}

/** Functions, and members that name a tool of the provider. */
export interface GeminiTool {
  readonly functionDeclarations?: readonly GeminiDeclaration[]
}

export interface GeminiBody {
  readonly contents: readonly GeminiContent[]
  readonly systemInstruction?: { readonly parts: readonly GeminiPart[] }
  readonly tools?: readonly GeminiTool[]
  readonly toolConfig?: {
    readonly includeServerSideToolInvocations?: boolean
    readonly functionCallingConfig?: {
      readonly mode?: string
      readonly allowedFunctionNames?: readonly string[] | null
    }
  }
  readonly generationConfig?: {
    readonly maxOutputTokens?: number
    readonly temperature?: number
    readonly stopSequences?: readonly string[]
    readonly responseMimeType?: string
    readonly responseSchema?: JsonObject
    readonly responseJsonSchema?: JsonObject
    readonly thinkingConfig?: {
      readonly includeThoughts?: boolean
      readonly thinkingBudget?: number
      readonly thinkingLevel?: string
    }
  }
  readonly cachedContent?: string
}

const reading: Reading = {
  nameOf: (key) => key.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  untouched: new Set(
    "args response parametersJsonSchema responseJsonSchema labels default example enum required".split(" "),
  ),
  maps: new Set(["properties"]),
}

/** The body in the names of its JSON form. */
export const readBody = (body: JsonObject): JsonObject => reread(body, reading)

export function declarationsOf(body: GeminiBody): readonly GeminiDeclaration[] {
  return (body.tools ?? []).flatMap((tool) => tool.functionDeclarations ?? [])
}

export function hasHostedTools(body: GeminiBody): boolean {
  return (body.tools ?? []).some((tool) =>
    Object.keys(tool).some((member) => member !== "functionDeclarations"),
  )
}

export function callsOf(content: GeminiContent | undefined): readonly GeminiPart[] {
  return (content?.parts ?? []).filter((part) => part.functionCall !== undefined)
}

export function responsesOf(content: GeminiContent | undefined): readonly GeminiPart[] {
  return (content?.parts ?? []).filter((part) => part.functionResponse !== undefined)
}

/** The wire has no ids of its own: a call is named by its place, and so is its response. */
export function callIdAt(contentIndex: number, order: number): string {
  return `call_${contentIndex}_${order}`
}
