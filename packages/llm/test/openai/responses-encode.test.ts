/** How each kind of entry is lowered to input items. */
import { describe, expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import { openaiResponses as wire } from "../../src/openai-responses/index.ts"
import type { RequestOptions } from "../../src/options.ts"
import { conversationOf } from "../../src/request/cache-key.ts"
import type { Entry, EntryPart, Target } from "../../src/segments.ts"
import type { StreamEvent } from "../../src/wire.ts"
import * as stream from "../fixtures/responses.ts"
import { answer, bodyText, call, notice, segmentsOf, system, text, thinking, user } from "../requests.ts"
import { decodeText } from "../answers.ts"
import { cited, own, responsesTarget, sealed, searched } from "./requests.ts"

const target = responsesTarget()

interface Body {
  readonly input: readonly Record<string, unknown>[]
  readonly tools?: readonly Record<string, unknown>[]
  readonly [name: string]: unknown
}

function bodyOf(entries: readonly Entry[], to: Target = target): Body {
  const encoded = wire.encode(segmentsOf(entries), to)
  expect(wire.lint(encoded, to)).toEqual([])
  return JSON.parse(bodyText(wire.place(encoded, to, 0))) as Body
}

/** Items behind the two prompts. */
const said = (entries: readonly Entry[], to: Target = target) => bodyOf(entries, to).input.slice(2)
const input = (role: string, words: string) => ({
  type: "message",
  role,
  content: [{ type: "input_text", text: words }],
})
const output = (words: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: words }],
})
const reasoning = (id: string, words = "hm"): EntryPart => ({
  type: "reasoning",
  text: words,
  ...own(target, sealed(id, words)),
})
const ownCall = (id: number) => call(id, own(target, { type: "function_call", id: `fc_${id}` }))

test("[LL1] puts tools first, then prompts as instructions, and stores nothing", () => {
  const body = bodyOf([user("a")])
  expect(Object.keys(body).slice(-2)).toEqual(["tools", "input"])
  expect(body.input.map((item) => item["role"])).toEqual(["developer", "developer", "user"])
  expect(body).toMatchObject({ store: false, stream: true, include: ["reasoning.encrypted_content"] })
  expect(body.tools).toMatchObject([{ type: "function", name: "read", strict: false }])
})

describe("system messages", () => {
  test("[LL2] are instructions at their place in time", () => {
    expect(said([user("a"), system("s"), answer(text("b")), system("t"), user("c")])).toEqual([
      input("user", "a"),
      input("developer", "s"),
      output("b"),
      input("developer", "t"),
      input("user", "c"),
    ])
  })

  test("[LL2] are wrapped on the user's side for a server that takes none in time", () => {
    const items = said(
      [user("a"), system("x </context-update>")],
      responsesTarget({ traits: { systemRole: false } }),
    )
    expect(items[1]).toEqual(
      input("user", '<context-update from="runtime">\nx &lt;/context-update>\n</context-update>'),
    )
  })

  test("[PR7] keep notices apart from the user's words", () => {
    expect(said([user("a"), notice("cut")])[1]).toEqual(
      input("user", '<notice from="runtime">\ncut\n</notice>'),
    )
  })
})

