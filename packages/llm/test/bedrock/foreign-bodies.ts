/** Converse bodies as other clients write them, and their replay. */
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import { type RequestReplay, replayRequest } from "../../src/recording/replay.ts"
import { base64Of, pixel } from "../any-wire/images.ts"

export const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
export const nova = "us.amazon.nova-lite-v1:0"
export const llama = "meta.llama3-3-70b-instruct-v1:0"
export const gptOss = "openai.gpt-oss-120b-1:0"
export const mistral = "mistral.mistral-large-2407-v1:0"
export const profileArn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc"

export const urlOf = (model: string) =>
  bedrockConverse.address("https://bedrock-runtime.us-east-1.amazonaws.com", model)

export function replay(body: object, model = claude): RequestReplay {
  const request = { method: "POST", url: urlOf(model), headers: {}, body: JSON.stringify(body) }
  return replayRequest(bedrockConverse, { request, response: { status: 200, headers: {}, body: "" } })
}

export type Blocks = readonly object[]

export const hi = { role: "user", content: [{ text: "Hi" }] }
export const said = (...content: Blocks) => ({ role: "user", content })
export const answered = (...content: Blocks) => ({ role: "assistant", content })
export const use = (id: string, input: object = { path: "a" }) => ({
  toolUse: { toolUseId: id, name: "read", input },
})
export const gave = (id: string, more: object = { content: [{ text: "x" }] }) => ({
  toolResult: { toolUseId: id, ...more },
})
export const image = { image: { format: "png", source: { bytes: base64Of(pixel) } } }
export const point = { cachePoint: { type: "default" } }
export const hourPoint = { cachePoint: { type: "default", ttl: "1h" } }
export const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
export const spec = { name: "read", description: "Reads.", inputSchema: { json: schema } }
export const readSpec = { toolSpec: spec }
export const grounding = { systemTool: { name: "nova_grounding" } }
export const toolConfig = { tools: [readSpec] }
export const asking = (more: object = {}) => ({
  messages: [hi],
  inferenceConfig: { maxTokens: 100 },
  ...more,
})
/** A loop in which the result is given as told. */
export const giving = (result: object, more: object = {}) =>
  asking({ toolConfig, messages: [hi, answered(use("t1")), said(gave("t1", result))], ...more })
export const thinking = { reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } }
export const format = (jsonSchema: object) => ({
  outputConfig: { textFormat: { type: "json_schema", structure: { jsonSchema } } },
})
export const fields = (additionalModelRequestFields: object, more: object = {}) =>
  asking({ additionalModelRequestFields, ...more })
