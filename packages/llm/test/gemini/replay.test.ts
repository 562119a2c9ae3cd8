/** Requests of other clients, and our own, read and encoded again: they mean the same. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { gemini } from "../../src/gemini/index.ts"
import { plainOptions, type RequestOptions } from "../../src/options.ts"
import { lintBody } from "../../src/recording/lint-body.ts"
import { replayAnswer } from "../../src/recording/replay.ts"
import type { Entry } from "../../src/segments.ts"
import { illustrated, own } from "../any-wire/histories.ts"
import { photo, pixel } from "../any-wire/images.ts"
import {
  answer,
  bodyText,
  call,
  notice,
  readTool,
  segmentsOf,
  showing,
  system,
  text,
  user,
} from "../requests.ts"
import { addressOf, exchange, hi, host, newer, older, replay, withConfig } from "./bodies.ts"
import { legalBodies, mendedBodies, newestBodies } from "./foreign-bodies.ts"
import { anyTarget, geminiTarget, histories, mark, signedCall, signedText, thought } from "./requests.ts"

const linted = (body: object, url: string) =>
  lintBody(gemini, JSON.stringify(body), url)?.faults.map(({ rule }) => rule)

describe("a request of another client means the same", () => {
  test.each(Object.entries(legalBodies))("[LL1 LL3] %s", (_, body) => {
    expect(replay(body)).toEqual({ kind: "same" })
    expect(linted(body, older)).toEqual([])
  })

  test.each(Object.entries(newestBodies))("[LL1 LL3] of the newest generation, %s", (_, body) => {
    expect(replay(body, newer)).toEqual({ kind: "same" })
    expect(linted(body, newer)).toEqual([])
  })

  test.each(Object.entries(mendedBodies))("[LL1 LL3] mended, %s", (_, [rule, body]) => {
    expect(replay(body, newer)).toEqual({ kind: "same" })
    expect(linted(body, newer)).toEqual([rule])
  })

  test.each([
    `${host}/v1/models/gemini-2.5-flash:streamGenerateContent`,
    `${host}/v1beta/models/gemini-2.5-flash:streamGenerateContent?key=k&alt=sse`,
    "https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
  ])("[LL1] at the address %s", (url) =>
    expect(replay(withConfig({ thinkingConfig: { thinkingBudget: 9 } }), url)).toEqual({ kind: "same" }),
  )

  test("[LL3] a level of thinking is illegal for models that count tokens", () =>
    expect(replay(withConfig({ thinkingConfig: { thinkingLevel: "low" } })).kind).toBe("illegal"))
})

describe("our own request means the same", () => {
  const target = geminiTarget()
  const spoken: readonly Entry[] = [
    user("a"),
    answer(
      { type: "reasoning", text: "hm", ...own(target, thought("hm", "dGg=")) },
      text("b"),
      call(1, own(target, signedCall("fc-1", "Y2E="))),
      call(2, { ...own(target, signedCall("fc-2")), result: "broken", failed: true, name: "list" }),
      call(3, { result: " ", input: {} }),
    ),
    notice("cut"),
    answer({ ...text("c"), ...own(target, signedText("dGU=")) } as never, {
      type: "reasoning",
      text: "",
      ...own(target, mark("bWE=")),
    }),
    system("s"),
    ...illustrated,
    showing("look", pixel, photo),
  ]
  const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] } as const
  const generation = (more: object) => ({ generation: { outputTokensMax: 99, ...more } })
  const reasoning = (value: object) => ({ model: { reasoning: value } as RequestOptions["model"] })
  const options: Readonly<Record<string, Partial<RequestOptions>>> = {
    "without options": {},
    "with a structured answer": generation({ structured: { name: "answer", schema } }),
    "with a choice of its own": generation({ toolChoice: "auto" }),
    "with no choice": generation({ toolChoice: "none" }),
    "with any choice": generation({ toolChoice: "required" }),
    "with one choice": generation({ toolChoice: { tool: "read" } }),
    "with all sampling": generation({ temperature: 1, topP: 0.5, stop: ["x", "y"] }),
    "with a budget": reasoning({ kind: "budget", tokens: 2_048 }),
    "with an effort": reasoning({ kind: "effort", effort: "low" }),
    "with the least effort": reasoning({ kind: "effort", effort: "minimal" }),
    "with an effort that no model has": reasoning({ kind: "effort", effort: "xhigh" }),
    "with reasoning as it sees fit": reasoning({ kind: "adaptive" }),
    "with an effort of its own": reasoning({ kind: "adaptive", effort: "high" }),
    "without reasoning": reasoning({ kind: "off" }),
    "with settings of other wires": {
      model: { verbosity: "low", serviceTier: "flex", parallelCalls: false, cacheTtl: "1h", cacheKey: "k" },
    },
    "with hosted tools": {
      ...generation({ toolChoice: "auto" }),
      model: { hostedTools: [{ googleSearch: {} }, { codeExecution: {} }] },
    },
    "with compatibility fields": {
      body: { safetySettings: [], labels: { a_b: "c" }, generationConfig: { topK: 3, seed: 1 } },
    },
  }
  const models = ["gemini-3-pro-preview", "gemini-3-flash-preview", "gemini-2.5-flash", "gemini-2.0-flash"]
  const table = models.flatMap((model) =>
    Object.entries(options).map(([what, more]) => [model, what, more] as const),
  )

  test.each(table)("[LL1] to %s %s", (model, _, more) => {
    const to = {
      ...geminiTarget({}, model),
      provider: "googleapis",
      options: { ...plainOptions(99), ...more },
    }
    // Older models take no functions beside a structured answer.
    const bare = more.generation?.structured !== undefined && !model.includes("gemini-3")
    const list = { ...readTool, name: "list", inputSchema: { type: "object" } as const }
    for (const tail of [[user("a")], spoken]) {
      const segments = segmentsOf(tail, { tools: bare ? [] : [list, readTool] })
      const body = bodyText(gemini.place(gemini.encode(segments, to), to, 0))
      expect(replay(body, addressOf(model))).toEqual({ kind: "same" })
    }
  })
})

test("[LL1] our own request means the same, whatever was said", () => {
  fc.assert(
    fc.property(
      anyTarget.chain((target) => {
        const to = { ...target, provider: "googleapis" }
        return histories.segmentsFor(to).map((segments) => [to, segments] as const)
      }),
      ([to, segments]) => {
        const encoded = gemini.encode(segments, to)
        const body = bodyText(gemini.place(encoded, to, 0))
        expect(replay(body, addressOf(to.model))).toEqual({ kind: "same" })
      },
    ),
    { numRuns: 300 },
  )
})

test("[LL1 LL6] an answer without alt=sse is told to be no stream", () => {
  const { request } = exchange({ contents: hi })
  const response = { status: 200, headers: { "content-type": "application/json" }, body: "[{}]" }
  const [event, ...others] = replayAnswer(gemini, { request, response }, 0)
  expect(others).toEqual([])
  expect(event).toMatchObject({ type: "failure", failure: { code: "not_a_stream" } })
})
