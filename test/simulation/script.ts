/**
 * The model and the tools of the simulation. The model decides by the seed; the tools count what
 * they really do, outside the runtime.
 */
import { Effect } from "effect"
import type { Fault, Reply, RequestView } from "@holdfast/provider-sim"
import type { Tool } from "@holdfast/core/tools/index"
import { memoryTool, noteTool, reduceTool, searchTool, ToolFailure } from "@holdfast/core/tools/index"
import { type Jobs, startJob } from "./jobs.ts"
import { knowledgeCalls } from "./knowledge/dreamer.ts"
import type { DreamMood } from "./knowledge/scholar.ts"
import type { Stubborn } from "./limits.ts"
import { picturesShown } from "./pictures.ts"
import { drawDrop } from "./recall/historian.ts"
import type { Mood } from "./recall/keeper.ts"
import type { World } from "../stage/scheduler.ts"
import { words } from "../stage/words.ts"

export interface Weather {
  /** Chance that an answer goes wrong. */
  faultChance: number
  readonly shapes: Shapes
  /** Whether the model cannot let go of its calls. */
  stubborn: Stubborn | null
  /** How long a tool may take, at most. */
  readonly toolMs: number
  /** Which calls leave a command in the background. */
  jobs: Jobs | null
  /** How the model writes that is asked for history; null where none is. */
  historian: Mood | null
  /** Whether the model can drop what it needs no more. */
  readonly reduces: boolean
  /** Whether the model remembers, notes and looks up. */
  readonly knows: boolean
  /** How the model answers that tends memory. */
  dreamer: DreamMood
}

/** How many calls at once and how much they bring back: as real agents do, or as they do at most. */
export type Shapes = "small" | "real" | "largest"

const roundsMax = 4

export function scriptedReply(world: World, weather: Weather, view: RequestView): Reply {
  const pace = {
    chunkChars: 1 + world.below(40),
    delayMs: world.chance(0.3) ? world.below(700) : 0,
    firstByteMs: world.below(200),
    framesPerWrite: 1 + world.below(6),
    unknownEvents: world.chance(0.1),
  }
  const fault = world.chance(weather.faultChance) ? { fault: pickFault(world) } : {}
  const rounds = roundsSinceInput(view)
  const tag = sessionTag(view)
  if (weather.stubborn !== null && !world.chance(0.02))
    return { blocks: [sameCall(weather.stubborn, tag, rounds)], ...pace, ...fault }
  const drop = weather.reduces && world.chance(0.15) ? drawDrop(world, view) : null
  if (drop !== null)
    return { blocks: [{ type: "tool_use", name: reduceTool.name, input: { drop } }], ...pace, ...fault }
  if (weather.knows && rounds < roundsMax && world.chance(0.3))
    return { blocks: knowledgeCalls(world, tag, view), ...pace, ...fault }
  const wantsCalls = rounds < roundsMax && world.chance(0.5)
  if (!wantsCalls) {
    return {
      blocks: [{ type: "text", text: `${tag} answer ${words(world, 1 + world.below(60))}` }],
      ...pace,
      ...fault,
    }
  }
  const count = drawCalls(world, weather.shapes)
  const calls = Array.from({ length: count }, (_, at) => ({
    type: "tool_use" as const,
    name: world.chance(0.05) ? "unknown" : toolOf(at, count),
    input: { session: tag, size: drawSize(world, weather.shapes) },
  }))
  const text = world.chance(0.5) ? [{ type: "text" as const, text: `${tag} first ${words(world, 5)}` }] : []
  return { blocks: [...text, ...calls], ...pace, ...fault }
}

/** Of tools that there are not: their result is always the same, and comes at once. */
const sameCall = (stubborn: Stubborn, tag: string, rounds: number) => ({
  type: "tool_use" as const,
  name: stubborn === "same" || rounds % 2 === 0 ? "unknown" : "absent",
  input: { session: tag },
})

/** Many calls only read, as they do with real agents; of a few, two that write follow two that read. */
const toolOf = (at: number, count: number): string => (count >= 20 || at % 4 >= 2 ? "look" : "work")

/** Seen in real sessions: half of the draws lie below the first number, and so on. */
const callsSeen = [1, 3, 5, 9, 30]
const sizesSeen = [1, 463, 5_041, 29_597, 84_231]
const shares = [0, 0.5, 0.9, 0.99, 1]

