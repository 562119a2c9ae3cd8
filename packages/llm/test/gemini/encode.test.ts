/** Segments to the contents of a Gemini request. */
import { describe, expect, test } from "vitest"
import { foreignSignature } from "../../src/gemini/entry.ts"
import { gemini } from "../../src/gemini/index.ts"
import { own } from "../any-wire/histories.ts"
import { answer, call, notice, readTool, segmentsOf, system, text, thinking, user } from "../requests.ts"
import {
  bodyOf,
  code,
  codeResult,
  contentsOf,
  geminiTarget,
  mark,
  olderTarget,
  signedCall,
  signedText,
  thought,
} from "./requests.ts"

const target = geminiTarget()

test("[LL1] writes tools, system instruction and contents where the provider wants them, and no model", () => {
  expect(bodyOf(segmentsOf([user("Hello")]), target)).toEqual({
    generationConfig: { maxOutputTokens: 8_192 },
    tools: [
      {
        functionDeclarations: [
          { name: "read", description: "Reads a file.", parameters: readTool.inputSchema },
        ],
      },
    ],
    systemInstruction: { parts: [{ text: "You are an agent." }, { text: "Build what is asked." }] },
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
  })
})

test("[LL1 LL3] puts all responses of parallel calls first into the next content, in order", () => {
  const entries = [
    user("go"),
    answer(text("I look."), call(1), call(2, { failed: true, result: "no" })),
    user("so?"),
  ]
  expect(contentsOf(segmentsOf(entries), olderTarget())).toEqual([
    { role: "user", parts: [{ text: "go" }] },
    {
      role: "model",
      parts: [
        { text: "I look." },
        { functionCall: { name: "read", args: { path: "a.ts" } } },
        { functionCall: { name: "read", args: { path: "a.ts" } } },
      ],
    },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "read", response: { output: "content" } } },
        { functionResponse: { name: "read", response: { error: "no" } } },
        { text: "so?" },
      ],
    },
  ])
})

test("[LL2] wraps an instruction on the user's side at its place in time", () => {
  const entries = [user("a"), answer(text("b")), system("The date changed."), notice("x"), user("c")]
  const [, , last] = contentsOf(segmentsOf(entries), geminiTarget({ traits: { systemRole: true } }))
  expect(last?.parts).toEqual([
    { text: '<context-update from="runtime">\nThe date changed.\n</context-update>' },
    { text: '<notice from="runtime">\nx\n</notice>' },
    { text: "c" },
  ])
})

describe("native continuation", () => {
  const said = answer(
    { type: "reasoning", text: "hm", ...own(target, thought("hm", "dGhvdWdodA==")) },
    { type: "text", text: "I look.", ...own(target, signedText("dGV4dA==")) },
    call(1, own(target, signedCall("fc-1", "Y2FsbA=="))),
    call(2, own(target, signedCall("fc-2"))),
    { type: "reasoning", text: "", ...own(target, mark("bWFyaw==")) },
  )

  test("[LL4] goes back to the same target exactly, each on its own part", () => {
    expect(contentsOf(segmentsOf([user("go"), said]), target)).toEqual([
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          { thought: true, text: "hm", thoughtSignature: "dGhvdWdodA==" },
          { text: "I look.", thoughtSignature: "dGV4dA==" },
          {
            functionCall: { name: "read", args: { path: "a.ts" }, id: "fc-1" },
            thoughtSignature: "Y2FsbA==",
          },
          { functionCall: { name: "read", args: { path: "a.ts" }, id: "fc-2" } },
          { text: "", thoughtSignature: "bWFyaw==" },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "read", response: { output: "content" }, id: "fc-1" } },
          { functionResponse: { name: "read", response: { output: "content" }, id: "fc-2" } },
        ],
      },
    ])
  })

  test.each([
    ["another model", geminiTarget({}, "gemini-3-flash")],
    ["a target that refused it", geminiTarget({ traits: { withoutNative: true } })],
  ])(
    "[LL4] is left out for %s, visible thoughts become text, and calls bring the stand-in",
    (_, stranger) => {
      expect(contentsOf(segmentsOf([user("go"), said]), stranger)[1]?.parts).toEqual([
        { text: "hm" },
        { text: "I look." },
        { functionCall: { name: "read", args: { path: "a.ts" } }, thoughtSignature: foreignSignature },
        { functionCall: { name: "read", args: { path: "a.ts" } } },
      ])
    },
  )

  test("[LL4] asks for no stand-in of models that check no signature", () => {
    const parts = contentsOf(segmentsOf([user("go"), answer(call(1))]), olderTarget())[1]?.parts
    expect(parts).toEqual([{ functionCall: { name: "read", args: { path: "a.ts" } } }])
  })

  test("[TU4] drops thoughts that led to nothing, and an answer that says nothing", () => {
    const loose = { type: "reasoning", text: "hm", ...own(target, thought("hm")) } as const
    const only = { type: "reasoning", text: "", ...own(target, mark("bWFyaw==")) } as const
    const entries = [user("a"), answer(loose, text("b"), loose), user("c"), answer(loose, only), user("d")]
    expect(contentsOf(segmentsOf(entries), target).map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["model", 2],
      ["user", 2],
    ])
  })

  test("[LL4] leaves reasoning out that was cut, and tells that of another wire in words", () => {
    const entries = [
      user("a"),
      answer({ type: "reasoning", text: "cut", native: null }, thinking("elsewhere"), text("b")),
    ]
    expect(contentsOf(segmentsOf([...entries, user("c")]), target)[1]?.parts).toEqual([
      { text: "elsewhere" },
      { text: "b" },
    ])
  })

  test("[LL8 LL9] repeats what the provider's own tool did with what came of it, or not at all", () => {
    const hosted = (opaque: typeof code) =>
      ({ type: "hosted", name: "code", ...own(target, opaque) }) as const
    const entries = [
      user("a"),
      answer(hosted(codeResult), hosted(code), hosted(codeResult), hosted(code), text("b")),
      user("c"),
    ]
    expect(contentsOf(segmentsOf(entries), target)[1]?.parts).toEqual([code, codeResult, { text: "b" }])
    const stranger = contentsOf(segmentsOf(entries), olderTarget())
    expect(stranger[1]?.parts).toEqual([{ text: "b" }])
  })

  test("[LL3] gives an id to one call of an answer only", () => {
    const twice = call(1, own(target, signedCall("fc-1", "cw==")))
    const again = call(2, own(target, signedCall("fc-1")))
    const contents = contentsOf(segmentsOf([user("go"), answer(twice, again)]), target)
    const ids = contents.flatMap(({ parts }) =>
      parts.map(
        (part) => ((part["functionCall"] ?? part["functionResponse"]) as { id?: string } | undefined)?.id,
      ),
    )
    expect(ids).toEqual([undefined, "fc-1", undefined, "fc-1", undefined])
  })
})