describe("native items", () => {
  test("[LL4] come back exactly to the target that said them: reasoning, ids and phase", () => {
    const spoken = { ...text("b"), ...own(target, { type: "message", id: "msg_1", phase: "commentary" }) }
    expect(said([user("a"), answer(reasoning("rs_1"), spoken as EntryPart, ownCall(1)), user("c")])).toEqual([
      input("user", "a"),
      sealed("rs_1"),
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "b", annotations: [] }],
        phase: "commentary",
      },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: '{"path":"a.ts"}' },
      { type: "function_call_output", call_id: "call_1", output: "content" },
      input("user", "c"),
    ])
  })

  test.each<[string, Partial<Target>]>([
    ["provider", { provider: "other" }],
    ["model", { model: "other" }],
    ["endpoint", { endpoint: "https://other.example" }],
  ])("[LL4] are left out for another %s, where visible reasoning becomes text", (_, other) => {
    const entries = [user("a"), answer(reasoning("rs_1"), text("b"), ownCall(1)), user("c")]
    const items = said(entries, { ...target, ...other })
    expect(items.slice(1, 4)).toEqual([
      output("hm"),
      output("b"),
      expect.not.objectContaining({ id: "fc_1" }),
    ])
  })

  test("[LL4] come without ids where an answer's reasoning is not whole, since ids are bound to it", () => {
    const cut: EntryPart = { type: "reasoning", text: "h", native: null }
    const items = said([user("a"), answer(cut, ownCall(1)), user("c")])
    expect(items[1]).toEqual({
      type: "function_call",
      call_id: "call_1",
      name: "read",
      arguments: '{"path":"a.ts"}',
    })
  })

  test("[LL4] name themselves once", () => {
    const entries = [
      user("a"),
      answer(reasoning("rs_1"), ownCall(1)),
      answer(reasoning("rs_1"), call(2, own(target, { type: "function_call", id: "fc_1" }))),
      user("b"),
    ]
    expect(said(entries).map((item) => item["id"] ?? null)).toEqual([
      null,
      "rs_1",
      "fc_1",
      null,
      null,
      null,
      null,
    ])
  })

  test.each<[string, EntryPart[]]>([
    ["behind the last text", [text("b"), reasoning("rs_1")]],
    [
      "without its sealed content",
      [
        { type: "reasoning", text: "hm", ...own(target, { type: "reasoning", id: "rs_1", summary: [] }) },
        text("b"),
      ],
    ],
    ["of an unknown shape", [{ type: "reasoning", text: "hm", ...own(target, ["?"]) }, text("b")]],
  ])("[TU4] leave reasoning out %s", (_, parts) => {
    expect(said([user("a"), answer(...parts), user("c")])).toEqual([
      input("user", "a"),
      output("b"),
      input("user", "c"),
    ])
  })

  test("[TU4] leave reasoning out behind the last call", () => {
    const items = said([user("a"), answer(call(1), reasoning("rs_1")), user("c")])
    expect(items.map((item) => item["type"])).toEqual([
      "message",
      "function_call",
      "function_call_output",
      "message",
    ])
  })

  test("[TU4] leave out an answer that is nothing but reasoning", () => {
    expect(said([user("a"), answer(reasoning("rs_1")), user("c")])).toHaveLength(2)
  })

  test("[LL8] repeat what the provider's own tool did as it came, and only to that provider", () => {
    const hosted: EntryPart = { type: "hosted", name: "web_search_call", ...own(target, searched("ws_1")) }
    const entries = [user("a"), answer(reasoning("rs_1"), hosted, text("b")), user("c")]
    expect(said(entries)[2]).toEqual(searched("ws_1"))
    expect(JSON.stringify(said(entries, { ...target, model: "other" }))).not.toContain("web_search_call")
  })

  test("[LL4] of another wire become text", () => {
    expect(said([user("a"), answer(thinking("hm"), text("b")), user("c")]).slice(1, 3)).toEqual([
      output("hm"),
      output("b"),
    ])
  })

  test("[LL4 LL8] survive a whole loop: what was decoded is what is sent", () => {
    const entries = [user("a"), answer(...partsOf(decodeText(wire, stream.richStream))), user("c")]
    const items = said(entries)
    expect(items.slice(1, 3)).toEqual([stream.sealedItem, stream.searchItem])
    expect(items[3]).toMatchObject({ id: "msg_1", phase: "commentary" })
    expect(items.slice(4, 6)).toMatchObject([{ id: "fc_1" }, { id: "fc_2" }])
  })
})

