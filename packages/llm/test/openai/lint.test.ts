/** Every rule of both grammars catches what breaks it. */
import { describe, expect, test } from "vitest"
import { openaiChat } from "../../src/openai-chat/index.ts"
import { openaiResponses } from "../../src/openai-responses/index.ts"
import type { Encoded } from "../../src/wire.ts"
import { type Corruptions, double, drop, put, rewrite, swap } from "../any-wire/corruptions.ts"
import { findsWhatBreaks, keepsRequestsApart } from "../any-wire/lint-rules.ts"
import { answer, call, segmentsOf, system, text, user } from "../requests.ts"
import { chatTarget, own, reasoned, responsesTarget, sealed } from "./requests.ts"

describe("openai-responses", () => {
  const target = responsesTarget()
  const reasoning = { type: "reasoning", text: "hm", ...own(target, sealed("rs_1")) } as const
  const named = { ...call(1), ...own(target, { type: "function_call", id: "fc_1" }) } as ReturnType<
    typeof call
  >
  /** tool 0, prompts 1 2, user 3, reasoning 4, text 5, calls 6 7, results 8 9, instruction 10. */
  const legal = openaiResponses.encode(
    segmentsOf([user("a"), answer(reasoning, text("b"), named, call(2)), system("s")]),
    target,
  )

  const corruptions: Corruptions = {
    "a call loses its result": ["pairing", drop(9)],
    "all results are lost": ["pairing", drop(8, 2)],
    "a result loses its call": ["result-unknown", drop(7)],
    "a result is given twice": ["result-unknown", double(8)],
    "a result stands before its call": ["result-unknown", swap(6, 8)],
    "somebody speaks before the results": ["pairing", double(3, 8)],
    "a call id is used twice": ["call-unique", rewrite(7, "call_2", "call_1")],
    "a call id has another shape": ["call-id", rewrite(7, "call_2", "call 2")],
    "a result's id has another shape": ["call-id", rewrite(9, "call_2", "")],
    "a call's name has another shape": ["tool-name", rewrite(7, '"read"', '"re ad"')],
    "arguments are no object": ["call-input", rewrite(7, /"arguments":".*"/, '"arguments":"[1]"')],
    "arguments are no JSON": ["call-input", rewrite(7, /"arguments":".*"/, '"arguments":"{"')],
    "an item id is used twice": ["item-unique", rewrite(6, "fc_1", "rs_1")],
    "an item id is empty": ["item-id", rewrite(6, "fc_1", "")],
    "a result is empty": ["text-empty", rewrite(8, '"output":"content"', '"output":""')],
    "a text is blank": ["text-empty", rewrite(5, '"b"', '" \\n"')],
    "a prompt is blank": ["text-empty", rewrite(1, /"text":".*?"/, '"text":" "')],
    "a prompt is the user's": ["block-shape", rewrite(1, '"developer"', '"user"')],
    "a message holds no text": ["block-shape", rewrite(3, "input_text", "input_image")],
    "a message has another role": ["block-shape", rewrite(3, '"role":"user"', '"role":"narrator"')],
    "there is nothing to answer": ["role-last", drop(3, 8)],
    "the answer comes last": ["role-last", drop(6, 5)],
    "reasoning comes last in its answer": ["reasoning-final", (blocks) => void blocks.splice(5, 3)],
    "reasoning is all there is": ["reasoning-final", (blocks) => void blocks.splice(5)],
    "reasoning loses its content": ["reasoning-signature", rewrite(4, /"sealed-rs_1"/, '""')],
    "reasoning is another target's": ["reasoning-native", put(4, { native: "other" })],
    "reasoning is nobody's": ["reasoning-native", put(4, { native: null })],
    "an id is another target's": ["reasoning-native", put(6, { native: "other" })],
    "a tool is doubled": ["tool-unique", double(0)],
    "a tool's name has another shape": ["tool-name", rewrite(0, '"read"', '"re.ad"')],
    "a tool's input is no object": [
      "tool-schema",
      rewrite(0, '"parameters":{"type":"object"', '"parameters":{"type":"array"'),
    ],
    "a tool's input is a union": ["tool-schema", rewrite(0, '"required"', '"anyOf":[],"required"')],
    "a tool's input has no properties": ["tool-schema", rewrite(0, '"properties"', '"members"')],
    "segments change places": ["segment-order", swap(0, 1)],
    "a call stands on the user's side": ["block-shape", put(6, { role: "user" })],
    "a result stands on the model's side": ["block-shape", put(8, { role: "assistant" })],
    "an item has no role": ["block-shape", put(5, { role: null })],
    "an item is of no known type": ["block-shape", rewrite(7, '"function_call"', '"hologram"')],
    "an item is no JSON": ["block-shape", rewrite(5, "}", "")],
    "an item brings its own mark": [
      "markers",
      rewrite(3, '"text":"a"', '"text":"a","prompt_cache_breakpoint":{}'),
    ],
    "half a pair is escaped": ["surrogate", rewrite(5, '"b"', '"\\ud800"')],
  }

  findsWhatBreaks({
    wire: openaiResponses,
    target,
    legal,
    blocks: 11,
    corruptions,
    settings: [
      ["another model", '"gpt-test"', '"other"'],
      ["no stream", '"stream":true', '"stream":false'],
      ["a stored conversation", '"store":false', '"store":true'],
      ["no output", "8192", "0"],
      ["no cache key", /"holdfast-\w+"/, '""'],
    ],
  })
})

