/**
 * Lies about an encoded request, one small change at a time.
 *
 * A draft holds what the body says: settings, tools, system texts and the blocks of messages with
 * their role. A mutation changes a draft; `encodedOf` makes blocks of it again, each in the segment
 * its place asks for, so that what the linter sees and what the body says are one thing.
 *
 * Left out is what a linter cannot know (a forged signature under the right tag, the size of a
 * window) and what this wire never writes although the provider takes it (media, lists as results).
 */
import * as fc from "fast-check"
import { makeBlock } from "@holdfast/llm/blocks"
import type { Target } from "@holdfast/llm/segments"
import type { Block, Encoded } from "@holdfast/llm/wire"
import { signThinking } from "@holdfast/provider-sim/signature"

type Role = "user" | "assistant" | "system"
type Fields = Readonly<Record<string, unknown>>

export interface DraftBlock {
  readonly role: Role
  readonly value: Fields
  /** Whom the native data belongs to, as the encoder noted it. */
  readonly native: string | null
}

export interface Draft {
  readonly params: Fields
  readonly tools: readonly Fields[]
  readonly system: readonly Fields[]
  readonly messages: readonly DraftBlock[]
}

export interface Mutation {
  readonly name: string
  readonly change: (draft: Draft) => Draft
}

export function draftOf(encoded: Encoded): Draft {
  const value = (block: Block) => JSON.parse(block.json) as Fields
  const outside = encoded.blocks.filter((block) => block.role === null)
  return {
    params: JSON.parse(encoded.params) as Fields,
    tools: outside.filter((block) => block.segment === "tools").map(value),
    system: outside.filter((block) => block.segment !== "tools").map(value),
    messages: encoded.blocks.flatMap((block) =>
      block.role === null ? [] : [{ role: block.role, value: value(block), native: block.native }],
    ),
  }
}

export function encodedOf(draft: Draft): Encoded {
  const block = (segment: Block["segment"], role: Block["role"], value: Fields, native: string | null) =>
    makeBlock({
      segment,
      role,
      kind: "text",
      unit: null,
      json: JSON.stringify(value),
      tokens: 1,
      markable: !isThinking(value),
      native,
    })
  return {
    blocks: [
      ...draft.tools.map((value) => block("tools", null, value, null)),
      ...draft.system.map((value) => block("system", null, value, null)),
      ...draft.messages.map(({ role, value, native }) => block("tail", role, value, native)),
    ],
    params: JSON.stringify(draft.params),
    prefixHash: "",
    tokens: 0,
  }
}

/** One to three changes; most requests are legal before and few of them after. */
export const anyMutations = (target: Target): fc.Arbitrary<readonly Mutation[]> =>
  fc.array(mutationFor(target), { minLength: 1, maxLength: 3 })

const mutationFor = (target: Target): fc.Arbitrary<Mutation> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(fc.nat(80), fc.nat(80)).chain(([a, b]) => placeMutation(a, b)) },
    { weight: 6, arbitrary: fc.nat(80).chain((at) => blockMutation(at, target)) },
    { weight: 2, arbitrary: fc.nat(5).chain(toolMutation) },
    { weight: 2, arbitrary: paramMutation },
  )