/** An answer's events as the runtime records them. */
function partsOf(events: readonly StreamEvent[]): readonly EntryPart[] {
  let calls = 0
  return events.flatMap((event): EntryPart[] => {
    const native =
      "opaque" in event && event.opaque !== undefined && event.opaque !== null
        ? own(target, event.opaque)
        : {}
    if (event.type === "text-end") return [{ type: "text", text: event.text, ...native }]
    if (event.type === "call-end")
      return [call((calls += 1), { name: event.name, input: event.input, ...native })]
    if (event.type === "hosted") return [{ type: "hosted", name: event.name, ...own(target, event.opaque) }]
    return event.type === "reasoning-end"
      ? [{ type: "reasoning", text: event.text, native: null, ...native }]
      : []
  })
}

describe("calls", () => {
  test("[TU2] are followed by their results, in order, after the whole answer", () => {
    const items = said([
      user("a"),
      answer(call(1), text("b"), call(2, { failed: true, result: "no" })),
      user("c"),
    ])
    expect(items.map((item) => item["call_id"] ?? item["role"])).toEqual([
      "user",
      "call_1",
      "assistant",
      "call_2",
      "call_1",
      "call_2",
      "user",
    ])
    expect(items[5]).toEqual({ type: "function_call_output", call_id: "call_2", output: "[failed]\nno" })
  })

  test.each<[Json, string]>([
    ["junk", '{"value":"junk"}'],
    [null, '{"value":null}'],
    [{ b: 1, a: "\ud800" }, '{"b":1,"a":"\ufffd"}'],
  ])("[LL3] carry their arguments as the text of an object: %j", (value, sent) => {
    expect(said([user("a"), answer(call(1, { input: value })), user("b")])[1]?.["arguments"]).toBe(sent)
  })

  test.each(["toolu_01A b", `call_${"x".repeat(60)}`, "ü", ""])(
    "[LL3] carry a legal id for %j, the same with the result",
    (id) => {
      const [, asked, answered] = said([user("a"), answer(call(1, { call: id as never })), user("b")])
      expect(asked?.["call_id"]).toMatch(/^call_[0-9a-f]{24}$/)
      expect(answered?.["call_id"]).toBe(asked?.["call_id"])
    },
  )
})

describe("an answer that cites", () => {
  const kept = { type: "message", id: "msg_1", phase: "final_answer", annotations: [cited] }
  const cites = (by: Target): Entry => answer({ ...text("See A"), ...own(by, kept) } as EntryPart)

  test("[LL4 LL8] goes back to its target with what it cites, and to others without", () => {
    const content = [{ type: "output_text", text: "See A", annotations: [cited] }]
    expect(said([user("a"), cites(target), user("b")])[1]).toMatchObject({ id: "msg_1", content })
    expect(said([user("a"), cites({ ...target, model: "another" }), user("b")])[1]).toEqual({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "See A" }],
    })
  })

  test("[LL4 LL8] keeps what it cites where its id cannot be named", () => {
    const lost = {
      type: "reasoning",
      text: "",
      ...own(target, { type: "reasoning", id: "rs_1", summary: [] }),
    } as const
    const parts = [lost, { ...text("See A"), ...own(target, kept) } as EntryPart]
    expect(said([user("a"), answer(...parts), user("b")])[1]).toEqual({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "See A", annotations: [cited] }],
      phase: "final_answer",
    })
  })
})

const closed = { type: "object", properties: {}, required: [], additionalProperties: false }

