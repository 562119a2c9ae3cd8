/**
 * What the runtime needs from outside. Production binds these to the machine; the simulation
 * binds the same runtime to a virtual one. None of them may keep a promise or a timer of its own:
 * time comes from effect's Clock, randomness from its Random.
 */
import { type HistorianState, inlineHistorian } from "@holdfast/recall"
import type { EmbeddingPort } from "../embedding/embedding.ts"
import type { GitLog } from "../search/commits.ts"
import { Effect } from "effect"
import { type ExchangeLimits, exchangeLimits } from "@holdfast/llm/exchange"
import type { Target } from "@holdfast/llm/segments"
import type { StreamLimits, Transport, Wire } from "@holdfast/llm/wire"
import type { ModelNotFound, StoreFailure } from "@holdfast/schema/error"
import type { Approved } from "@holdfast/schema/fact/ask"
import type { AllowRule } from "@holdfast/schema/fact/session"
import type { IdPrefix, SessionId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import type { Location } from "@holdfast/schema/location"
import type { DreamTask } from "@holdfast/schema/memory/dream"
import type { ModelRef, Price } from "@holdfast/schema/model"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Reason } from "@holdfast/schema/turn"
import type { LeaseOwner, Store } from "@holdfast/store/port"
import type { Credential } from "../config/credentials/credential.ts"
import type { KeepWarm } from "../config/settings.ts"
import type { SystemContext } from "../context/index.ts"
import type { ProjectFiles } from "../dreamer/project-files.ts"
import type { ProjectDocs } from "../memory/project-docs.ts"
import type { ProjectFinder } from "../memory/project.ts"
import type { NormaliseImage } from "../media/prompt-images.ts"
import type { MayTouch } from "../permission/authorise.ts"
import type { Resource, Verdict } from "../permission/verdict.ts"
import type { Masks } from "../secrets/masks.ts"
import type { AskSidekick } from "../sidekick/sidekick.ts"
import type { OutputStore, ToolRegistry } from "../tools/index.ts"
import type { BackgroundCommands } from "./background/commands.ts"
import type { FileHashes } from "./effects/judge-plan.ts"
import type { LiveHub } from "./live.ts"
import type { LifetimeSetting } from "./request/lifetimes.ts"
import type { RetryLimits } from "./retry.ts"

/** A model that can be spoken to. */
export interface ModelSetup {
  readonly ref: ModelRef
  readonly wire: Wire
  readonly target: Target
  readonly contextTokens: number
  readonly price: Price | null
  /** How long cached prefixes are to live; as the options of the target say unless given. */
  readonly lifetime?: LifetimeSetting
  /** Where this provider may take longer, or less long, than others. */
  readonly timeouts?: Partial<AnswerLimits>
  readonly url: string
  /** Goes into headers only, never into records. */
  readonly credential: Credential
  /** Another than the one that the provider refused, or null if there is none. */
  readonly renew?: (refused: Credential) => Effect.Effect<Credential | null>
}

/** What is set where a turn works, as it stands when the turn begins (DR2). */
export interface TurnSettings {
  /** The share of the window at which recall does its waiting work; the built-in one unless given (PS5). */
  readonly executeShare?: number
  /** Whether old answers are told in fewer words where the model has no tool to drop them; not unless given (TG5). */
  readonly textCompression?: boolean
  /** Documents of the project that stand in the History Baseline (HB2); the usual ones unless given. */
  readonly docs?: readonly string[]
  /** Models that take a turn when the chosen one cannot, in order; none unless given (CA3). */
  readonly fallback?: readonly ModelRef[]
  /** Dollars above which a request that pays again for what was sent before is asked for; nobody is unless given. */
  readonly askAbove?: number
  /** Whether a model hears beside a prompt what was said about it before; not unless given (ND1). */
  readonly searchHint?: boolean
}

/** What a turn works with, as it was registered when the turn began. */
export interface Sample extends TurnSettings {
  readonly agent: Agent
  readonly tools: ToolRegistry
  /** With those that it is not offered, for what they say of themselves; only these are known where it is absent (DR5). */
  readonly declared?: ToolRegistry
  /** The sources of the Location, composed in their order (RG1). */
  readonly context: SystemContext
  /** What the rules say to a call; everything is allowed where it is absent (PE1). */
  readonly authorise?: Authorise
  /** Which files and hosts a call may come across without asking; all of them where it is absent (PE1). */
  readonly mayTouch?: (by: Permitted) => MayTouch
  /** Why no turn can begin with this agent; nothing is offered then. */
  readonly obstacle?: Reason
}