/** Where blocks stand. Positions wrap around, so that each one meets something. */
const placeMutation = (a: number, b: number): fc.Arbitrary<Mutation> => {
  const onMessages = (name: string, change: (list: readonly DraftBlock[]) => readonly DraftBlock[]) => ({
    name: `${name} (${a}, ${b})`,
    change: (draft: Draft) =>
      draft.messages.length === 0 ? draft : { ...draft, messages: change(draft.messages) },
  })
  const first = (list: readonly unknown[]) => a % list.length
  const second = (list: readonly unknown[]) => b % list.length
  const said = (role: Role, text: string): DraftBlock => ({
    role,
    value: { type: "text", text },
    native: null,
  })
  return fc.constantFrom<Mutation>(
    onMessages("drop a block", (list) => list.toSpliced(first(list), 1)),
    onMessages("drop from a block on", (list) => list.slice(0, first(list))),
    onMessages("drop up to a block", (list) => list.slice(first(list))),
    onMessages("swap two blocks", (list) =>
      list
        .with(first(list), list[second(list)] as DraftBlock)
        .with(second(list), list[first(list)] as DraftBlock),
    ),
    onMessages("swap two neighbours", (list) => {
      const at = first(list)
      const next = (at + 1) % list.length
      return list.with(at, list[next] as DraftBlock).with(next, list[at] as DraftBlock)
    }),
    onMessages("duplicate a block", (list) =>
      list.toSpliced(second(list), 0, list[first(list)] as DraftBlock),
    ),
    onMessages("end with the assistant", (list) => [...list, said("assistant", "I begin to say")]),
    onMessages("end with a system message", (list) => [...list, said("system", "Now it holds.")]),
    onMessages("insert a system message", (list) =>
      list.toSpliced(first(list), 0, said("system", "Now it holds.")),
    ),
    onMessages("insert user text", (list) => list.toSpliced(first(list), 0, said("user", "By the way."))),
    onMessages("insert assistant text", (list) => list.toSpliced(first(list), 0, said("assistant", "Well."))),
    onMessages("remove a result", (list) => {
      const results = list.flatMap(({ value }, at) => (value["type"] === "tool_result" ? [at] : []))
      return results.length === 0 ? list : list.toSpliced(results[a % results.length] as number, 1)
    }),
  )
}

/** What one block says. Each change applies to the blocks it has a meaning for. */
const blockMutation = (at: number, target: Target): fc.Arbitrary<Mutation> => {
  const onBlock = (
    name: string,
    fits: (block: DraftBlock) => boolean,
    change: (block: DraftBlock, all: readonly DraftBlock[]) => DraftBlock,
  ): Mutation => ({
    name: `${name} (${at})`,
    change: (draft) => {
      const places = draft.messages.flatMap((block, place) => (fits(block) ? [place] : []))
      const place = places[at % Math.max(1, places.length)]
      if (place === undefined) return draft
      const block = draft.messages[place] as DraftBlock
      return { ...draft, messages: draft.messages.with(place, change(block, draft.messages)) }
    },
  })
  const isType = (type: string) => (block: DraftBlock) => block.value["type"] === type
  const set = (fields: Fields) => (block: DraftBlock) => ({ ...block, value: { ...block.value, ...fields } })
  const unset = (key: string) => (block: DraftBlock) => {
    const { [key]: _, ...value } = block.value
    return { ...block, value }
  }
  const otherId = (all: readonly DraftBlock[]) => {
    const ids = all.flatMap(({ value }) => (typeof value["id"] === "string" ? [value["id"]] : []))
    return ids[at % Math.max(1, ids.length)] ?? "call_none"
  }
  const stranger = { ...target, model: `another than ${target.model}` }
  return fc.constantFrom<Mutation>(
    ...["", "  \n", "\u00a0\ufeff"].map((text) => onBlock("blank a text", isType("text"), set({ text }))),
    onBlock("lose a text", isType("text"), unset("text")),
    onBlock("half a pair in a text", isType("text"), set({ text: "x \ud83d y" })),
    onBlock("half a pair in an input", isType("tool_use"), set({ input: { "\udc00": 1 } })),
    onBlock("half a pair in a result", isType("tool_result"), set({ content: "\ud800" })),
    ...["", "a b", "ünder", "x".repeat(300)].map((id) =>
      onBlock("odd call id", isType("tool_use"), set({ id })),
    ),
    onBlock("repeated call id", isType("tool_use"), (block, all) => set({ id: otherId(all) })(block)),
    onBlock("fresh call id", isType("tool_use"), set({ id: "call_fresh" })),
    onBlock("result of another call", isType("tool_result"), (block, all) =>
      set({ tool_use_id: otherId(all) })(block),
    ),
    onBlock("result of no call", isType("tool_result"), set({ tool_use_id: "call_fresh" })),
    onBlock("odd result id", isType("tool_result"), set({ tool_use_id: "a b" })),
    onBlock("empty result", isType("tool_result"), set({ content: "" })),
    onBlock("blank result", isType("tool_result"), set({ content: " \n" })),
    onBlock("result without content", isType("tool_result"), unset("content")),
    onBlock("error flag of another type", isType("tool_result"), set({ is_error: "yes" })),
    onBlock("error flag", isType("tool_result"), set({ is_error: true })),
    ...["", "a b", "x".repeat(128), "x".repeat(129)].map((name) =>
      onBlock("odd call name", isType("tool_use"), set({ name })),
    ),
    ...[[], "{}", null, 1].map((input) => onBlock("odd input", isType("tool_use"), set({ input }))),
    onBlock("call without input", isType("tool_use"), unset("input")),
    onBlock("thinking of another model", isType("thinking"), (block) => ({
      ...set({ signature: signThinking(stranger.model, String(block.value["thinking"])) })(block),
      native: JSON.stringify([stranger.provider, stranger.model, stranger.endpoint]),
    })),
    onBlock("thinking without signature", isType("thinking"), set({ signature: "" })),
    onBlock("thinking without a signature member", isType("thinking"), unset("signature")),
    onBlock("redacted thinking without data", isType("redacted_thinking"), set({ data: "" })),
    ...(["user", "assistant", "system"] as const).map((role) =>
      onBlock(
        `role ${role}`,
        () => true,
        (block) => ({ ...block, role }),
      ),
    ),
    onBlock("unknown type", () => true, set({ type: "hologram" })),
    onBlock("no type", () => true, unset("type")),
  )
}

