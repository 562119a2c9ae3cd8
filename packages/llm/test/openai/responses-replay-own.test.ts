/** Requests that this project writes for the Responses API mean the same after they were read again. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { JsonObject } from "@holdfast/schema/json"
import { openaiResponses as wire } from "../../src/openai-responses/index.ts"
import { plainOptions, type RequestOptions, type ToolChoice } from "../../src/options.ts"
import type { Segments, Target } from "../../src/segments.ts"
import { illustrated } from "../any-wire/histories.ts"
import { bodyText } from "../any-wire/images.ts"
import { answer, call, readTool, segmentsOf, system, text, user } from "../requests.ts"
import { anyResponsesTarget, cited, histories, own, responsesTarget, sealed, searched } from "./requests.ts"
import { loose, replay, schema } from "./responses-bodies.ts"

const bodyOf = (segments: Segments, target: Target, previous = 0): object =>
  JSON.parse(bodyText(wire.place(wire.encode(segments, target), target, previous))) as object

const anyOptions: fc.Arbitrary<Partial<RequestOptions>> = fc.record({
  generation: fc.record(
    {
      outputTokensMax: fc.integer({ min: 16, max: 9_999 }),
      temperature: fc.constantFrom(0, 0.5, 1),
      topP: fc.constantFrom(0.1, 1),
      stop: fc.constant(["END"]),
      toolChoice: fc.constantFrom<ToolChoice>(
        "auto",
        "none",
        "required",
        { tool: "read" },
        { tool: "web_search" },
      ),
      structured: fc.constantFrom(
        { name: "an answer", schema: {} },
        { name: "a", schema },
        { name: "b", schema: loose },
      ),
    },
    { requiredKeys: ["outputTokensMax"] },
  ),
  model: fc.record(
    {
      reasoning: fc.constantFrom(
        { kind: "off" } as const,
        { kind: "adaptive" } as const,
        { kind: "adaptive", effort: "low" } as const,
        { kind: "effort", effort: "high" } as const,
        { kind: "budget", tokens: 1_024 } as const,
      ),
      reasoningSummary: fc.constantFrom("auto", "detailed"),
      verbosity: fc.constantFrom("low", "high"),
      cacheTtl: fc.constantFrom("5m", "1h", "24h", "in_memory"),
      cacheKey: fc.constant("ses_1"),
      serviceTier: fc.constantFrom("flex", "auto"),
      parallelCalls: fc.boolean(),
      hostedTools: fc.constant([
        { type: "web_search" },
        { type: "code_interpreter", container: { type: "auto" } },
      ]),
    },
    { requiredKeys: [] },
  ),
  body: fc.constantFrom<JsonObject>({}, { metadata: { a: "b" }, text: { format: { type: "json_object" } } }),
})

/** Strictness is asked of all tools alike, and only of those that allow it. */
const enforced = { ...readTool, inputSchema: schema }

describe("[LL1] requests of this project mean the same", () => {
  const cases = fc
    .tuple(anyResponsesTarget, anyOptions)
    .map(([target, more]) => ({ ...target, options: { ...target.options, ...more } }) as Target)
    .chain((target) =>
      histories.segmentsFor(target).map((segments) => ({
        target,
        segments: {
          ...segments,
          tools: segments.tools.length === 0 ? [] : [enforced, { ...readTool, name: "more" }],
        },
      })),
    )

  test("whatever is said and set", () => {
    fc.assert(
      fc.property(cases, fc.nat(20), ({ target, segments }, previous) => {
        const encoded = wire.encode(segments, target)
        fc.pre(wire.lint(encoded, target).length === 0)
        expect(replay(bodyOf(segments, target, previous))).toEqual({ kind: "same" })
      }),
      { numRuns: 300 },
    )
  })

  test.each<readonly [what: string, body: object]>([
    ["images", bodyOf(segmentsOf(illustrated), responsesTarget())],
    [
      "reasoning, citations and failed results",
      bodyOf(
        segmentsOf([
          user("a"),
          answer(
            { type: "reasoning", text: "hm", ...own(responsesTarget(), sealed("rs_1")) },
            { type: "hosted", name: "web_search_call", ...own(responsesTarget(), searched("ws_1")) },
            {
              ...text("See A"),
              ...own(responsesTarget(), { type: "message", id: "msg_1", annotations: [cited] }),
            } as ReturnType<typeof text>,
            call(1, { failed: true, result: "" }),
            call(2, { result: "" }),
          ),
          system("s"),
        ]),
        responsesTarget(),
      ),
    ],
    [
      "a hosted tool that must be used",
      bodyOf(
        segmentsOf([user("a")]),
        responsesTarget(plainOptions(100, { model: { hostedTools: [{ type: "web_search" }] } })),
      ),
    ],
  ])("with %s", (_, body) => expect(replay(body)).toEqual({ kind: "same" }))
})