test("[LL3] calls functions by legal names, with arguments that are objects", () => {
  const odd = answer(call(1, { name: "9 liv/es", input: "junk", result: " " }))
  const [, said, results] = contentsOf(segmentsOf([user("a"), odd]), olderTarget())
  expect(said?.parts).toEqual([{ functionCall: { name: "_9_liv_es", args: { value: "junk" } } }])
  expect(results?.parts).toEqual([
    { functionResponse: { name: "_9_liv_es", response: { output: "(no output)" } } },
  ])
})

describe("settings", () => {
  const configOf = (more: Parameters<typeof geminiTarget>[0], model?: string) =>
    bodyOf(segmentsOf([user("a")]), geminiTarget(more, model)).generationConfig

  test("[CA2] are written in the provider's words", () => {
    const body = bodyOf(
      segmentsOf([user("a")]),
      geminiTarget({
        generation: {
          outputTokensMax: 100,
          temperature: 0,
          topP: 0.5,
          stop: ["END"],
          toolChoice: { tool: "read" },
          structured: { name: "a", schema: { type: "object", additionalProperties: false } },
        },
        body: { generationConfig: { topK: 4, temperature: 2 }, safetySettings: [], contents: [] },
      }),
    )
    expect(body).toMatchObject({
      generationConfig: {
        maxOutputTokens: 100,
        temperature: 0,
        topP: 0.5,
        stopSequences: ["END"],
        responseMimeType: "application/json",
        responseSchema: { type: "object" },
        topK: 4,
      },
      safetySettings: [],
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read"] } },
    })
    expect(body.contents).toHaveLength(1)
  })

  test.each([
    ["auto", "AUTO"],
    ["none", "NONE"],
    ["required", "ANY"],
  ] as const)("[CA2] say %s as %s", (toolChoice, mode) => {
    const chosen = geminiTarget({ generation: { outputTokensMax: 1, toolChoice } })
    expect(bodyOf(segmentsOf([user("a")]), chosen).toolConfig).toEqual({ functionCallingConfig: { mode } })
    expect(bodyOf(segmentsOf([user("a")], { tools: [] }), chosen).toolConfig).toBeUndefined()
  })

  test.each([
    ["gemini-3-pro", { kind: "effort", effort: "low" }, { thinkingLevel: "low", includeThoughts: true }],
    ["gemini-3-pro", { kind: "effort", effort: "max" }, { thinkingLevel: "high", includeThoughts: true }],
    ["gemini-3-pro", { kind: "adaptive" }, { includeThoughts: true }],
    ["gemini-3-pro", { kind: "off" }, { thinkingLevel: "low" }],
    ["gemini-3-flash", { kind: "off" }, { thinkingLevel: "minimal" }],
    ["gemini-3-flash", { kind: "budget", tokens: 99 }, { thinkingBudget: 99, includeThoughts: true }],
    [
      "gemini-2.5-pro",
      { kind: "effort", effort: "medium" },
      { thinkingBudget: 8_192, includeThoughts: true },
    ],
    ["gemini-2.5-pro", { kind: "adaptive" }, { thinkingBudget: -1, includeThoughts: true }],
    ["gemini-2.5-flash", { kind: "off" }, { thinkingBudget: 0 }],
    ["gemini-2.0-flash", { kind: "budget", tokens: 99 }, undefined],
  ] as const)("[CA2] tell %s to think as %j by %j", (model, reasoning, thinkingConfig) => {
    expect(configOf({ model: { reasoning } }, model)["thinkingConfig"]).toEqual(thinkingConfig)
  })
})

test.each([
  ["https://host", "m", "https://host/v1beta/models/m:streamGenerateContent?alt=sse"],
  ["https://host/v1/", "m", "https://host/v1/models/m:streamGenerateContent?alt=sse"],
  ["https://host/v1beta", "models/m", "https://host/v1beta/models/m:streamGenerateContent?alt=sse"],
  [
    "https://host/v1/projects/p/locations/l/publishers/google",
    "m",
    "https://host/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent?alt=sse",
  ],
  ["https://host", "tunedModels/a b", "https://host/v1beta/tunedModels/a%20b:streamGenerateContent?alt=sse"],
])("[LL1] is sent from %s for %s to %s", (base, model, address) => {
  expect(gemini.address(base, model)).toBe(address)
})

test("[LL1] names itself by a key in a header", () => {
  expect(gemini.headers("k")).toEqual({
    "x-goog-api-key": "k",
    "content-type": "application/json",
    accept: "text/event-stream",
  })
})