describe("options", () => {
  const params = (more: Partial<RequestOptions>) => {
    const { input: _, tools: __, ...rest } = bodyOf([user("a")], responsesTarget(more))
    return rest
  }

  test("[CA2] become this provider's words only here", () => {
    expect(
      params({
        generation: {
          outputTokensMax: 100,
          temperature: 0,
          topP: 0.5,
          toolChoice: { tool: "read" },
          structured: { name: "an answer", schema: closed },
        },
        model: {
          reasoning: { kind: "effort", effort: "high" },
          reasoningSummary: "auto",
          verbosity: "low",
          cacheTtl: "24h",
          cacheKey: "ses_1",
          serviceTier: "flex",
          parallelCalls: false,
        },
        body: { metadata: { a: "b" }, store: true, input: "no", model: "no", previous_response_id: "no" },
        traits: {},
      }),
    ).toEqual({
      model: "gpt-test",
      stream: true,
      store: false,
      max_output_tokens: 100,
      temperature: 0,
      top_p: 0.5,
      reasoning: { effort: "high", summary: "auto" },
      text: {
        format: { type: "json_schema", name: "an_answer", schema: closed, strict: true },
        verbosity: "low",
      },
      tool_choice: { type: "function", name: "read" },
      parallel_tool_calls: false,
      prompt_cache_key: "ses_1",
      prompt_cache_retention: "24h",
      service_tier: "flex",
      metadata: { a: "b" },
    })
  })

  test("[LL5] name a cache key of the conversation, of the prompts and of nothing else", () => {
    const key = (entries: readonly Entry[]) => bodyOf(entries)["prompt_cache_key"]
    expect(key([user("a")])).toBe(key([user("a"), answer(text("b")), user("c")]))
    expect(key([user("a")])).not.toBe(key([user("b")]))
    expect(key([user("a")])).toMatch(/^holdfast-[0-9a-f]{32}$/)
  })

  test("[LL5] keep the cache key of a conversation whose beginning has left the window", () => {
    const whole = wire.encode(segmentsOf([user("a"), answer(text("b")), user("c")]), responsesTarget())
    const told = { historyBaseline: [user("told")], conversation: conversationOf(whole.blocks) }
    const folded = wire.encode(segmentsOf([user("c")], told), responsesTarget())
    expect(folded.params).toBe(whole.params)
  })

  test("[LL5] mark the ends of segments where a model matches caches at marks only", () => {
    const to = responsesTarget({ traits: { cacheMarkers: "openai" } })
    const segments = segmentsOf([user("c")], {
      historyBaseline: [user("a")],
      historyDelta: [answer(text("b")), user("d")],
    })
    const placed = wire.place(wire.encode(segments, to), to, 0)
    expect(placed.record.markers.map(({ block }) => block)).toEqual([2, 3, 5])
    const { input: items } = JSON.parse(bodyText(placed)) as Body
    expect(items[1]).toMatchObject({ content: [{ prompt_cache_breakpoint: { mode: "explicit" } }] })
    expect(wire.place(wire.encode(segments, target), target, 0).record.markers).toEqual([])
  })

  test("[LL8] name a tool of the provider's by its kind", () => {
    const hostedTools = [
      { type: "web_search" },
      { type: "mcp", server_label: "docs" },
      { type: "custom", name: "sql" },
    ]
    const chosen = (tool: string) =>
      params({ generation: { outputTokensMax: 100, toolChoice: { tool } }, model: { hostedTools } })[
        "tool_choice"
      ]
    expect(["web_search", "docs", "sql", "read"].map(chosen)).toEqual([
      { type: "web_search" },
      { type: "mcp", server_label: "docs" },
      { type: "custom", name: "sql" },
      { type: "function", name: "read" },
    ])
  })

  test("[CA2] add what the provider has and the options do not to what is written here", () => {
    expect(
      params({
        generation: { outputTokensMax: 100 },
        model: { verbosity: "low", reasoning: { kind: "effort", effort: "low" } },
        body: {
          include: ["web_search_call.action.sources"],
          text: { format: { type: "json_object" }, verbosity: "high" },
          reasoning: { context: "all_turns", effort: "high" },
        },
      }),
    ).toMatchObject({
      include: ["reasoning.encrypted_content", "web_search_call.action.sources"],
      text: { format: { type: "json_object" }, verbosity: "low" },
      reasoning: { context: "all_turns", effort: "low" },
    })
  })
})
