/** Calls that models write as text: the forms that are known, and texts that are none. */
import { describe, expect, test } from "vitest"
import { type CallAsText, findCallAsText } from "../../../src/session/hint/call-as-text.ts"

const find = (text: string): CallAsText | null =>
  findCallAsText(text, (name) => ["read", "bash"].includes(name))
const read = { tool: "read", input: { path: "a.ts" } }
const json = '{"name": "read", "arguments": {"path": "a.ts"}}'

describe("a call as text", () => {
  test.each([
    ["a tag around JSON", `I look.\n<tool_call>\n${json}\n</tool_call>`],
    ["a tag that is not closed", `<tool_call>${json}`],
    ["other words in the tag", `<function_call>${json}</function_call>\n`],
    ["marks of a chat template", `<|tool_call|>${json}<|end|>`],
    ["brackets and a list", `[TOOL_CALLS] [${json}]`],
    ["closed brackets", `[TOOL_CALL]${json}[/TOOL_CALL]`],
    ["a fence in a tag", `<tool_call>\n\`\`\`json\n${json}\n\`\`\`\n</tool_call>`],
    ["JSON alone", json],
    ["JSON behind words", `Let me see.\n\n${json}`],
    ["JSON over several lines", `Now:\n{\n  "tool": "read",\n  "input": {\n    "path": "a.ts"\n  }\n}`],
    ["JSON in a fence", `First this:\n\`\`\`json\n${json}\n\`\`\`\n`],
    ["JSON in a fence alone", `\`\`\`\n${json}\n\`\`\``],
    [
      "the form of an API",
      '{"type":"function","function":{"name":"read","arguments":"{\\"path\\":\\"a.ts\\"}"}}',
    ],
    ["a function and its parameters", '{"function": "read", "parameters": {"path": "a.ts"}}'],
    ["markup with parameters", '<invoke name="read">\n<parameter name="path">a.ts</parameter>\n</invoke>'],
    [
      "markup in an outer element",
      '<function_calls>\n<invoke name="read"><parameter name="path">a.ts</parameter></invoke>\n</function_calls>',
    ],
    ["markup with a prefix", '<x:invoke name="read"><x:parameter name="path">a.ts</x:parameter></x:invoke>'],
    ["markup with equals signs", "<function=read><parameter=path>a.ts</parameter></function>"],
    ["markup around JSON", '<function=read>{"path": "a.ts"}</function>'],
    ["a leaked channel", '<|channel|>commentary to=functions.read <|message|>{"path": "a.ts"}<|call|>'],
    ["a line of code", 'I call it:\nread({"path": "a.ts"})'],
  ])("is found as %s", (_, text) => expect(find(text)).toEqual(read))

  test("is found without what cannot be read of it", () => {
    expect(find('{"name": "read", "arguments": "path=a.ts"}')).toEqual({ tool: "read", input: null })
    expect(find("<function=bash></function>")).toEqual({ tool: "bash", input: null })
  })

  test.each([
    ["words alone", "I read a.ts and mended it."],
    ["a tool that there is not", '{"name": "fetch", "arguments": {"path": "a.ts"}}'],
    [
      "a call that is explained",
      `A call looks like this:\n<tool_call>${json}</tool_call>\nThe path is relative.`,
    ],
    ["a fence that is explained", `\`\`\`json\n${json}\n\`\`\`\nThis is what a client sends.`],
    ["another object", '{"name": "read", "version": 3}'],
    ["a file that ends in an object", 'The file is now:\n```json\n{ "name": "demo", "scripts": {} }\n```'],
    ["a mention of the function", "It is done by read(path)."],
    ["broken JSON", '<tool_call>{"name": "read", "argum</tool_call>'],
    ["nothing", ""],
  ])("is not %s", (_, text) => expect(find(text)).toBeNull())

  test.each([
    ["opening tags", "<tool_call>"],
    ["markup", '<invoke name="read"><parameter name="path">'],
    ["fences", "```\n"],
    ["braces", "\n{"],
    ["line breaks", "\n"],
  ])("is looked for in little time among many %s", (_, piece) => {
    const started = performance.now()
    expect(find(piece.repeat(200_000))).toBeNull()
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
