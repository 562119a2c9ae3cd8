/**
 * What a Gemini body means, so that two of them can be compared (LL1).
 *
 * Both are written in one form: one spelling, contents of one role merged, responses in the order of
 * their calls and by what they say, prompts joined as this project joins them, defaults left out.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import { isBlank, wordsOfResult } from "../request/runtime-words.ts"
import { standInSignatures } from "./entry.ts"
import { partTools } from "./hosted-tool.ts"
import { findCall, signatureOf } from "./native.ts"
import { saidInResponse } from "./part-shape.ts"
import { structuredSchema } from "./read-options.ts"
import { schemaOf } from "./read-request.ts"
import { projectParameters, projectSchema } from "./schema-projection.ts"
import { oneSpelling, plainBase64 } from "./spelling.ts"

/** `asked`: the recorded body, which may leave to the provider what this project always says. */
export function bodyMeaning(body: Fields, asked: Fields): Fields {
  const {
    model: _,
    systemInstruction,
    contents,
    tools,
    toolConfig,
    generationConfig,
    ...rest
  } = oneSpelling(body)
  const parted = partTools(tools)
  const names = parted.functions.map((tool) => textOf(fieldsOf(tool)["name"]))
  const config = fieldsOf(oneSpelling(asked)["generationConfig"])
  return withoutEmpty({
    ...rest,
    systemInstruction: joinedPrompts(systemInstruction),
    contents: contentsMeaning(listOf(contents).map(fieldsOf)),
    functions: parted.functions.map((tool) => functionMeaning(fieldsOf(tool))),
    hosted: parted.hosted,
    toolConfig: toolConfigMeaning(fieldsOf(toolConfig), names),
    generationConfig: configMeaning(fieldsOf(generationConfig), config),
  })
}

/** Without members that hold nothing. */
const withoutEmpty = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isFields(value) && Object.keys(value).length === 0)

/** The role of an instruction says nothing. */
function joinedPrompts(instruction: unknown): string {
  const texts = listOf(fieldsOf(instruction)["parts"]).map((part) => textOf(fieldsOf(part)["text"]))
  return texts.filter((text) => !isBlank(text)).join("\n\n")
}

interface Content {
  readonly role: unknown
  readonly parts: readonly Fields[]
}

function contentsMeaning(contents: readonly Fields[]): readonly Content[] {
  const merged: Content[] = []
  for (const content of contents) {
    const { role = "user" } = content
    // documented: a content without a role is the user's, and so are responses of functions.
    const speaker = role === "function" ? "user" : role
    const given = listOf(content["parts"]).map((part) => partMeaning(fieldsOf(part)))
    const said = given.filter((part) => !isBlankText(part))
    const parts = said.length === 0 ? given : said
    const before = merged.at(-1)
    if (before === undefined || before.role !== speaker) merged.push({ role: speaker, parts })
    else merged[merged.length - 1] = { role: speaker, parts: [...before.parts, ...parts] }
  }
  return merged.map((content, at) =>
    content.role === "user"
      ? { role: "user", parts: inputMeaning(content.parts, merged[at - 1]?.parts ?? []) }
      : content,
  )
}

/** A blank without a signature says nothing. */
const isBlankText = (part: Fields): boolean =>
  Object.keys(part).length === 1 && typeof part["text"] === "string" && isBlank(part["text"])

function partMeaning(part: Fields): Fields {
  const { thoughtSignature: _, thought, ...data } = part
  const signature = signatureOf(part)
  const call = data["functionCall"]
  const bare = signature !== null && Object.keys(data).length === 0
  // A stand-in says that there is no signature.
  const signed = signature !== null && !(isFields(call) && standInSignatures.has(signature))
  return {
    ...(bare ? { text: "" } : data),
    ...(isFields(call) ? { functionCall: { args: {}, ...call } } : {}),
    ...(thought === undefined || thought === false ? {} : { thought }),
    ...(signed ? { thoughtSignature: plainBase64(signature) } : {}),
  }
}

/** What follows an answer: what its calls gave, in their order, then the rest. */
function inputMeaning(parts: readonly Fields[], answer: readonly Fields[]): readonly Fields[] {
  const behind = parts.findIndex((part) => !isFields(part["functionResponse"]))
  const responses = behind < 0 ? parts : parts.slice(0, behind)
  if (responses.length === 0) return parts
  const rest = parts.slice(responses.length)
  const calls = answer.flatMap((part) => (isFields(part["functionCall"]) ? [part["functionCall"]] : []))
  const paired = inCallOrder(
    responses.map((part) => fieldsOf(part["functionResponse"])),
    calls.map((call) => ({ name: textOf(call["name"]), id: textOf(call["id"]) })),
  )
  const shown = imagesOfResults(rest)
  const given = paired.map((response, at) => responseMeaning(response, shown?.[at + 1] ?? []))
  return [...given, ...(shown === null ? rest : rest.slice(Object.values(shown).flat().length + 1))]
}

