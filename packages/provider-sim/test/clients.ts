/** Clients of the tests: the smallest conversation with one tool, in the words of each wire. */
import type { SimRequest, WireName } from "../src/index.ts"
import { post } from "./requests.ts"
import { postTo } from "./openai/requests.ts"

interface Tool {
  readonly name: string
  readonly description: string
  readonly schema: object
}

export interface Client {
  readonly wire: WireName
  /** The first request, and the second one, which answers the call in the first response. */
  begin(
    text: string,
    tool: Tool,
  ): { readonly request: SimRequest; answer(response: never, result: string): SimRequest }
}

const anthropic: Client = {
  wire: "anthropic-messages",
  begin(text, { name, description, schema }) {
    const common = {
      model: "agent",
      max_tokens: 1_000,
      tools: [{ name, description, input_schema: schema }],
    }
    const messages: readonly object[] = [{ role: "user", content: text }]
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
  begin(text, { name, description, schema }) {
    const common = {
      model: "agent",
      store: false,
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "function", name, description, parameters: schema }],
    }
    const input: readonly object[] = [{ role: "user", content: [{ type: "input_text", text }] }]
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
  begin(text, { name, description, schema }) {
    const tools = [{ type: "function", function: { name, description, parameters: schema } }]
    const messages: readonly object[] = [{ role: "user", content: text }]
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

export const clients: readonly Client[] = [anthropic, openaiResponses, openaiChat]
