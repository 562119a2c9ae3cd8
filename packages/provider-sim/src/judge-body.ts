/**
 * A body that anybody wrote, judged as this provider would judge it, without a server.
 *
 * Nothing is known of the model beside its name, so that one is assumed which takes most: a body is
 * legal if a model that thinks takes it, or one that does not. Who sealed what cannot be known here
 * either: every seal that is there counts as the provider's own.
 */
import type { SimRequest } from "./exchange.ts"
import { isObject } from "./json.ts"
import type { ChatDialect, SimModel } from "./model.ts"
import { nameIn } from "./bedrock-converse/http.ts"
import { textReply } from "./scripted.ts"
import { sealReasoning, sealRedacted, sealThought, signThinking } from "./signature.ts"
import { createProviderSim } from "./sim.ts"

export interface BodyFault {
  readonly message: string
}

/** The first fault, as the provider words it. Null if no wire of this name is simulated, or the text is no object. */
export function judgeBody(wire: string, url: string, text: string): readonly BodyFault[] | null {
  const body = parse(text)
  const named = Object.hasOwn(paths, wire) ? paths[wire] : undefined
  if (named === undefined || !isObject(body)) return null
  const model = modelIn(url) ?? (typeof body["model"] === "string" ? body["model"] : "unnamed")
  const request: SimRequest = {
    method: "POST",
    path: named(encodeURIComponent(model)),
    headers: {
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      // Which betas were named cannot be known from a body.
      "anthropic-beta": "context-management-2025-06-27,mcp-client-2025-11-20",
    },
    body: Buffer.from(JSON.stringify(sealedAnew(body, model, body["store"] !== false))),
  }
  const faults = [false, true].map((thinking) => faultOf(request, model, thinking, dialectAt(url)))
  return faults.includes(null) ? [] : faults.slice(0, 1).map((message) => ({ message: message ?? "" }))
}

const paths: Readonly<Record<string, (model: string) => string>> = {
  "anthropic-messages": () => "/v1/messages",
  "openai-responses": () => "/v1/responses",
  "openai-chat": () => "/v1/chat/completions",
  gemini: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  "bedrock-converse": (model) => `/model/${model}/converse-stream`,
}

/** Larger than any request. */
const unlimited = 1_000_000_000

/** Null where nothing is wrong. */
function faultOf(request: SimRequest, name: string, thinking: boolean, dialect: ChatDialect): string | null {
  const model: SimModel = {
    limit: { context: unlimited, output: unlimited / 2 },
    systemRole: true,
    thinking,
    reply: () => textReply("Read."),
  }
  const sim = createProviderSim({ models: { [name]: model }, dialect })
  sim.respond(request, 0)
  return sim.log[0]?.error?.message ?? null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // Only a syntax error throws here, and what is no JSON is no body.
    return null
  }
}

/** The model that an address names. */
function modelIn(url: string): string | null {
  const { pathname } = new URL(url)
  const found = /\/models?\/([^/]+?)(?:\/converse(?:-stream)?|:\w+)$/.exec(pathname)?.[1]
  return found === undefined ? null : nameIn(decodeURIComponent(found))
}

const dialects: readonly ChatDialect[] = ["deepseek", "groq", "openrouter"]

const dialectAt = (url: string): ChatDialect =>
  dialects.find((name) => new URL(url).hostname.split(".").includes(name)) ?? "openai"

/** The body with its seals as this provider would have made them. */
function sealedAnew(value: unknown, model: string, stores: boolean): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => sealedAnew(item, model, stores))
  if (!isObject(value)) return value
  const copy = Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, sealedAnew(item, model, stores)]),
  )
  const thought = value["type"] === "thinking" ? value["thinking"] : value["text"]
  if (isSeal(value["signature"])) copy["signature"] = signThinking(model, String(thought))
  if (value["type"] === "redacted_thinking" && isSeal(value["data"]))
    copy["data"] = sealRedacted(model, "judged")
  // What only names itself was stored by the provider, unless the request says that nothing is.
  if (
    value["type"] === "reasoning" &&
    (isSeal(value["encrypted_content"]) || (stores && isSeal(value["id"])))
  )
    copy["encrypted_content"] = sealReasoning("judged")
  const { thoughtSignature: signature } = value
  if (isSeal(signature) && !signature.includes("_")) copy["thoughtSignature"] = sealThought(model)
  return copy
}

const isSeal = (value: unknown): value is string => typeof value === "string" && value !== ""
