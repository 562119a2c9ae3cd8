/**
 * InvokeModel: `POST /model/{id}/invoke`, or `invoke-with-response-stream`, with the body that the
 * model itself reads. Only the Messages API of Anthropic is read here, under Bedrock's rules of HTTP:
 * the model and whether to stream stand in the path, versions and betas in the body (documented).
 */
import { anthropicMessages } from "../anthropic-messages/index.ts"
import type { CacheMeasure } from "../anthropic-messages/marker-cache.ts"
import type { AnswerMessage } from "../anthropic-messages/message.ts"
import type { MessagesBody } from "../anthropic-messages/request-body.ts"
import { wordOf } from "../json.ts"
import type { JsonObject } from "../json.ts"
import type { Accepted, SimWire } from "../sim-wire.ts"
import type { StreamEvent } from "../stream.ts"
import { errorBody, invalid } from "./error.ts"
import { eventFrame, frame } from "./event-stream.ts"
import { facts } from "./facts.ts"
import { faultForms, kindOf } from "./faults.ts"
import { bedrockConverse } from "./index.ts"
import { readPath } from "./http.ts"

const { asides: _, checkParams, ...messages } = anthropicMessages

export const bedrockInvoke: SimWire<MessagesBody, CacheMeasure, AnswerMessage> = {
  ...messages,
  name: "bedrock-converse",
  claims: (request) => readPath(request)?.operation.startsWith("invoke") === true,
  resembles: () => false,
  notFound: bedrockConverse.notFound,
  requestIdOf: bedrockConverse.requestIdOf,
  checkHttp: bedrockConverse.checkHttp,
  notJson: bedrockConverse.notJson,
  nameOf: bedrockConverse.nameOf,
  modelUnknown: bedrockConverse.modelUnknown,
  checkParams({ anthropic_version: version, anthropic_beta: _betas, ...params }, dialect) {
    // documented: it must be there. The wording is assumed.
    if (typeof version !== "string") return invalid(facts.versionMissing)
    const foreign = ["model", "stream"].find((name) => Object.hasOwn(params, name))
    if (foreign !== undefined) return invalid(facts.extraneous(foreign))
    return checkParams?.({ ...params, model: "" }, dialect)
  },
  checkBody: (accepted) => messages.checkBody(asMessages(accepted)),
  doubtsOf: (accepted) => messages.doubtsOf?.(asMessages(accepted)) ?? [],
  createCache() {
    const cache = messages.createCache()
    return {
      ...cache,
      measure: (accepted, tokensMin) => cache.measure(asMessages(accepted), tokensMin),
    }
  },
  view: (accepted, callIndex) => messages.view(asMessages(accepted), callIndex),
  build: (accepted, reply, measure) => messages.build(asMessages(accepted), reply, measure),
  wantsStream: ({ request }) => readPath(request)?.operation === "invoke-with-response-stream",
  events: (answer, reply) => messages.events(answer, reply).map(chunkOf),
  headers: (content, requestId, refused) =>
    bedrockConverse.headers(content, requestId, refused && kindOf(refused)),
  errorBody,
  faults: {
    ...faultForms,
    broken: { ...faultForms.broken, bytes: chunkFrame('{"bytes":"eyJ0e') },
    endless(events) {
      const { head, more } = messages.faults.endless([])
      return { head: [...events.slice(0, 1), ...head.map(chunkOf)], more: chunkOf(more) }
    },
  },
}

/** The request as it would have come to Anthropic. */
function asMessages(accepted: Accepted<MessagesBody>): Accepted<MessagesBody> {
  const {
    anthropic_version: _version,
    anthropic_beta: betas,
    ...params
  } = accepted.body as JsonObject & MessagesBody
  const headers = {
    ...accepted.request.headers,
    ...(Array.isArray(betas) && { "anthropic-beta": betas.map(wordOf).join(",") }),
  }
  return {
    ...accepted,
    request: { ...accepted.request, headers },
    body: { ...params, model: accepted.name } as MessagesBody,
  }
}

/** documented: the events of the model, each inside of a frame. */
function chunkOf({ type, part, afterMs, bytes }: StreamEvent): StreamEvent {
  const data = /^data: (.*)$/m.exec(Buffer.from(bytes).toString())?.[1] ?? ""
  return { ...eventFrame("chunk", part, { bytes: Buffer.from(data).toString("base64") }, afterMs), type }
}

function chunkFrame(payload: string): Uint8Array {
  return frame(
    { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" },
    payload,
  )
}