const toolMutation = (at: number): fc.Arbitrary<Mutation> => {
  const onTool = (name: string, fields: Fields): Mutation => ({
    name: `${name} (${at})`,
    change: (draft) => {
      const place = at % Math.max(1, draft.tools.length)
      const tool = draft.tools[place]
      return tool === undefined ? draft : { ...draft, tools: draft.tools.with(place, { ...tool, ...fields }) }
    },
  })
  const schema = (input_schema: unknown) => onTool("odd schema", { input_schema })
  return fc.constantFrom<Mutation>(
    { name: "strip the tools", change: (draft) => ({ ...draft, tools: [] }) },
    { name: "repeat the tools", change: (draft) => ({ ...draft, tools: [...draft.tools, ...draft.tools] }) },
    {
      name: "blank the system text",
      change: (draft) => ({ ...draft, system: [{ type: "text", text: " " }] }),
    },
    { name: "drop the system text", change: (draft) => ({ ...draft, system: [] }) },
    onTool("odd tool name", { name: "a tool" }),
    onTool("no tool name", { name: "" }),
    onTool("long tool name", { name: "x".repeat(129) }),
    onTool("longest tool name", { name: "x".repeat(128) }),
    schema(null),
    schema({}),
    schema({ type: "string" }),
    schema({ type: "object" }),
    schema({ type: "object", anyOf: [] }),
    schema({ type: "object", oneOf: [{ type: "object" }] }),
    schema({ type: "object", properties: [] }),
    schema({ type: "object", properties: { "file path": { type: "string" } } }),
    schema({ type: "object", properties: { $ref: { type: "string" } } }),
    schema({ type: "object", properties: { "a.b-c_d": { type: "string" } } }),
    schema({ type: "object", properties: { ["x".repeat(65)]: { type: "string" } } }),
  )
}

const paramMutation: fc.Arbitrary<Mutation> = fc
  .constantFrom<readonly [string, Fields]>(
    ["less than no output", { max_tokens: -1 }],
    ["half a token", { max_tokens: 1.5 }],
    ["small budget", { thinking: { type: "enabled", budget_tokens: 1_023 } }],
    ["smallest budget", { thinking: { type: "enabled", budget_tokens: 1_024 } }],
    [
      "budget as large as the output",
      { max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 2_000 } },
    ],
    ["no budget", { thinking: { type: "enabled" } }],
    ["thinking off", { thinking: undefined }],
    ["another model", { model: "nobody" }],
  )
  .map(([name, fields]) => ({
    name,
    change: (draft) => ({ ...draft, params: { ...draft.params, ...fields } }),
  }))

const isThinking = (value: Fields): boolean =>
  value["type"] === "thinking" || value["type"] === "redacted_thinking"
