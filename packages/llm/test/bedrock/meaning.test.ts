/** Converse requests that are not the same, and what of them is not read. */
import { describe, expect, test } from "vitest"
import { findDifference } from "../../src/recording/difference.ts"
import { requestMeaning } from "../../src/recording/meaning.ts"
import type { Fields } from "../../src/json-fields.ts"
import {
  replay,
  hi,
  said,
  answered,
  use,
  gave,
  image,
  schema,
  spec,
  readSpec,
  grounding,
  toolConfig,
  asking,
  giving,
  thinking,
  format,
  fields,
} from "./foreign-bodies.ts"

describe("[LL1] a Converse request is told from one that means something else", () => {
  const meaning = (body: object, asked: object) =>
    requestMeaning("bedrock-converse", body as Fields, asked as Fields)
  const two = (first: object, second: object) =>
    asking({
      toolConfig,
      messages: [hi, answered(use("t1"), use("t2")), said(gave("t1", first), gave("t2", second))],
    })
  const one = { content: [{ text: "1" }] }
  const another = { content: [{ text: "2" }] }
  const withSpec = (more: object) => asking({ toolConfig: { tools: [{ toolSpec: { ...spec, ...more } }] } })
  const withSchema = (json: object) => withSpec({ inputSchema: { json } })
  const chosen = (toolChoice: object) => asking({ toolConfig: { ...toolConfig, toolChoice } })

  test.each<readonly [what: string, one: object, other: object]>([
    ["another limit", asking(), asking({ inferenceConfig: { maxTokens: 101 } })],
    ["a temperature", asking(), asking({ inferenceConfig: { maxTokens: 100, temperature: 0 } })],
    [
      "a stop",
      asking({ inferenceConfig: { stopSequences: ["a"] } }),
      asking({ inferenceConfig: { stopSequences: ["b"] } }),
    ],
    ["a failure", giving(one), giving({ ...one, status: "error" })],
    ["another value", giving({ content: [{ json: { a: 1 } }] }), giving({ content: [{ json: { a: 2 } }] })],
    ["no words", giving({ content: [] }), giving(one)],
    ["an image less", giving({ content: [{ text: "x" }, image] }), giving({ content: [{ text: "x" }] })],
    ["results of other calls", two(one, another), two(another, one)],
    [
      "words among images",
      giving({ content: [{ text: "a" }, image, { text: "b" }] }),
      giving({ content: [{ text: "a" }, { text: "b" }, image] }),
    ],
    [
      "words of another message",
      asking({ messages: [hi, answered({ text: "a" }), hi] }),
      asking({ messages: [hi, answered({ text: "b" }), hi] }),
    ],
    [
      "another speaker",
      asking({ messages: [hi, said({ text: "a" }), hi] }),
      asking({ messages: [hi, answered({ text: "a" }), hi] }),
    ],
    [
      "texts in another order",
      asking({ messages: [said({ text: "a" }, { text: "b" })] }),
      asking({ messages: [said({ text: "b" }, { text: "a" })] }),
    ],
    [
      "an image behind its words",
      asking({ messages: [said({ text: "a" }, image)] }),
      asking({ messages: [said(image, { text: "a" })] }),
    ],
    [
      "prompts in another order",
      asking({ system: [{ text: "a" }, { text: "b" }] }),
      asking({ system: [{ text: "b" }, { text: "a" }] }),
    ],
    ["a forced call", chosen({ auto: {} }), chosen({ any: {} })],
    ["a call of one tool", chosen({ any: {} }), chosen({ tool: { name: "read" } })],
    [
      "another tool of the provider's",
      asking({ toolConfig: { tools: [grounding] } }),
      asking({ toolConfig: { tools: [{ systemTool: { name: "nova_code_interpreter" } }] } }),
    ],
    [
      "a tool of the provider's less",
      asking({ toolConfig: { tools: [readSpec, grounding] } }),
      asking({ toolConfig }),
    ],
    ["another description", withSpec({}), withSpec({ description: "Writes." })],
    ["a schema that is enforced", withSpec({}), withSpec({ strict: true })],
    ["a union", withSchema(schema), withSchema({ ...schema, anyOf: [{ required: ["a"] }] })],
    ["an input that is no object", withSchema({ type: "array" }), withSchema({ type: "object" })],
    [
      "another budget",
      fields({ thinking: { type: "enabled", budget_tokens: 1_024 } }),
      fields({ thinking: { type: "enabled", budget_tokens: 2_048 } }),
    ],
    [
      "another format",
      asking(format({ name: "a", schema: "{}" })),
      asking(format({ name: "a", schema: '{"type":"object"}' })),
    ],
    [
      "another signature",
      asking({ messages: [hi, answered(thinking, { text: "a" }), hi] }),
      asking({ messages: [hi, answered({ text: "a" }), hi] }),
    ],
    [
      "a guardrail",
      asking({ guardrailConfig: { guardrailIdentifier: "a" } }),
      asking({ guardrailConfig: { guardrailIdentifier: "b" } }),
    ],
    ["another tier", asking({ serviceTier: { type: "flex" } }), asking()],
    [
      "input of another call",
      asking({ messages: [hi, answered(use("t1", { a: 1 }))] }),
      asking({ messages: [hi, answered(use("t1", { a: 2 }))] }),
    ],
  ])("%s", (_, first, second) => {
    expect(findDifference(meaning(first, first), meaning(second, first))).not.toBeNull()
    expect(findDifference(meaning(second, second), meaning(first, second))).not.toBeNull()
    expect(findDifference(meaning(first, first), meaning(structuredClone(first), first))).toBeNull()
  })
})

