/** Totality: whatever a client sends, the provider answers and every refusal has its shape. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { createProviderSim, offlineAgent } from "../../src/index.ts"
import { errorOf, post } from "../requests.ts"

const words = fc.constantFrom(
  "",
  " ",
  "a",
  "user",
  "assistant",
  "system",
  "t1",
  "README.md",
  "run `ls`",
  "<system-x>",
  "\ud800",
)
const block = fc.record(
  {
    type: fc.constantFrom("text", "tool_use", "tool_result", "thinking", "redacted_thinking", "image", "x"),
    text: words,
    id: words,
    tool_use_id: words,
    name: words,
    input: fc.oneof(words, fc.constant({}), fc.constant({ path: "a.md" })),
    content: fc.oneof(words, fc.constant([]), fc.constant([{ type: "text", text: "x" }]), fc.constant(null)),
    thinking: words,
    signature: words,
    data: words,
    source: fc.oneof(words, fc.constant({ type: "url" })),
    cache_control: fc.constantFrom(null, { type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }, 1),
  },
  { requiredKeys: ["type"] },
)
const message = fc.record({
  role: fc.constantFrom("user", "assistant", "system", "tool"),
  content: fc.oneof(words, fc.array(fc.oneof(block, fc.record({ type: fc.constant("text"), text: words })))),
})
const request = fc.record(
  {
    model: fc.constantFrom("agent", "", "constructor"),
    max_tokens: fc.constantFrom(1, 100, 2_000, -1, "x"),
    messages: fc.oneof(fc.array(message, { maxLength: 5 }), fc.jsonValue()),
    system: fc.oneof(words, fc.array(block, { maxLength: 2 })),
    stream: fc.constantFrom(true, false, 1),
    thinking: fc.constantFrom(
      { type: "enabled", budget_tokens: 1_024 },
      { type: "disabled" },
      { type: "adaptive" },
      7,
    ),
    tools: fc.constantFrom([], [{ name: "read", input_schema: { type: "object" } }], [null], 3),
    tool_choice: fc.constantFrom({ type: "auto" }, { type: "none" }, null, {}),
    other: fc.jsonValue(),
  },
  { requiredKeys: ["model", "max_tokens", "messages"] },
)

test("answers anything without a crash", () => {
  const sim = createProviderSim({ models: { agent: offlineAgent() } })
  const property = fc.property(fc.oneof(request, fc.jsonValue(), fc.string()), (value) => {
    const response = sim.respond(post(value), 0)
    if (response.status === 200) return
    expect([400, 404]).toContain(response.status)
    const { type, error, request_id: requestId } = errorOf(response)
    expect(type).toBe("error")
    expect(error.message).not.toBe("")
    expect(requestId).toMatch(/^req_\d{6}$/)
  })
  fc.assert(property, { seed: 7, numRuns: 3_000 })
})

test("answers bytes that are no text", () => {
  const sim = createProviderSim({ models: { agent: offlineAgent() } })
  const response = sim.respond(post("", { body: new Uint8Array([0x7b, 0xff, 0x7d]) }), 0)
  expect(errorOf(response).error.message).toMatch(/^The request body is not valid JSON: /)
})