/** What a Session was permitted, and where it works. */
export interface Permitted {
  readonly location: Location
  /** What a person allowed for the rest of the Session. */
  readonly approvals: readonly Approved[]
  /** Rules that the Session was started with. */
  readonly allow: readonly AllowRule[]
}

/** A call as the rules see it. */
export interface AuthoriseCall extends Permitted {
  readonly name: string
  readonly input: Json
  /** What a person allowed this very call to touch. */
  readonly granted: readonly Resource[]
}

export interface Approvals {
  /** What is wrong with a rule, as a sentence; null where nothing is. */
  readonly findFault: (rule: string) => string | null
  readonly save: (location: Location, approved: Approved) => Effect.Effect<void, StoreFailure>
}

export type Authorise = (call: AuthoriseCall) => Effect.Effect<Verdict>

/** A named selection of prompt, model, permissions and limits (TL6). */
export interface Agent {
  readonly name: string
  readonly prompt: string
  /** Turns after a promoted input (DR7). */
  readonly turnsMax: number
  /** Answers where the Session names no model itself (CA3). */
  readonly model?: ModelRef | null
  readonly temperature?: number | null
  /** Rules, in order, as they are written (PE1). */
  readonly permissions?: readonly string[]
}

export const turnsMaxDefault = 200

/** The agent of a Session that names none. */
export const defaultAgent = "build"

/** How long a provider may take to answer one request. */
export interface AnswerLimits extends ExchangeLimits, StreamLimits {}

export interface RuntimeLimits extends AnswerLimits {
  readonly retry: RetryLimits
  /** Less than the second that may be lost (TU3), so that the commit fits into it. */
  readonly checkpointMs: number
  readonly checkpointBytes: number
  readonly renewMs: number
  /** A lease whose beat has not changed for this long of our own clock is dead. */
  readonly leaseMs: number
  /** Between two looks at a Session that another process leads. */
  readonly watchMs: number
}

export const runtimeLimits = {
  ...exchangeLimits,
  firstByteMs: 120_000,
  idleMs: 60_000,
  checkpointMs: 750,
  checkpointBytes: 16_384,
  renewMs: 2_000,
  leaseMs: 10_000,
  watchMs: 200,
} as const

/** Of a request to this model. */
export const limitsOf = (
  { timeouts }: Pick<ModelSetup, "timeouts">,
  limits: AnswerLimits = runtimeLimits,
): AnswerLimits => ({ ...limits, ...timeouts })

/** Models in their order, and the user's own instructions in place of ours (HI10). */
export interface HistorianPort {
  readonly models: readonly ModelRef[]
  readonly prompt: string | null
  /** Whether the first of them looks at each draft once more; not unless given (HI9). */
  readonly editor?: boolean
}

/** Who maintains memory, and when (DM1). */
export interface DreamerPort {
  /** In their order; without one only what needs none is done. */
  readonly models: readonly ModelRef[]
  /** What the models are asked, in this order. */
  readonly tasks: readonly DreamTask[]
  /** When a run may begin by itself: minutes of the day, which may reach over midnight. */
  readonly schedule: "always" | "never" | { readonly fromMinute: number; readonly toMinute: number }
}

/** Who looks things up for a prompt, on request (NT2). */
export interface SidekickPort {
  /** In their order. */
  readonly models: readonly ModelRef[]
  /** Instructions in place of the built-in ones. */
  readonly prompt: string | null
  /** How long a turn waits for it. */
  readonly msMax: number
}