function drawCalls(world: World, shapes: Shapes): number {
  if (shapes === "small") return world.chance(0.1) ? 1 + world.below(12) : 1 + world.below(3)
  if (shapes === "largest" && world.chance(0.2)) return 20 + Math.min(10, world.below(21))
  return drawSeen(world, callsSeen)
}

function drawSize(world: World, shapes: Shapes): number {
  if (shapes === "small") return world.chance(0.2) ? world.below(20_000) : world.below(100)
  if (shapes === "largest" && world.chance(0.05)) return 29_597 + world.below(84_231 - 29_597)
  return drawSeen(world, sizesSeen)
}

/** Between two quantiles every order of magnitude is as likely as another. */
function drawSeen(world: World, seen: readonly number[]): number {
  const draw = world.random()
  const above = shares.findIndex((share) => draw < share)
  const [from = 1, to = 1] = seen.slice(above - 1, above + 1)
  const [low = 0, high = 1] = shares.slice(above - 1, above + 1)
  return Math.round(from * (to / from) ** ((draw - low) / (high - low)))
}

const faults: readonly ((world: World) => Fault)[] = [
  (world) => ({ kind: "stall", afterDeltas: world.below(4) }),
  (world) => ({ kind: "cut", afterDeltas: world.below(6) }),
  (world) => ({ kind: "rate-limited", retryAfter: 1 + world.below(20) }),
  () => ({ kind: "overloaded" }),
  () => ({ kind: "server-error" }),
  () => ({ kind: "overflow" }),
  (world) => ({ kind: "malformed-json", afterDeltas: world.below(4) }),
  (world) => ({ kind: "error-event", afterDeltas: world.below(4) }),
  (world) => ({ kind: "no-stop", afterDeltas: world.below(4) }),
  () => ({ kind: "html" }),
]

function pickFault(world: World): Fault {
  const make = faults[world.below(faults.length)]
  return make === undefined ? { kind: "overloaded" } : make(world)
}

/** A request that shows no prompt: the only one in its window was taken out. */
export const untagged = "S?:"

/** Which Session a request belongs to: every prompt of the workload begins with its tag. */
export function sessionTag(view: RequestView): string {
  for (const message of view.messages) {
    for (const block of message.blocks) {
      const found = block.type === "text" ? /\bS\d+:/.exec(block.text) : null
      if (found !== null) return found[0]
    }
  }
  return untagged
}

function roundsSinceInput(view: RequestView): number {
  let rounds = 0
  for (const message of view.messages.toReversed()) {
    if (message.role === "assistant") rounds++
    else if (message.blocks.some((block) => block.type === "text" && /^(?:§\d+§ )?S/.test(block.text))) break
  }
  return rounds
}

/** What a tool really does, told where no crash can reach it. */
export interface Work {
  readonly start: (callId: string, tag: string, readOnly: boolean) => void
  readonly goesOn: (callId: string, tag: string) => void
  /** Also when it is broken off. */
  readonly end: (callId: string, size: number | null) => void
}

/** One tool that writes, one that only reads, and perhaps those about the history and the project. */
export const workTools = (world: World, weather: Weather, work: Work): readonly Tool[] => [
  workTool("work", world, weather, work),
  workTool("look", world, weather, work),
  ...(weather.reduces ? [reduceTool] : []),
  ...(weather.knows ? [memoryTool, noteTool, searchTool] : []),
]

function workTool(name: "work" | "look", world: World, weather: Weather, work: Work): Tool {
  const { toolMs } = weather
  const readOnly = name === "look"
  return {
    name,
    readOnly,
    description: readOnly ? "Looks at something." : "Does some work.",
    inputSchema: {
      type: "object",
      properties: { session: { type: "string" }, size: { type: "number" } },
      required: ["session"],
    },
    repeatable: false,
    run: (input, context) =>
      Effect.gen(function* () {
        const { session, size } = input as { session: string; size?: number }
        work.start(context.callId, session, readOnly)
        yield* Effect.sleep(world.below(toolMs / 2))
        context.output.write("halfway\n")
        work.goesOn(context.callId, session)
        yield* startJob(weather.jobs, context)
        yield* Effect.sleep(world.below(toolMs / 2))
        work.goesOn(context.callId, session)
        if (world.chance(0.1))
          return yield* new ToolFailure({ code: "work_failed", message: "It did not work." })
        work.end(context.callId, size ?? 1)
        return { text: `worked ${"x".repeat(size ?? 1)}`, ...picturesShown(context.callId) }
      }).pipe(Effect.ensuring(Effect.sync(() => work.end(context.callId, null)))),
  }
}
