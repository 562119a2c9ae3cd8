/**
 * The one place where tests bind the runtime. What a test does not give is as plain as it can be: a
 * model that goes by every name, no tools, no context, every directory there, and of all processes
 * only this one alive. In a virtual world ids are drawn from its seed.
 */
import { randomBytes } from "node:crypto"
import { Effect } from "effect"
import { combine, empty, type SystemContext } from "@holdfast/core/context/index"
import { type Configured, nothingConfigured } from "@holdfast/core/config/index"
import { makeRuntime } from "@holdfast/core/runtime"
import { type Masks, makeMasks } from "@holdfast/core/secrets/masks"
import { makeLiveHub } from "@holdfast/core/session/live"
import {
  type Agent,
  type Authorise,
  type RuntimeLimits,
  type RuntimePorts,
  runtimeLimits,
  turnsMaxDefault,
  type TurnSettings,
} from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry, type Tool } from "@holdfast/core/tools/index"
import { idFromBytes } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import { anyModel } from "./model.ts"
import { takeImage } from "./png.ts"
import type { World } from "./scheduler.ts"

type Optional =
  | "live"
  | "model"
  | "titleModel"
  | "historian"
  | "dreamer"
  | "sidekick"
  | "projectFiles"
  | "embedding"
  | "git"
  | "keepWarm"
  | "continues"
  | "normaliseImage"
  | "locationExists"
  | "ownerState"
  | "endCallFiles"

export interface Given
  extends
    Pick<RuntimePorts, "store" | "transport">,
    Partial<Pick<RuntimePorts, Optional | "endCallProcesses">> {
  /** The name of the process in leases. */
  readonly instance: string
  readonly world?: World
  readonly tools?: readonly Tool[]
  readonly context?: (location: Location) => Effect.Effect<SystemContext>
  readonly agentPrompt?: string
  /** What the rules say to a call; all are allowed unless given. */
  readonly authorise?: Authorise
  /** By name; without it every name is that of the same agent. */
  readonly agents?: Readonly<Record<string, StageAgent>>
  /** Turns after a promoted input (DR7). */
  readonly turnsMax?: number
  /** What is set for the turns, asked for each of them; nothing unless given. */
  readonly settings?: () => TurnSettings
  readonly limits?: Partial<RuntimeLimits>
  /** Where a directory belongs; null if it is missing. */
  readonly locate?: (directory: string) => Effect.Effect<Location | null>
  /** Nothing is configured unless given. */
  readonly configured?: Configured
}

/** An agent of a test; `context` is composed after everything else. */
export interface StageAgent extends Partial<Agent> {
  readonly context?: SystemContext
}

const idBytes = 20

/** Tokens are the same in every run. */
const stageMasks: Masks = makeMasks({ key: Buffer.from("the key of a stage") })

export const startRuntime = ({ locate = locateAnywhere, configured = nothingConfigured, ...given }: Given) =>
  makeRuntime(bindPorts(given), { locate, configured })

function bindPorts({ instance, world, ...given }: Omit<Given, "locate" | "configured">): RuntimePorts {
  const idSource =
    world === undefined
      ? () => randomBytes(idBytes)
      : () => Uint8Array.from({ length: idBytes }, () => world.below(256))
  return {
    live: makeLiveHub(),
    masks: stageMasks,
    newId: (prefix) => idFromBytes(prefix, idSource()),
    model: anyModel(),
    locationExists: () => Effect.succeed(true),
    owner: { boot: "test", space: "test", pid: 1, start: "0", instance },
    ownerState: (owner) => Effect.succeed(owner.instance === instance ? "alive" : "gone"),
    endCallProcesses: () => Effect.void,
    // Decoding needs threads of its own, which virtual time has not.
    ...(world === undefined ? {} : { normaliseImage: takeImage }),
    ...given,
    limits: { ...runtimeLimits, retry: retryLimits, ...given.limits },
    sample: sampleOf(given),
  }
}

/** The same for every turn: what a test changes between turns, it changes behind these. */
function sampleOf(
  given: Pick<Given, "tools" | "context" | "agentPrompt" | "agents" | "turnsMax" | "authorise" | "settings">,
): RuntimePorts["sample"] {
  const { tools = [], context = () => Effect.succeed(empty), turnsMax = turnsMaxDefault } = given
  const prompt = given.agentPrompt ?? "You are the agent of a test."
  const registry = createToolRegistry(tools)
  const nothing = createToolRegistry([])
  return (location, name) =>
    Effect.map(context(location), (sources) => {
      const { context: own = empty, ...agent } = given.agents?.[name] ?? {}
      const unknown = given.agents !== undefined && given.agents[name] === undefined
      return {
        ...given.settings?.(),
        agent: { name, prompt, turnsMax, ...agent },
        tools: unknown ? nothing : registry,
        declared: registry,
        context: combine([sources, own]),
        ...(given.authorise && { authorise: given.authorise }),
        ...(unknown && { obstacle: { code: "agent_not_found", message: `There is no agent ${name} here.` } }),
      }
    })
}

const locateAnywhere = (directory: string) => Effect.succeed({ directory, projectRoot: directory })
