/**
 * A stage for the whole runtime: virtual time, real SQLite, a scripted provider, and everything the
 * outside world decides under the test's control. Calls are synchronous from the test's view: the
 * world is stepped until they answer. A killed process runs nothing more, as after SIGKILL.
 */
import { Effect, Exit } from "effect"
import { combine, type SystemContext } from "@holdfast/core/context/index"
import type { SendPrompt } from "@holdfast/core/runtime"
import type { DrainEnd } from "@holdfast/core/session/drain"
import { type LiveEvent, makeLiveHub } from "@holdfast/core/session/live"
import type { KeepWarm } from "@holdfast/core/config/settings"
import type { ProjectFiles } from "@holdfast/core/dreamer/project-files"
import type { Authorise, DreamerPort, RuntimeLimits, TurnSettings } from "@holdfast/core/session/ports"
import type { Verdict } from "@holdfast/core/permission/verdict"
import type { Tool } from "@holdfast/core/tools/index"
import {
  createProviderSim,
  type ProviderSim,
  type Reply,
  type RequestView,
  type SimResponse,
} from "@holdfast/provider-sim"
import type { FileState } from "@holdfast/recall"
import { StoreFailure } from "@holdfast/schema/error"
import type { Event, FactOf, FactType } from "@holdfast/schema/event"
import type { OnAsk } from "@holdfast/schema/fact/session"
import type { SessionId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { Message } from "@holdfast/schema/message"
import type { SessionStatus } from "@holdfast/schema/session"
import type { Command, Store, StoredTurn } from "@holdfast/store/port"
import type { StageAgent } from "../stage/ports.ts"
import { type LineTrouble, simTransport } from "../stage/transport.ts"
import {
  type BootOptions,
  type Booted,
  type Call,
  type Death,
  projectDirectory,
  VirtualStage,
} from "../stage/virtual.ts"
import { type ModelSettings, stageModel } from "./model.ts"
import { readRequest, type SentRequest } from "./sent-request.ts"

export const stageAgentPrompt = "You are the agent of a stage."

export interface StageOptions extends ModelSettings {
  readonly seed?: number
  readonly tools?: readonly Tool[]
  readonly sources?: StageSource[]
  readonly limits?: Partial<RuntimeLimits>
  readonly turnsMax?: number
  /** By name; a test may change them between turns. */
  readonly agents?: Record<string, StageAgent>
  /** What the provider really takes, where that is not what is believed of it. */
  readonly windowTokens?: number
  /** What the rules say to calls of a tool (`rulesBy` below); what is not named is allowed. */
  readonly rules?: Record<string, "ask" | "deny" | "allow">
  /** False for a process that ends with what it was asked for, as a command does. */
  readonly continues?: boolean
  readonly titles?: boolean
  /** Models that write history, in order; of `sim`, by their own names. */
  readonly historian?: readonly ("historian" | "historian-2")[]
  /** What the dreamer asks its model, the one of that name of `sim`; nobody dreams by itself unless given. */
  readonly dreamer?: Partial<DreamerPort>
  /** How long a turn waits for the sidekick, the model of that name of `sim`; there is none unless given. */
  readonly sidekickMs?: number
  /** Instructions of the user's own for them. */
  readonly historianPrompt?: string
  /** Whether each draft is looked at once more. */
  readonly historianEditor?: boolean
  readonly keepWarm?: KeepWarm
  readonly settings?: TurnSettings
}

/** What says something to the model; most are FactSources. */
interface StageSource {
  readonly context: (location: Location) => SystemContext
}

export class Stage extends VirtualStage {
  /** Sends, tool starts and committed commands, in the order in which they happened. */
  readonly journal: string[] = []
  readonly sent: SentRequest[] = []
  readonly live: LiveEvent[] = []
  /** Played in order; when they have run out the model says `Answer <n>.`. */
  readonly replies: Reply[] = []
  /** What the model of titles says; `Title <n>.` when they have run out. */
  readonly titleReplies: Reply[] = []
  /** What the models of history say to a request; nothing that can be used unless given. */
  historianReply: (view: RequestView, model: string) => Reply = () => ({
    blocks: [{ type: "text", text: "Sure." }],
  })
  /** What the model of the dreamer says to a request. */
  dreamerReply: (view: RequestView) => Reply = () => ({ blocks: [{ type: "text", text: "{}" }] })
  /** What the sidekick's model says to a request. */
  sidekickReply: (view: RequestView) => Reply = () => ({ blocks: [{ type: "text", text: "Nothing found." }] })
  /** Files of the project for the dreamer, by path; what is not here is there. */
  readonly projectFiles = new Map<string, FileState | "link" | { text: string }>()
  readonly sources: StageSource[]
  readonly provider: ProviderSim
  readonly endedCalls: string[] = []
  /** Files of the machine, as the hashes of their bytes. */
  readonly files = new Map<string, string>()
  locationThere = true
  /** Directories that are not there, for whoever names one. */
  readonly missing = new Set<string>()
  /** Commands that the store refuses. */
  refuses: (command: Command) => boolean = () => false
  /** Whether the rows of Sessions cannot be read. */
  unreadable = false
  /** Runs where the committing fiber goes on, right after a command is on disk. */
  afterCommit: (command: Command) => Effect.Effect<void> = () => Effect.void
  /** Changes an answer on its way. */
  rewrite: (response: SimResponse) => SimResponse = (response) => response
  /** What goes wrong on the way to the provider, asked for each request. */
  lineTrouble: () => LineTrouble | null = () => null
  /** Set over the options between two turns, as what follows may be. */
  settings: TurnSettings = {}
  historian: NonNullable<StageOptions["historian"]>
  keepWarm: KeepWarm | null
  sidekickMs: number | null
  current: Booted
  private readonly options: StageOptions

  constructor(options: StageOptions = {}) {
    super(options.seed)
    this.options = options
    this.sources = options.sources ?? []
    this.historian = options.historian ?? []
    this.keepWarm = options.keepWarm ?? null
    this.sidekickMs = options.sidekickMs ?? null
    let answers = 0
    const reply = (): Reply =>
      this.replies.shift() ?? { blocks: [{ type: "text", text: `Answer ${++answers}.` }] }
    const model = { reply, thinking: options.thinking ?? false }
    let titles = 0
    const titleReply = (): Reply =>
      this.titleReplies.shift() ?? { blocks: [{ type: "text", text: `Title ${++titles}` }] }
    this.provider = createProviderSim({
      contextTokens: options.windowTokens ?? options.contextTokens ?? 200_000,
      models: {
        script: model,
        other: model,
        third: model,
        titles: { reply: titleReply },
        dreamer: { reply: (view) => this.dreamerReply(view) },
        sidekick: { reply: (view) => this.sidekickReply(view) },
        historian: { reply: (view) => this.historianReply(view, "historian") },
        "historian-2": { reply: (view) => this.historianReply(view, "historian-2") },
      },
    })
    this.current = this.boot()
  }

  /** The connection of the process that was started last. */
  get database() {
    return this.current.database
  }

  override boot(options: BootOptions = {}): Booted {
    return (this.current = super.boot(options))
  }

  /** SIGKILL: nothing of the process runs on; the next boot finds the files as they are. */
  kill(): void {
    this.die(this.current)
    this.bury(this.current)
  }

  /** Ends the process in good order and starts another. */
  restart(options: BootOptions = {}): Booted {
    this.shutDown(this.current)
    return this.boot(options)
  }

  /** Resumes the Session in a process that dies at a write, or when the drain is over; another recovers it. */
  crash(session: SessionId, death: Death): void {
    this.restart({ death })
    const heard = this.live.length
    this.begin((runtime) => runtime.resume(session))
    const ended = () => this.live.slice(heard).some(({ type }) => type === "drain-end")
    this.until(() => this.current.process.dead || ended())
    this.kill()
    this.boot()
    this.settle(session)
  }

  close(): void {
    this.bury(this.current)
    this.disk.remove()
  }

  /** The answer of the runtime; a failure is thrown as it is. */
  ask<A, E>(call: Call<A, E>, booted = this.current): A {
    const exit = this.answer(call, booted)
    if (Exit.isSuccess(exit)) return exit.value
    throw failureOf(exit) ?? new Error(`a call broke: ${String(exit.cause)}`)
  }

  /** The failure that the runtime answers with. */
  failure<A, E>(call: Call<A, E>): E {
    const exit = this.answer(call, this.current)
    const failure = failureOf(exit)
    if (failure === null) throw new Error(`the call did not fail: ${JSON.stringify(exit)}`)
    return failure
  }

  /** Starts a call without waiting; the result answers null until it has ended. */
  override begin<A, E>(call: Call<A, E>, booted = this.current): () => Exit.Exit<A, E> | null {
    return super.begin(call, booted)
  }

  create(policy: "settle" | "continue" = "settle", onAsk: OnAsk = "wait"): SessionId {
    return this.ask((runtime) => runtime.create({ directory: projectDirectory, policy, onAsk })).id
  }

  prompt(session: SessionId, text: string, more: Partial<SendPrompt> = {}) {
    return this.ask((runtime) => runtime.prompt({ sessionID: session, text, ...more }))
  }

  /** Waits until no drain runs on the Session. */
  settle(session: SessionId): DrainEnd | null {
    return this.ask((runtime) => runtime.settled(session))
  }

  /** Sends a prompt and waits for what comes of it. */
  converse(session: SessionId, text: string, more: Partial<SendPrompt> = {}): DrainEnd | null {
    this.prompt(session, text, more)
    return this.settle(session)
  }

  resume(session: SessionId): DrainEnd | null {
    this.ask((runtime) => runtime.resume(session))
    return this.settle(session)
  }

  status = (session: SessionId): SessionStatus => this.ask((runtime) => runtime.get(session)).status
  messages = (session: SessionId): readonly Message[] =>
    this.ask((runtime) => runtime.messages(session, { afterSeq: 0, limit: 1_000, system: true }))
  turns = (session: SessionId): readonly StoredTurn[] => this.ask((runtime) => runtime.turns(session))
  verdicts = (session: SessionId) =>
    this.ask((runtime) => runtime.verify(session)).map(({ verdict }) => verdict.kind)
  /** The stored ones, with what is not told outside. */
  events = (session: SessionId): readonly Event[] =>
    this.ask((_, store) => store.events(session, 0, 10_000)).events

  facts<T extends FactType>(session: SessionId, type: T): readonly FactOf<T>[] {
    return this.events(session).flatMap(({ fact }) => (fact.type === type ? [fact as FactOf<T>] : []))
  }

  protected override onStore(store: Store): Effect.Effect<Store> {
    return Effect.succeed({
      ...store,
      commit: (command) => this.commit(store, command),
      session: (id) => Effect.suspend(() => (this.unreadable ? Effect.fail(storeDown) : store.session(id))),
    })
  }

  protected override bind() {
    const live = makeLiveHub()
    live.subscribe((event) => this.live.push(event))
    const provider = {
      ...this.provider,
      respond: (...call: Parameters<ProviderSim["respond"]>) => this.rewrite(this.provider.respond(...call)),
    }
    const { tools = [], limits = {}, turnsMax, agents, rules } = this.options
    return {
      live,
      transport: simTransport(
        provider,
        (body) => {
          this.sent.push(readRequest(body, this.world.nowMs))
          this.journal.push("send")
        },
        () => this.lineTrouble(),
      ),
      limits,
      ...(turnsMax === undefined ? {} : { turnsMax }),
      ...(agents === undefined ? {} : { agents }),
      ...(this.options.keepWarm && { keepWarm: () => this.keepWarm }),
      settings: () => ({ ...this.options.settings, ...this.settings }),
      model: stageModel(this.options),
      ...(this.options.continues === false && { continues: false }),
      ...(this.options.titles === true && {
        titleModel: () => stageModel(this.options)({ provider: "sim", model: "titles" }),
      }),
      ...(this.options.historian && {
        historian: () => ({
          models: this.historian.map((model) => ({ provider: "sim", model })),
          prompt: this.options.historianPrompt ?? null,
          editor: this.options.historianEditor ?? false,
        }),
      }),
      ...(this.options.dreamer && {
        dreamer: () => ({
          models: [{ provider: "sim", model: "dreamer" }],
          tasks: ["consolidate", "verify", "archive-stale", "improve"] as const,
          schedule: "always" as const,
          ...this.options.dreamer,
        }),
      }),
      ...(this.options.sidekickMs !== undefined && {
        sidekick: () =>
          this.sidekickMs === null
            ? null
            : { models: [{ provider: "sim", model: "sidekick" }], prompt: null, msMax: this.sidekickMs },
      }),
      projectFiles: filesBy(this.projectFiles),
      agentPrompt: stageAgentPrompt,
      tools,
      ...(rules && { authorise: rulesBy(rules) }),
      context: (location: Location) =>
        Effect.sync(() => combine(this.sources.map((source) => source.context(location)))),
      locate: (directory: string) =>
        Effect.sync(() => (this.missing.has(directory) ? null : { directory, projectRoot: directory })),
      locationExists: () => Effect.sync(() => this.locationThere),
      endCallProcesses: (call: string) => Effect.sync(() => void this.endedCalls.push(call)),
      endCallFiles: (_call: string, paths: readonly string[]) =>
        Effect.sync(() => new Map(paths.map((path) => [path, this.files.get(path) ?? null]))),
    }
  }

  private answer<A, E>(call: Call<A, E>, booted: Booted): Exit.Exit<A, E> {
    const exit = this.finish(call, booted)
    if (exit === null) throw new Error("the process died before it answered")
    return exit
  }

  private commit<C extends Command>(store: Store, command: C) {
    // A disk takes its time to refuse: what should have waited for it has the time to show.
    if (this.refuses(command)) return Effect.andThen(Effect.sleep(refusalMs), Effect.fail(storeDown))
    return Effect.tap(store.commit(command), () => {
      this.journal.push(describe(command))
      return this.afterCommit(command)
    })
  }
}

/** One resource for each call, the `target` of its input; the rules are looked at anew for each. */
const rulesBy =
  (rules: Record<string, "ask" | "deny" | "allow">): Authorise =>
  ({ name, input, approvals, granted }) =>
    Effect.sync((): Verdict => {
      const resource = (input as { readonly target?: string }).target ?? ""
      const said = rules[name] ?? "allow"
      if (said === "deny")
        return { kind: "deny", rule: `deny ${name}`, message: `The rule deny ${name} refuses it.` }
      const approved = [...approvals.flatMap(({ resources }) => resources), ...granted].some(
        (grant) => grant.action === name && grant.resource === resource,
      )
      return said === "allow" || approved
        ? { kind: "allow" }
        : { kind: "ask", resources: [{ action: name, resource }], rule: `ask ${name}` }
    })

const filesBy = (files: Map<string, FileState | "link" | { text: string }>): ProjectFiles => ({
  states: (_, paths) =>
    Effect.sync(() => {
      const states = paths.map((path): [string, FileState] => {
        const found = files.get(path) ?? (path.endsWith(".md") ? "unknown" : "there")
        return [path, typeof found === "object" || found === "link" ? "there" : found]
      })
      return new Map(states)
    }),
  isLink: (_, path) => Effect.sync(() => files.get(path) === "link"),
  read: (_, path) =>
    Effect.sync(() => {
      const found = files.get(path)
      return typeof found === "object" ? found.text : null
    }),
  write: (_, path, text) =>
    Effect.sync(() => {
      if (text === null) files.delete(path)
      else files.set(path, { text })
      return true
    }),
})

const refusalMs = 20
const storeDown = new StoreFailure({
  code: "unavailable",
  message: "The store is away.",
  outcomeUnknown: false,
  detail: "",
})

function failureOf<A, E>(exit: Exit.Exit<A, E>): E | null {
  const failed = Exit.isFailure(exit)
    ? exit.cause.reasons.find((reason) => reason._tag === "Fail")
    : undefined
  return failed === undefined ? null : (failed.error as E)
}

function describe(command: Command): string {
  return command.kind === "append"
    ? command.facts.map((fact) => fact.type).join(" ") || "append"
    : command.kind
}
