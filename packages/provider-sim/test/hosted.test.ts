/** Tools that the provider runs: a script may use one where the request declares one. */
import { expect, test } from "vitest"
import { createProviderSim, scripted } from "../src/index.ts"
import type { SimRequest } from "../src/index.ts"
import { postGemini } from "./clients.ts"
import { postTo } from "./openai/requests.ts"
import { post, textOf } from "./requests.ts"

interface Row {
  readonly native: Readonly<Record<string, unknown>>
  readonly request: (tools: readonly object[], stream: boolean) => SimRequest
  readonly tool: object
  /** What the stream says of it. */
  readonly said: string
}

const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "a" } }
const item = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } }
const code = { executableCode: { language: "PYTHON", code: "print(1)" } }

const rows: Readonly<Record<string, Row>> = {
  "anthropic-messages": {
    native: search,
    request: (tools, stream) =>
      post({ model: "m", max_tokens: 99, messages: [{ role: "user", content: "a" }], tools, stream }),
    tool: { type: "web_search_20250305", name: "web_search" },
    said: `"content_block":${JSON.stringify({ ...search, input: {} })}`,
  },
  "openai-responses": {
    native: item,
    request: (tools, stream) => postTo("/v1/responses", { model: "m", input: "a", tools, stream }),
    tool: { type: "web_search" },
    said: `"type":"response.output_item.done","item":${JSON.stringify(item)}`,
  },
  gemini: {
    native: code,
    request: (tools, stream) =>
      postGemini(`/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`, {
        contents: [{ role: "user", parts: [{ text: "a" }] }],
        tools,
      }),
    tool: { codeExecution: {} },
    said: `"parts":[${JSON.stringify(code)}]`,
  },
}

test.each(Object.entries(rows))("%s: a scripted use is told as the provider tells it", (_, row) => {
  const reply = {
    blocks: [{ type: "hosted", native: row.native } as const, { type: "text", text: "b" } as const],
  }
  const sim = createProviderSim({ models: { m: scripted(() => reply) } })
  expect(textOf(sim.respond(row.request([row.tool], true), 0))).toContain(row.said)
  expect(textOf(sim.respond(row.request([row.tool], false), 0))).toContain(JSON.stringify(row.native))
  expect(textOf(sim.respond(row.request([], true), 0))).toContain("the request declares none")
  expect(sim.log.at(-1)).toMatchObject({ status: 500, defect: expect.stringContaining("Error: ") as string })
})