const document = { document: { format: "pdf", name: "a", source: { bytes: "eA==" } } }
const stored = { s3Location: { uri: "s3://bucket/a.png" } }

describe("[LL1] what a Converse request says beyond the canonical one is named", () => {
  test.each<readonly [place: string, body: object]>([
    ["messages[0]: document", asking({ messages: [said({ text: "a" }, document)] })],
    ["messages[0]: video", asking({ messages: [said({ video: { format: "mp4", source: stored } })] })],
    ["messages[0]: audio", asking({ messages: [said({ audio: { format: "mp3", source: stored } })] })],
    ["messages[0]: image", asking({ messages: [said({ image: { format: "png", source: stored } })] })],
    ["messages[0]: guardContent", asking({ messages: [said({ guardContent: { text: { text: "a" } } })] })],
    ["messages[0]: searchResult", asking({ messages: [said({ searchResult: { source: "a" } })] })],
    ["messages[0]: an empty block", asking({ messages: [said({})] })],
    ["messages[2]: toolResult: document", giving({ content: [{ text: "a" }, document] })],
    ["messages[2]: toolResult: video", giving({ content: [{ video: { format: "mp4", source: stored } }] })],
    ["messages[2]: toolResult: image", giving({ content: [{ image: { format: "png", source: stored } }] })],
    [
      "messages[2]: toolResult: text among images",
      giving({ content: [{ text: "a" }, image, { text: "b" }] }),
    ],
    [
      "messages[1]: citationsContent",
      asking({ messages: [hi, answered({ citationsContent: { content: [{ text: "a" }] } }), hi] }),
    ],
    [
      "messages[1]: reasoning without a signature",
      asking({
        messages: [hi, answered({ reasoningContent: { reasoningText: { text: "a" } } }, { text: "b" }), hi],
      }),
    ],
    ['messages[0]: role "system"', asking({ messages: [{ role: "system", content: [{ text: "a" }] }, hi] })],
    ["messages[0]: content that is no list", asking({ messages: [{ role: "user", content: "Hi" }] })],
    [
      "system[1]: guardContent",
      asking({ system: [{ text: "a" }, { guardContent: { text: { text: "b" } } }] }),
    ],
    ["system", asking({ system: "Be brief." })],
    ["toolConfig.tools[1]: mcpTool", asking({ toolConfig: { tools: [readSpec, { mcpTool: {} }] } })],
    [
      "toolConfig.tools[0]: examples",
      asking({ toolConfig: { tools: [{ toolSpec: { ...spec, examples: [] } }] } }),
    ],
    [
      "toolConfig.tools: strict for some of them",
      asking({ toolConfig: { tools: [{ toolSpec: { ...spec, strict: true } }] } }),
    ],
    ["toolConfig.toolChoice", asking({ toolConfig: { ...toolConfig, toolChoice: { none: {} } } })],
    ["toolConfig: parallel", asking({ toolConfig: { ...toolConfig, parallel: false } })],
    ["outputConfig: effort", asking({ outputConfig: { effort: "low" } })],
    ["outputConfig.textFormat: description", asking(format({ description: "a", schema: "{}" }))],
    ["outputConfig.textFormat", asking(format({ schema: "no schema" }))],
    ["result of t9", asking({ messages: [hi, answered({ text: "a" }), said(gave("t9"))] })],
  ])("%s", (place, body) => expect(replay(body)).toEqual({ kind: "unread", places: [place] }))
})
