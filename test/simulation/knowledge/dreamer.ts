/** The model that tends memory, by its mood, and what the model that works remembers, notes and looks up. */
import type { Reply, RequestView } from "@holdfast/provider-sim"
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { World } from "../../stage/scheduler.ts"
import { words } from "../../stage/words.ts"
import type { DreamMood } from "./scholar.ts"

const says = (text: string): Reply => ({ blocks: [{ type: "text", text }] })

/** Every text and reason of a model begins with it. */
export const dreamt = "dreamt"

export const region = "<!-- holdfast:protected -->\nBy hand.\n<!-- holdfast:end -->"

export function dreamReply(world: World, mood: DreamMood, view: RequestView): Reply {
  switch (mood) {
    case "helpful":
      return { ...says(JSON.stringify(answer(world, view, false))), firstByteMs: world.below(4_000) }
    case "hostile":
      if (world.chance(0.1))
        return { blocks: [{ type: "tool_use", name: "work", input: { session: "S?:" } }] }
      return { ...says(JSON.stringify(answer(world, view, true))), firstByteMs: world.below(2_000) }
    case "wrong":
      return says(world.chance(0.5) ? "Sure!" : JSON.stringify({ archive: [{ id: "m99999" }], drop: "all" }))
    case "silent":
      return world.chance(0.1) ? { ...says(""), fault: { kind: "stall", afterDeltas: 0 } } : says("")
    case "failing":
      return { blocks: [], fault: { kind: world.chance(0.5) ? "overloaded" : "unauthorized" } }
    case "mixed": {
      const all = ["helpful", "hostile", "wrong", "silent", "failing"] as const
      return dreamReply(world, all[world.below(all.length)] ?? "helpful", view)
    }
  }
}

interface Listed {
  readonly id: string
  readonly category: string
}

/** What the task is, by what may be answered to it; a hostile model asks for all of it. */
function answer(world: World, view: RequestView, all: boolean): object {
  const text = view.messages
    .flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === "text" ? block.text : [])))
    .join("\n")
  const listed = listedIn(text)
  const some = <A>(items: readonly A[]): readonly A[] => (all ? items : items.filter(() => world.chance(0.2)))
  const reason = `${dreamt} ${world.below(1_000)}`
  const value = () => `K0 port of service ${world.below(4)} is ${dreamt}${world.below(1_000)}`
  const fresh = () => (world.chance(0.3) ? value() : `${dreamt} ${world.below(1_000)} ${words(world, 2)}`)
  if (text.includes(`"documents"`))
    return {
      documents: [
        {
          path: "ARCHITECTURE.md",
          text: all && world.chance(0.5) ? "Gone." : `${dreamt} ${world.below(1_000)}\n${region}\n`,
        },
      ],
    }
  if (text.includes(`"met"`))
    return { met: some([...text.matchAll(/^(s\d+) when:/gm)]).map(([, id]) => ({ id, reason })) }
  const asked: Record<string, readonly object[]> = {}
  if (text.includes(`"merge":`)) asked["merge"] = merges(some(listed), fresh)
  if (text.includes(`"archive":`)) asked["archive"] = some(listed).map(({ id }) => ({ id, reason }))
  if (text.includes(`"update":`))
    asked["update"] = some(listed).map(({ id }) => ({ id, text: fresh(), reason }))
  if (text.includes(`"split":`))
    asked["split"] = some(listed).map(({ id }) => ({ id, texts: [fresh(), value()], reason }))
  return asked
}

function listedIn(text: string): readonly Listed[] {
  let category = ""
  return text.split("\n").flatMap((line) => {
    category = /^\[([A-Z_]+)\]$/.exec(line)?.[1] ?? category
    const id = /^(m\d+) \(/.exec(line)?.[1]
    return id === undefined ? [] : [{ id, category }]
  })
}

function merges(listed: readonly Listed[], text: () => string): readonly object[] {
  return memoryCategories.flatMap((category) => {
    const ids = listed.filter((one) => one.category === category).map(({ id }) => id)
    return ids.length < 2 ? [] : [{ ids, text: text(), reason: dreamt }]
  })
}

const callsMax = 4

export const knowledgeCalls = (world: World, tag: string, view: RequestView) =>
  Array.from({ length: 1 + world.below(callsMax) }, () => knowledgeCall(world, tag, view))

/** A call of a context tool as the model would make it; ids are those that it sees, or guesses. */
function knowledgeCall(world: World, tag: string, view: RequestView) {
  // Not the tag itself: what is remembered stands in the windows of all Sessions of the project.
  const who = tag.slice(0, -1).toLowerCase()
  const draw = world.random()
  const shown = [...JSON.stringify(view.messages).matchAll(/\bm(\d+) /g)].map(([, id]) => `m${id}`)
  const id = () =>
    shown.length > 0 && world.chance(0.8) ? shown[world.below(shown.length)] : `m${1 + world.below(30)}`
  const category = memoryCategories[world.below(5)] ?? "NAMING"
  const content = `${who} learned ${world.below(10_000)} ${words(world, 3)}`
  const call = (name: string, input: object) => ({ type: "tool_use" as const, name, input: input as never })
  if (draw < 0.45) return call("context_memory", { action: "write", content, category })
  if (draw < 0.55) return call("context_memory", { action: "update", ids: [id()], content })
  if (draw < 0.6) return call("context_memory", { action: "archive", ids: [id()], reason: `${who} archived` })
  if (draw < 0.65) return call("context_memory", { action: "merge", ids: [id(), id()], content })
  if (draw < 0.75) return call("context_note", { action: "write", text: `${who} note ${world.below(1_000)}` })
  if (draw < 0.85)
    return call("context_note", {
      action: "write",
      text: `${who} smart note ${world.below(1_000)}`,
      condition: "the release is out",
    })
  return call("context_search", { query: words(world, 1 + world.below(2)) })
}
