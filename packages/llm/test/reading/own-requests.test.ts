/** What this project sends itself is read back and is the same, whatever is set, on every wire that has a reader. */
import { isDeepStrictEqual } from "node:util"
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import type {
  GenerationControls,
  ModelRequestOptions,
  ModelTraits,
  RequestOptions,
} from "../../src/options.ts"
import { readers } from "../../src/reading/readers.ts"
import { readBack } from "../../src/recording/replay.ts"
import { replayRequest } from "../../src/recording/replay.ts"
import type { Entry, Segments, Target } from "../../src/segments.ts"
import type { Wire } from "../../src/wire.ts"
import { wires } from "../../src/wires.ts"
import { historiesWith, own } from "../any-wire/histories.ts"
import { bodyText, photo, pixel } from "../any-wire/images.ts"
import { answer, call, notice, readTool, segmentsOf, showing, system, text, user } from "../requests.ts"

interface Place {
  readonly wire: string
  readonly provider: string
  readonly model: string
  readonly endpoint: string
}

const at = (wire: string, provider: string, model: string, endpoint: string): Place => ({
  wire,
  provider,
  model,
  endpoint,
})

/** The provider is named as a recording names it: by the host. */
const places: Readonly<Record<string, Place>> = {
  anthropic: at("anthropic-messages", "anthropic", "claude-test", "https://api.anthropic.com"),
  responses: at("openai-responses", "openai", "gpt-test", "https://api.openai.com"),
  openai: at("openai-chat", "openai", "gpt-test", "https://api.openai.com"),
  deepseek: at("openai-chat", "deepseek", "m", "https://api.deepseek.com"),
  openrouter: at("openai-chat", "openrouter", "m", "https://openrouter.ai"),
  mistral: at("openai-chat", "mistral", "m", "https://api.mistral.ai"),
  "any server": at("openai-chat", "example", "m", "https://llm.example.org"),
  gemini: at("gemini", "googleapis", "gemini-3-pro-preview", "https://generativelanguage.googleapis.com"),
  "older gemini": at("gemini", "googleapis", "gemini-2.5-flash", "https://generativelanguage.googleapis.com"),
  claude: at(
    "bedrock-converse",
    "amazonaws",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "https://bedrock-runtime.us-east-1.amazonaws.com",
  ),
  nova: at(
    "bedrock-converse",
    "amazonaws",
    "us.amazon.nova-micro-v1:0",
    "https://bedrock-runtime.us-east-1.amazonaws.com",
  ),
}

/** What each wire keeps with the parts of its answers. */
const opaques: Readonly<Record<string, readonly Json[]>> = {
  "anthropic-messages": [
    { type: "thinking", thinking: "hm", signature: "sig" },
    { type: "redacted_thinking", data: "c2VhbGVk" },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
    { type: "text", citations: [{ type: "web_search_result_location", url: "https://a.example" }] },
  ],
  "openai-responses": [
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: "s",
    },
    { type: "message", id: "msg_1", phase: "commentary", annotations: [{ type: "url_citation" }] },
    { type: "message", refusal: true },
    { type: "function_call", id: "fc_1" },
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } },
  ],
  "openai-chat": [
    { type: "reasoning", field: "reasoning_content", text: "hm", details: [{ type: "reasoning.text" }] },
    { type: "call", extra: { extra_content: { sign: "s" } } },
  ],
  gemini: [
    { type: "thought", text: "hm", thoughtSignature: "dGhvdWdodA==" },
    { type: "signature", thoughtSignature: "c2ln" },
    { type: "text", thoughtSignature: "dGV4dA==" },
    { type: "call", id: "fc-1", thoughtSignature: "Y2FsbA==" },
    { executableCode: { language: "PYTHON", code: "1" } },
    { codeExecutionResult: { outcome: "OUTCOME_OK", output: "" } },
  ],
  "bedrock-converse": [
    { type: "reasoning", text: "hm", signature: "c2ln" },
    { type: "redacted", data: "c2VhbGVk" },
    { toolUse: { toolUseId: "s1", name: "search", input: {}, type: "server_tool_use" } },
    { toolResult: { toolUseId: "s1", content: [{ text: "x" }], type: "server_tool_result" } },
  ],
}