/** Responses with the ids of their calls: an id is there to tell calls apart. */
function inCallOrder(
  responses: readonly Fields[],
  calls: readonly { readonly name: string; readonly id: string }[],
): readonly Fields[] {
  const open = calls.map((call, at) => ({ ...call, at }))
  const placed = responses.map((response) => {
    const found = findCall(open, textOf(response["name"]), textOf(response["id"]))
    const [call] = found < 0 ? [] : open.splice(found, 1)
    if (call === undefined) return { at: calls.length, response }
    const { id: _, ...others } = response
    return { at: call.at, response: call.id === "" ? others : { ...others, id: call.id } }
  })
  return placed.toSorted((a, b) => a.at - b.at).map(({ response }) => response)
}

/** A result is a text with images: an object stands for its JSON, a wrapper for what it holds. */
function responseMeaning(response: Fields, behind: readonly unknown[]): Fields {
  const { response: given, parts, willContinue, ...others } = response
  const { text, failed } = saidInResponse(given, textOf(response["name"]))
  const images = [...listOf(parts).map((part) => fieldsOf(part)["inlineData"] ?? part), ...behind]
  return {
    functionResponse: {
      ...others,
      ...(willContinue === undefined || willContinue === false ? {} : { willContinue }),
      text: wordsOfResult(text, images.length > 0),
      failed,
      images,
    },
  }
}

/** Our words on images that stand behind the results they belong to; image/behind-results.ts writes them. */
const behindResults =
  /^<notice from="runtime">\nThese images belong to the results above, in this order:\n((?:- of result \d+, .*\n)+)<\/notice>$/

/** The images at the beginning, by the number of their result; null unless our words say whose they are. */
function imagesOfResults(parts: readonly Fields[]): Readonly<Record<number, readonly unknown[]>> | null {
  const end = parts.findIndex((part) => !isFields(part["inlineData"]))
  const words = behindResults.exec(textOf(parts[end]?.["text"]))
  const numbers = [...(words?.[1] ?? "").matchAll(/^- of result (\d+), /gm)].map(([, number]) =>
    Number(number),
  )
  if (words === null || numbers.length !== end) return null
  const shown: Record<number, unknown[]> = {}
  numbers.forEach((number, at) => (shown[number] ??= []).push(parts[at]?.["inlineData"]))
  return shown
}

/** What its schema says in the provider's language, whichever it was written in. */
function functionMeaning(tool: Fields): Fields {
  const { parameters: _p, parametersJsonSchema: _j, behavior, ...others } = tool
  const schema = schemaOf(tool)
  const plain = behavior === undefined || behavior === "BLOCKING" || behavior === "UNSPECIFIED"
  return withoutEmpty({
    ...others,
    ...(plain ? {} : { behavior }),
    parameters: isFields(schema) ? (projectParameters(schema as JsonObject) ?? {}) : schema,
  })
}

function toolConfigMeaning(config: Fields, declared: readonly string[]): Fields {
  const { functionCallingConfig, includeServerSideToolInvocations: told, ...others } = config
  const { mode, allowedFunctionNames, ...more } = fieldsOf(functionCallingConfig)
  const given = textOf(mode).toUpperCase()
  const choice = given === "MODE_UNSPECIFIED" || given === "" ? "AUTO" : given
  const allowed = [...new Set(listOf(allowedFunctionNames))].toSorted()
  // Who may call any of some functions may call any, if those are all.
  const all = choice === "ANY" && declared.length > 0 && declared.every((name) => allowed.includes(name))
  const idle = choice === "AUTO" || (choice === "NONE" && declared.length === 0)
  return withoutEmpty({
    ...others,
    ...(told === true ? { told } : {}),
    functionCallingConfig: withoutEmpty({
      ...more,
      ...(idle && allowed.length === 0 ? {} : { mode: choice }),
      allowedFunctionNames: all && allowed.length === declared.length ? [] : allowed,
    }),
  })
}

function configMeaning(config: Fields, asked: Fields): Fields {
  const { maxOutputTokens, thinkingConfig, ...others } = config
  const schema = structuredSchema(config)
  const { responseSchema: _s, responseJsonSchema: _j, ...unstructured } = others
  return withoutEmpty({
    ...(schema === null ? others : { ...unstructured, answer: projectSchema(schema) }),
    ...(asked["maxOutputTokens"] === undefined ? {} : { maxOutputTokens }),
    thinkingConfig: thinkingMeaning(fieldsOf(thinkingConfig), fieldsOf(asked["thinkingConfig"])),
  })
}

/** That thoughts are told is our policy; where there are none, nothing can be told. */
function thinkingMeaning(config: Fields, asked: Fields): Fields {
  const { includeThoughts, thinkingLevel, ...others } = config
  const told = includeThoughts === true && asked["includeThoughts"] === true
  return {
    ...others,
    ...(thinkingLevel === undefined ? {} : { thinkingLevel: textOf(thinkingLevel).toLowerCase() }),
    ...(told && others["thinkingBudget"] !== 0 ? { includeThoughts } : {}),
  }
}