describe("openai-chat", () => {
  const target = chatTarget("openrouter")
  const deepseek = chatTarget("deepseek")
  const thought = { type: "reasoning", text: "hm", ...own(target, reasoned("hm")) } as const
  /** tool 0, prompts 1 2, user 3, answer 4, results 5 6, update 7. */
  const segments = segmentsOf([user("a"), answer(thought, text("b"), call(1), call(2)), system("s")])
  const legal = openaiChat.encode(segments, target)
  const rulesOf = (encoded: Encoded, to = target) => openaiChat.lint(encoded, to).map((fault) => fault.rule)

  const corruptions: Corruptions = {
    "a call loses its result": ["pairing", drop(6)],
    "all results are lost": ["pairing", drop(5, 2)],
    "results lose their answer": ["result-unknown", drop(4)],
    "a result is given twice": ["result-unknown", double(5)],
    "somebody speaks between results": ["pairing", double(3, 6)],
    "a call id is used twice": ["call-unique", rewrite(4, '"call_2"', '"call_1"')],
    "a call id has another shape": ["call-id", rewrite(4, '"call_2"', '"call 2"')],
    "a result's id has another shape": ["call-id", rewrite(6, '"call_2"', '""')],
    "a call's name has another shape": ["tool-name", rewrite(4, '"name":"read"', '"name":"re ad"')],
    "arguments are no object": ["call-input", rewrite(4, /"arguments":".*?\}"/, '"arguments":"[1]"')],
    "a result is empty": ["text-empty", rewrite(5, '"content":"content"', '"content":""')],
    "a text is blank": ["text-empty", rewrite(3, '"a"', '" \\n"')],
    "an answer says and calls nothing": [
      "text-empty",
      rewrite(4, /^.*$/, '{"role":"assistant","content":""}'),
    ],
    "content is no text": ["block-shape", rewrite(3, '"a"', "7")],
    "a prompt is the user's": ["block-shape", rewrite(1, '"system"', '"user"')],
    "there is nothing to answer": ["role-last", drop(3, 5)],
    "the answer comes last": [
      "role-last",
      (blocks) => {
        drop(5, 3)(blocks)
        rewrite(4, /,"tool_calls".*/, "}")(blocks)
      },
    ],
    "reasoning is another target's": ["reasoning-native", put(4, { native: "other" })],
    "a tool is doubled": ["tool-unique", double(0)],
    "a tool's name has another shape": ["tool-name", rewrite(0, '"read"', '"re.ad"')],
    "a tool's input is no object": [
      "tool-schema",
      rewrite(0, '"parameters":{"type":"object"', '"parameters":{"type":"array"'),
    ],
    "a tool's input is a union": ["tool-schema", rewrite(0, '"required"', '"anyOf":[],"required"')],
    "segments change places": ["segment-order", swap(0, 1)],
    "an answer stands on the user's side": ["block-shape", put(4, { role: "user" })],
    "a message has no role": ["block-shape", put(3, { role: null })],
    "a message is no JSON": ["block-shape", rewrite(3, "}", "")],
    "half a pair is escaped": ["surrogate", rewrite(3, '"a"', '"\\ud800"')],
  }

  findsWhatBreaks({
    wire: openaiChat,
    target,
    legal,
    blocks: 8,
    corruptions,
    settings: [
      ["another model", '"chat-test"', '"other"'],
      ["no stream", '"stream":true', '"stream":false'],
      ["no output", "4096", "0"],
    ],
  })

  test("[LL3] refuses what one server takes and another does not", () => {
    expect(rulesOf(legal, deepseek)).toContain("reasoning-native")
    const bare = openaiChat.encode(segmentsOf([user("a"), answer(call(1)), user("b")]), target)
    expect(rulesOf(bare, deepseek)).toContain("reasoning-lead")
    expect(rulesOf(bare, chatTarget("mistral"))).toEqual(expect.arrayContaining(["call-id", "result-order"]))
  })

  test("[LL3] refuses an instruction in between only to a model that is known to take none", () => {
    const blocks = [...legal.blocks]
    put(7, { role: "system", json: '{"role":"system","content":"s"}' })(blocks)
    const knowing = (systemRole: boolean) => ({
      ...target,
      options: { ...target.options, traits: { ...target.options.traits, systemRole } },
    })
    expect(rulesOf({ ...legal, blocks })).toEqual([])
    expect(rulesOf({ ...legal, blocks }, knowing(true))).toEqual([])
    expect(rulesOf({ ...legal, blocks }, knowing(false))).toEqual(["system-place"])
  })

  keepsRequestsApart(openaiChat, target)
})
