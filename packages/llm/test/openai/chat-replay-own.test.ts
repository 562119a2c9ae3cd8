/** Chat requests of our own, for every server and with every kind of option, replayed: they mean the same. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { openaiChat } from "../../src/openai-chat/index.ts"
import { type GenerationControls, type ModelRequestOptions, plainOptions } from "../../src/options.ts"
import { replayRequest } from "../../src/recording/replay.ts"
import type { Entry, Target } from "../../src/segments.ts"
import { bodyText, pixel } from "../any-wire/images.ts"
import { answer, call, notice, segmentsOf, showing, system, text, user } from "../requests.ts"
import { schema, urls } from "./chat-bodies.ts"
import { histories, own, reasoned } from "./requests.ts"

const targetAt = (server: string, more: Partial<Target["options"]> = {}): Target => {
  const { origin, hostname } = new URL(urls[server] as string)
  const provider = hostname.split(".").at(-2) ?? hostname
  return { provider, model: "m", endpoint: origin, options: plainOptions(4_096, more) }
}

function replayedAt(server: string, entries: readonly Entry[], target: Target) {
  const tools = [
    { name: "read", description: "", inputSchema: schema },
    { name: "write", description: "Writes.", inputSchema: { type: "object", properties: { a: {} } } },
  ]
  const encoded = openaiChat.encode(segmentsOf(entries, { tools }), target)
  expect(openaiChat.lint(encoded, target)).toEqual([])
  const body = bodyText(openaiChat.place(encoded, target, 0))
  return replayRequest(openaiChat, {
    request: { method: "POST", url: urls[server] as string, headers: {}, body },
    response: { status: 200, headers: {}, body: "" },
  })
}

const servers = Object.keys(urls)

const conversation = (target: Target): readonly Entry[] => [
  system("Be brief."),
  showing("What is this?", pixel),
  answer(
    {
      type: "reasoning",
      text: "hm",
      ...own(target, reasoned("hm", [{ type: "reasoning.text", text: "hm" }])),
    },
    text("Let me see."),
    call(1, { images: [pixel] }),
    call(2, { failed: true, result: "no" }),
  ),
  notice("cut"),
  system("Be briefer."),
  answer(call(3, { result: "" })),
  user("Go on."),
]

const generations: readonly Partial<GenerationControls>[] = [
  { temperature: 0, topP: 0.5, stop: ["a", "b"] },
  { structured: { name: "a", schema } },
  { structured: { name: "a b", schema: {} } },
  ...(["auto", "none", "required", { tool: "read" }] as const).map((toolChoice) => ({ toolChoice })),
]

const models: readonly ModelRequestOptions[] = [
  { parallelCalls: true },
  { parallelCalls: false },
  { verbosity: "low", serviceTier: "flex", cacheKey: "k" },
  ...(["5m", "1h", "24h", "in_memory"] as const).map((cacheTtl) => ({ cacheTtl })),
  ...(
    [
      { kind: "off" },
      { kind: "effort", effort: "high" },
      { kind: "budget", tokens: 2_000 },
      { kind: "adaptive" },
      { kind: "adaptive", effort: "low" },
    ] as const
  ).map((reasoning) => ({ reasoning })),
]

describe.each(servers)("[LL1] our own Chat request to %s is read and written again as it was", (server) => {
  test.each(generations)("with %j", (generation) => {
    const target = targetAt(server)
    const options = { ...target.options, generation: { ...target.options.generation, ...generation } }
    expect(replayedAt(server, conversation(target), { ...target, options })).toEqual({ kind: "same" })
  })

  test.each(models)("with the model's %j", (model) => {
    const target = targetAt(server, { model })
    expect(replayedAt(server, conversation(target), target)).toEqual({ kind: "same" })
  })

  test.each(["strictTools", "systemRole", "withoutNative", "withoutImages"])("with %s", (trait) => {
    for (const cacheMarkers of ["openai", "anthropic"] as const) {
      const target = targetAt(server, { traits: { [trait]: true, cacheMarkers }, body: { seed: 7 } })
      expect(replayedAt(server, conversation(target), target)).toEqual({ kind: "same" })
    }
  })
})

test("[LL1] any history of ours to any Chat server means the same when it is replayed", () => {
  const asked = fc
    .constantFrom(...servers)
    .chain((server) => fc.tuple(fc.constant(server), histories.historyFor(targetAt(server))))
  fc.assert(
    fc.property(asked, ([server, entries]) => {
      expect(replayedAt(server, entries, targetAt(server))).toEqual({ kind: "same" })
    }),
    { numRuns: 300 },
  )
})