export interface RuntimePorts {
  readonly store: Store
  readonly transport: Transport
  readonly live: LiveHub
  readonly limits: RuntimeLimits
  /** Applied to input, tool output and errors before they are stored or told (AU1). */
  readonly masks: Masks
  /** Fresh ids; the caller owns the randomness. */
  readonly newId: (prefix: IdPrefix) => string
  /** Null means the configured default. Sampled once per turn (DR2). Without a purpose nothing will be sent. */
  readonly model: (ref: ModelRef | null, purpose?: "speak") => Effect.Effect<ModelSetup, ModelNotFound>
  /** What writes titles of Sessions that speak to a model; null where the first line has to do (SS2). No titles are written unless given. */
  readonly titleModel?: (of: ModelRef | null) => Effect.Effect<ModelSetup | null, ModelNotFound>
  /** Bounds of what is sent between turns to keep a cache; null where nothing is, as unless given. */
  readonly keepWarm?: () => KeepWarm | null
  /**
   * What a turn in this Location, with this agent, works with: asked once per turn, as registered then
   * (DR2). `met` are paths that the Session has met there (IN3).
   */
  readonly sample: (location: Location, agent: string, met?: readonly string[]) => Effect.Effect<Sample>
  /**
   * Looks whether something else is set by now: a sample does it, and so does whoever needs what is set without one.
   * Between two looks every port of what is set says the same (DR2). Nothing ever changes unless given.
   */
  readonly lookAtSettings?: Effect.Effect<void>
  /** Makes an image fit for every model (LL7); by decoding it, unless given. */
  readonly normaliseImage?: NormaliseImage
  /** What a person allowed for a project, whatever Session works there (PE1). */
  readonly approvals?: Approvals
  /** Where complete outputs of calls are stored; nowhere unless given (TO3). */
  readonly outputs?: OutputStore
  /** Who writes the history of long Sessions; null for the extractive historian alone, as unless given (HI1). */
  readonly historian?: () => HistorianPort | null
  /** Who maintains memory; nobody by itself unless given (DM1). */
  readonly dreamer?: () => DreamerPort
  /** Who looks things up for prompts that ask for it; null for nobody, as unless given (NT2). */
  readonly sidekick?: () => SidekickPort | null
  /** Asks the sidekick. The runtime makes it. */
  readonly askSidekick?: AskSidekick
  /** Files of projects, for the dreamer; all of them are there unless given. */
  readonly projectFiles?: ProjectFiles
  /** Which project a Location belongs to (MM1); its root says so unless given. */
  readonly project?: ProjectFinder
  /** What embeds beside the turns; search goes by words alone unless given (SE2). */
  readonly embedding?: EmbeddingPort
  /** What Git says of projects (SE4); it is asked itself unless given. */
  readonly git?: GitLog
  /** Documents of a project that stand in the History Baseline (HB2); none unless given. */
  readonly projectDocs?: ProjectDocs
  /** Told after each turn, before the next one begins; it must not take time. The runtime makes it. */
  readonly turnSettled?: (session: SessionId, state: SessionState) => void
  /** Waits for the historian that is at work on a Session; null where none is (EG1). The runtime makes it. */
  readonly historianAtWork?: (session: SessionId) => Effect.Effect<void> | null
  /** Commands that run beside turns; the runtime makes it. */
  readonly commands?: BackgroundCommands
  readonly locationExists: (location: Location) => Effect.Effect<boolean>
  /** False in a process that only looks: work that policy `continue` would begin is left to others (DR5). */
  readonly continues?: boolean
  /** Who we are, for leases. */
  readonly owner: LeaseOwner
  /** `unknown` where only the beat can tell. */
  readonly ownerState: (owner: LeaseOwner) => Effect.Effect<"alive" | "gone" | "unknown">
  /** Takes away what a killed call left beside files that it had planned to change; answers with what these are now (DR4). */
  readonly endCallFiles?: (callId: string, paths: readonly string[]) => Effect.Effect<FileHashes>
  /** Ends whatever a call left running; answers when nothing of it is left. */
  readonly endCallProcesses: (callId: string) => Effect.Effect<void>
}

/** For work that begins without a sample. */
export const lookAtSettings = (ports: Pick<RuntimePorts, "lookAtSettings">): Effect.Effect<void> =>
  ports.lookAtSettings ?? Effect.void

/** Who writes history by a model now; null where nobody does. */
export function historianSet({ historian }: Pick<RuntimePorts, "historian">): HistorianPort | null {
  const set = historian?.() ?? null
  return set === null || set.models.length === 0 ? null : set
}

/** With a model for it, a job writes beside the turns; else a pass writes what it takes out itself (HI1). */
export const historianOf = (ports: Pick<RuntimePorts, "historian">): HistorianState => ({
  ...inlineHistorian,
  inline: historianSet(ports) === null,
})