const targetAt = (place: Place, more: Partial<RequestOptions> = {}): Target => ({
  provider: place.provider,
  model: place.model,
  endpoint: place.endpoint,
  options: { generation: { outputTokensMax: 8_192 }, model: {}, traits: {}, body: {}, ...more },
})

/** Replays what the wire writes for a target, and compares what is written for the request that was read. */
function replayed({ wire: name }: Place, segments: Segments, target: Target) {
  const wire = wires[name] as Wire
  const write = (said: Segments, to: Target) => bodyText(wire.place(wire.encode(said, to), to, 0))
  const body = write(segments, target)
  const url = wire.address(target.endpoint, target.model)
  const read = readBack(wire, url, body)
  expect(read?.request.unread).toEqual([])
  // Cache markers of OpenAI's kind are the model's, which a body without any does not tell.
  if (read !== null && target.options.traits.cacheMarkers === undefined)
    expect(JSON.parse(write(read.request.segments, read.target))).toEqual(JSON.parse(body))
  const request = { method: "POST", url, headers: {}, body }
  return replayRequest(wire, { request, response: { status: 200, headers: {}, body: "" } })
}

interface Changed {
  readonly path: string
  readonly changed: Json
  /** What shows that it was kept; another value of the same type may be kept as another word. */
  readonly mark: string
}

/** The value with something else in one place, each in turn: a member more, an item more, another value. */
function* withSomethingStrange(value: Json, path = ""): Generator<Changed> {
  if (typeof value === "string") yield { path, changed: `${value}~`, mark: "" }
  if (typeof value === "boolean") yield { path, changed: !value, mark: "" }
  if (typeof value === "number") yield { path, changed: value + 1, mark: "" }
  const mark = "strange"
  if (path !== "") yield { path, changed: typeof value === "object" ? mark : [mark], mark }
  if (typeof value !== "object" || value === null) return
  const isList = Array.isArray(value)
  yield { path, changed: isList ? [...value, mark] : { ...value, [mark]: 1 }, mark }
  for (const [name, inside] of Object.entries(value) as [string, Json][])
    for (const found of withSomethingStrange(inside, `${path}/${name}`)) {
      const entries = Object.entries({ ...value, [name]: found.changed })
      yield {
        ...found,
        changed: isList ? entries.map(([, item]) => item as Json) : (Object.fromEntries(entries) as Json),
      }
    }
}

/** Everything that a conversation may hold. */
const history = (target: Target, wire: string): readonly Entry[] => [
  showing("What is this?", pixel, photo),
  answer(
    { type: "reasoning", text: "hm", ...own(target, opaques[wire]?.[0] ?? null) },
    text("I look."),
    call(1, { images: [pixel] }),
    call(2, { failed: true, result: "no such file" }),
    call(3, { result: "" }),
  ),
  answer(text("Again."), call(4, { failed: true, images: [photo] })),
  notice("Something was cut."),
  system("Now in French."),
  user("Go on."),
  answer({ type: "reasoning", text: "A thought of somebody else.", native: null }, text("Bien.")),
  user("  "),
]

const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
}

const generations: readonly Partial<GenerationControls>[] = [
  { temperature: 0, stop: ["a", "b"] },
  { topP: 0.95 },
  ...(["auto", "none", "required", { tool: "read" }] as const).map((toolChoice) => ({ toolChoice })),
]

const models: readonly ModelRequestOptions[] = [
  { parallelCalls: true },
  { parallelCalls: false },
  { serviceTier: "flex", cacheKey: "k" },
  { verbosity: "low", reasoningSummary: "auto" },
  ...(["5m", "1h", "24h", "in_memory"] as const).map((cacheTtl) => ({ cacheTtl })),
  ...(
    [
      { kind: "off" },
      { kind: "effort", effort: "high" },
      { kind: "budget", tokens: 2_048 },
      { kind: "adaptive" },
      { kind: "adaptive", effort: "low" },
    ] as const
  ).map((reasoning) => ({ reasoning })),
]

