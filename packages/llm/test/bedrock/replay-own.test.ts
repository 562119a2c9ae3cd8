/** Converse requests that this project writes, replayed: every option to every family of models. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import type { GenerationControls, ModelRequestOptions, RequestOptions } from "../../src/options.ts"
import { lintBody } from "../../src/recording/lint-body.ts"
import type { RequestReplay } from "../../src/recording/replay.ts"
import type { Segments, Target } from "../../src/segments.ts"
import { illustrated, own } from "../any-wire/histories.ts"
import { answer, bodyText, call, readTool, segmentsOf, system, text, user } from "../requests.ts"
import { claude, nova, llama, gptOss, mistral, profileArn, urlOf, replay } from "./foreign-bodies.ts"
import { anyTarget, bedrockTarget, histories, redacted, signed } from "./requests.ts"

const target = bedrockTarget()
const loop = segmentsOf([
  user("a"),
  answer(
    { type: "reasoning", text: "hm", ...own(target, signed("hm", "c2ln")) },
    { type: "reasoning", text: "", ...own(target, redacted("c2VhbGVk")) },
    text("I look."),
    call(11),
    call(12, { failed: true, result: "no" }),
    call(13, { result: " " }),
  ),
  system("The date changed."),
  ...illustrated.slice(1),
])

function replayOwn(segments: Segments, to: Target): RequestReplay {
  return replay(
    JSON.parse(bodyText(bedrockConverse.place(bedrockConverse.encode(segments, to), to, 0))) as object,
    to.model,
  )
}

describe("[LL1] a Converse request of our own means the same", () => {
  const generation = (more: Partial<GenerationControls>): Partial<RequestOptions> => ({
    generation: { outputTokensMax: 8_192, ...more },
  })
  const model = (more: ModelRequestOptions): Partial<RequestOptions> => ({ model: more })
  const options: Readonly<Record<string, Partial<RequestOptions>>> = {
    none: {},
    "a temperature and a stop": generation({ temperature: 0.3, stop: ["END"] }),
    topP: generation({ topP: 0.99 }),
    "a choice left to the model": generation({ toolChoice: "auto" }),
    "no choice": generation({ toolChoice: "none" }),
    "a choice forced": generation({ toolChoice: "required" }),
    "a choice of one tool": generation({ toolChoice: { tool: "read" } }),
    "a format": generation({ structured: { name: "my answer", schema: { type: "object", properties: {} } } }),
    "a budget": model({ reasoning: { kind: "budget", tokens: 2_048 } }),
    "low effort": model({ reasoning: { kind: "effort", effort: "low" } }),
    "high effort": model({ reasoning: { kind: "effort", effort: "high" } }),
    "thinking as it sees fit": model({ reasoning: { kind: "adaptive" } }),
    "thinking as it sees fit, with an effort": model({ reasoning: { kind: "adaptive", effort: "max" } }),
    "no thinking": model({ reasoning: { kind: "off" } }),
    "words on caches and calls": model({
      cacheTtl: "1h",
      cacheKey: "k",
      parallelCalls: false,
      verbosity: "low",
      reasoningSummary: "auto",
    }),
    "a tier": model({ serviceTier: "flex" }),
    "tools of the provider": model({ hostedTools: [{ systemTool: { name: "nova_grounding" } }] }),
    "schemas that are enforced": { traits: { strictTools: true } },
    "no images": { traits: { withoutImages: true } },
    "fields that are passed on": {
      body: {
        requestMetadata: { a: "b" },
        additionalModelRequestFields: { top_k: 3 },
        inferenceConfig: { topK: 1 },
      },
    },
  }
  const models = [claude, "anthropic.claude-3-sonnet-20240229-v1:0", nova, mistral, gptOss, llama, profileArn]

  test.each(Object.keys(options))("with %s, to every family", (name) => {
    for (const id of models) {
      const to = bedrockTarget(options[name] as Partial<RequestOptions>, id)
      expect([id, replayOwn(loop, to)]).toEqual([id, { kind: "same" }])
      const strict = { ...readTool, inputSchema: { ...readTool.inputSchema, additionalProperties: false } }
      expect([id, replayOwn(segmentsOf([user("a")], { tools: [strict] }), to)]).toEqual([
        id,
        { kind: "same" },
      ])
    }
  })

  test("whatever was said before", () => {
    const cases = anyTarget.chain((to) => histories.segmentsFor(to).map((segments) => ({ to, segments })))
    fc.assert(
      fc.property(cases, ({ to, segments }) => {
        expect(replayOwn(segments, to)).toEqual({ kind: "same" })
        const encoded = bedrockConverse.place(bedrockConverse.encode(segments, to), to, 0)
        expect(lintBody(bedrockConverse, bodyText(encoded), urlOf(to.model))?.faults).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
