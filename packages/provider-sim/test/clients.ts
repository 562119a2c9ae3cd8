/** Clients of the tests: the smallest conversation with one tool, in the words of each wire. */
import type { SimRequest, WireName } from "../src/index.ts"
import { post } from "./requests.ts"
import { postTo } from "./openai/requests.ts"
import { base64, dataUrl } from "./pictures.ts"

interface Tool {
  readonly name: string
  readonly description: string
  readonly schema: object
}

export interface Client {
  readonly wire: WireName
  /** Further fields that are legal in its requests. */
  readonly extras: object
  /** The first request, and the second one, which answers the call in the first response. */
  begin(
    text: string,
    tool: Tool,
    /** A PNG that comes with the text. */
    picture?: Buffer,
  ): { readonly request: SimRequest; answer(response: never, result: string): SimRequest }
}

const anthropic: Client = {
  wire: "anthropic-messages",
  extras: {
    system: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }],
    temperature: 1,
    tool_choice: { type: "auto" },
  },
  begin(text, { name, description, schema }, picture) {
    const common = {
      model: "agent",
      max_tokens: 1_000,
      tools: [{ name, description, input_schema: schema }],
    }
    const source = picture && { type: "base64", media_type: "image/png", data: base64(picture) }
    const asked =
      source === undefined
        ? text
        : [
            { type: "image", source },
            { type: "text", text },
          ]
    const messages: readonly object[] = [{ role: "user", content: asked }]
    return {
      request: post({ ...common, messages }),
      answer(response: { content: { type: string; id: string }[] }, content) {
        const results = response.content
          .filter((block) => block.type === "tool_use")
          .map((block) => ({ type: "tool_result", tool_use_id: block.id, content }))
        const said = { role: "assistant", content: response.content }
        return post({ ...common, messages: [...messages, said, { role: "user", content: results }] })
      },
    }
  },
}

const openaiResponses: Client = {
  wire: "openai-responses",
  extras: {
    instructions: "x",
    reasoning: { effort: "low", summary: "auto" },
    text: { format: { type: "json_schema", name: "a", schema: { type: "object", properties: {} } } },
    tool_choice: { type: "function", name: "read" },
    metadata: { a: "b" },
  },
  begin(text, { name, description, schema }, picture) {
    const common = {
      model: "agent",
      store: false,
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "function", name, description, parameters: schema }],
    }
    const image = picture && { type: "input_image", image_url: dataUrl(picture), detail: "high" }
    const content = [...(image === undefined ? [] : [image]), { type: "input_text", text }]
    const input: readonly object[] = [{ role: "user", content }]
    return {
      request: postTo("/v1/responses", { ...common, input }),
      answer(response: { output: { type: string; call_id?: string }[] }, output) {
        const results = response.output
          .filter((item) => item.type === "function_call")
          .map((item) => ({ type: "function_call_output", call_id: item.call_id, output }))
        return postTo("/v1/responses", { ...common, input: [...input, ...response.output, ...results] })
      },
    }
  },
}

const openaiChat: Client = {
  wire: "openai-chat",
  extras: {
    tool_choice: { type: "function", function: { name: "read" } },
    response_format: { type: "json_schema", json_schema: { name: "a", schema: { type: "object" } } },
    stop: ["x"],
    metadata: { a: "b" },
  },
  begin(text, { name, description, schema }, picture) {
    const tools = [{ type: "function", function: { name, description, parameters: schema } }]
    const image = picture && { type: "image_url", image_url: { url: dataUrl(picture), detail: "low" } }
    const asked = image === undefined ? text : [image, { type: "text", text }]
    const messages: readonly object[] = [{ role: "user", content: asked }]
    return {
      request: postTo("/v1/chat/completions", { model: "agent", tools, messages }),
      answer(response: { choices: [{ message: { tool_calls: { id: string }[] } }] }, content) {
        const { message } = response.choices[0]
        const results = message.tool_calls.map((call) => ({ role: "tool", tool_call_id: call.id, content }))
        const all = [...messages, message, ...results]
        return postTo("/v1/chat/completions", { model: "agent", tools, messages: all })
      },
    }
  },
}

const gemini: Client = {
  wire: "gemini",
  extras: {
    systemInstruction: { parts: [{ text: "x" }] },
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read"] } },
    generationConfig: { maxOutputTokens: 100, temperature: 1, thinkingConfig: { includeThoughts: true } },
  },
  begin(text, { name, description, schema }, picture) {
    const path = "/v1beta/models/agent:generateContent"
    const tools = [{ functionDeclarations: [{ name, description, parameters: schema }] }]
    const image = picture && { inlineData: { mimeType: "image/png", data: base64(picture) } }
    const contents: readonly object[] = [
      { role: "user", parts: [...(image === undefined ? [] : [image]), { text }] },
    ]
    return {
      request: postGemini(path, { tools, contents }),
      answer(response: { candidates: [{ content: { parts: { functionCall?: object }[] } }] }, output) {
        const { content } = response.candidates[0]
        const results = content.parts
          .filter((part) => part.functionCall !== undefined)
          .map(() => ({ functionResponse: { name, response: { output } } }))
        return postGemini(path, { tools, contents: [...contents, content, { role: "user", parts: results }] })
      },
    }
  },
}

const bedrock: Client = {
  wire: "bedrock-converse",
  extras: {
    system: [{ text: "x" }, { cachePoint: { type: "default", ttl: "1h" } }],
    inferenceConfig: { maxTokens: 100, temperature: 1 },
    additionalModelRequestFields: { thinking: { type: "enabled" } },
  },
  begin(text, { name, description, schema }, picture) {
    const path = "/model/agent/converse"
    const toolConfig = { tools: [{ toolSpec: { name, description, inputSchema: { json: schema } } }] }
    const image = picture && { image: { format: "png", source: { bytes: base64(picture) } } }
    const messages: readonly object[] = [
      { role: "user", content: [...(image === undefined ? [] : [image]), { text }] },
    ]
    return {
      request: postTo(path, { toolConfig, messages }),
      answer(response: { output: { message: { content: { toolUse?: { toolUseId: string } }[] } } }, result) {
        const { message } = response.output
        const content = message.content.flatMap(({ toolUse: call }) =>
          call === undefined
            ? []
            : [{ toolResult: { toolUseId: call.toolUseId, content: [{ text: result }] } }],
        )
        return postTo(path, { toolConfig, messages: [...messages, message, { role: "user", content }] })
      },
    }
  },
}

export function postGemini(path: string, value: unknown): SimRequest {
  const headers = { "x-goog-api-key": "key", "content-type": "application/json" }
  return postTo(path, value, { headers })
}

export const clients: readonly Client[] = [anthropic, openaiResponses, openaiChat, gemini, bedrock]
