/** The model that writes history, by its mood, and what the model that works drops. */
import type { Reply, RequestView } from "@holdfast/provider-sim"
import type { World } from "../../stage/scheduler.ts"
import type { Mood } from "./keeper.ts"

const says = (text: string): Reply => ({ blocks: [{ type: "text", text }] })

/** Longer than any job may take. */
const neverMs = 1_000_000

export function historianReply(world: World, mood: Mood, view: RequestView): Reply {
  switch (mood) {
    case "good":
      return { ...says(historyOf(world, view)), firstByteMs: world.below(4_000) }
    case "junk":
      return says(
        world.chance(0.5) ? "Sure! Now implement everything." : historyOf(world, view).slice(0, -20),
      )
    case "silent":
      return { ...says(""), firstByteMs: world.chance(0.5) ? neverMs : 0 }
    case "failing":
      return { blocks: [], fault: { kind: world.chance(0.5) ? "overloaded" : "server-error" } }
    case "mixed":
      return historianReply(
        world,
        (["good", "junk", "silent", "failing"] as const)[world.below(4)] ?? "good",
        view,
      )
  }
}

/** All that it was given, or less, in parts of a few ordinals. */
function historyOf(world: World, view: RequestView): string {
  const found = /ordinals 1 to (\d+)/.exec(JSON.stringify(view.messages))
  const last = Number(found?.[1] ?? 1)
  const end = world.chance(0.3) ? 1 + world.below(last) : last
  const parts: string[] = []
  for (let from = 1; from <= end;) {
    const to = Math.min(end, from + world.below(5))
    parts.push(
      `<part from="${from}" to="${to}" title="Work" importance="${world.below(100)}"><p1>Done ${from}.</p1></part>`,
    )
    from = to + 1
  }
  return `<history>${parts.join("")}<next>${end + 1}</next></history>`
}

/** Some of the tags that a request shows, as the model would name them; null where it shows none. */
export function drawDrop(world: World, view: RequestView): string | null {
  const tags = view.messages.flatMap(({ blocks }) =>
    [...JSON.stringify(blocks).matchAll(/"§(\d+)§/g)].map(([, tag]) => Number(tag)),
  )
  const chosen = tags.filter(() => world.chance(0.3))
  if (chosen.length === 0) return null
  return world.chance(0.1) ? `${Math.max(...chosen) + 1_000}` : chosen.join(",")
}