const traits: readonly ModelTraits[] = [
  {},
  { strictTools: true },
  { systemRole: true },
  { reasoning: true },
  { withoutNative: true, withoutImages: true },
  { cacheMarkers: "openai" },
]

const tools = [readTool, { name: "look", description: "", inputSchema: schema }]

describe.each(Object.entries(places))(
  "[LL1 CA2] our own request to %s is the same when it is read again",
  (_, place) => {
    test.each(generations)("with %j", (generation) => {
      const target = targetAt(place, { generation: { outputTokensMax: 8_192, ...generation } })
      for (const said of [history(target, place.wire), [user("Hi")]])
        expect(replayed(place, segmentsOf(said, { tools }), target)).toEqual({ kind: "same" })
    })

    test("with a structured answer", () => {
      const target = targetAt(place, {
        generation: { outputTokensMax: 10, structured: { name: "city", schema } },
      })
      expect(replayed(place, segmentsOf([user("Hi")], { tools: [] }), target)).toEqual({ kind: "same" })
    })

    test.each(models)("with the model's %j", (model) => {
      const target = targetAt(place, { model })
      expect(replayed(place, segmentsOf(history(target, place.wire), { tools }), target)).toEqual({
        kind: "same",
      })
      expect(replayed(place, segmentsOf([user("Hi")], { tools: [] }), target)).toEqual({ kind: "same" })
    })

    test.each(traits)("with the traits %j, and a passed field", (set) => {
      const target = targetAt(place, { traits: set, body: { metadata: { user_id: "u" } } })
      expect(replayed(place, segmentsOf(history(target, place.wire), { tools }), target)).toEqual({
        kind: "same",
      })
    })

    test("and whatever else stands in it, at any place, is kept or named", () => {
      const target = targetAt(place, {
        generation: { outputTokensMax: 9_000, structured: { name: "city", schema } },
        model: { reasoning: { kind: "effort", effort: "high" }, verbosity: "low" },
        traits: { reasoning: true },
      })
      // As each kind of part: what is no such thing is left out.
      const natives = (opaques[place.wire] ?? []).map((opaque, number) => {
        const of = own(target, opaque)
        const hosted = { type: "hosted", name: "search", ...of } as const
        const reasoning = { type: "reasoning", text: "hm", ...of } as const
        return answer(reasoning, hosted, { ...text("Words."), ...of }, { ...call(10 + number), ...of })
      })
      const said = [...history(target, place.wire), ...natives]
      const wire = wires[place.wire] as Wire
      const body = JSON.parse(
        bodyText(wire.place(wire.encode(segmentsOf(said, { tools }), target), target, 0)),
      ) as Json
      const url = wire.address(target.endpoint, target.model)
      const read = (one: Json) => readBack(wire, url, JSON.stringify(one))?.request ?? null
      const whole = read(body)
      const lost = [...withSomethingStrange(body)].filter(({ path, changed, mark }) => {
        // Marks of a cache stand at places of our own.
        if (/cache_control|cachePoint/.test(path)) return false
        const found = read(changed)
        if (found === null || found.unread.length > 0) return false
        const { segments, options } = found
        return isDeepStrictEqual(found, whole) || !JSON.stringify([segments, options]).includes(mark)
      })
      expect(lost.map(({ path }) => path)).toEqual([])
    })

    test("with any history", () => {
      const { historyFor } = historiesWith(fc.constantFrom(...(opaques[place.wire] ?? [])))
      const target = targetAt(place)
      fc.assert(
        fc.property(historyFor(target), (entries) => {
          expect(replayed(place, segmentsOf(entries), target)).toEqual({ kind: "same" })
        }),
        { numRuns: 60 },
      )
    })
  },
)

test("[LL1] every reader is tried here", () => {
  expect(new Set(Object.values(places).map(({ wire }) => wire))).toEqual(new Set(Object.keys(readers)))
})
