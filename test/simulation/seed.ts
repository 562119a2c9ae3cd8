/**
 * One seed: a plan, a machine that crashes, clients that retry, then rest and judgement.
 */
import { hash } from "node:crypto"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { createProviderSim } from "@holdfast/provider-sim"
import type { Fact } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { openInlineStore } from "@holdfast/store"
import { combine, dateSource, make } from "@holdfast/core/context/index"
import { type ClientContext, type ClientRecord, runClient } from "./clients.ts"
import { checkExecutions, checkRequests, checkSession } from "./invariants.ts"
import { type Kill, Machine } from "./machine.ts"
import { drawPlan, type Plan } from "./plan.ts"
import { SimProcess, World } from "./scheduler.ts"
import { countingTool, scriptedReply, sessionTag, type Weather } from "./script.ts"
import { sealed } from "./seal.ts"

export interface SeedReport {
  readonly seed: number
  readonly hash: string
  readonly problems: readonly string[]
  readonly trace: readonly string[]
  readonly steps: number
  readonly writes: number
  readonly virtualMs: number
  readonly requests: number
  /** How often each kind of fact, with its outcome, came up: what the seed really exercised. */
  readonly facts: ReadonlyMap<string, number>
}

export interface SeedOptions {
  /** In place of what the seed draws. */
  readonly plan?: Plan
  /** Only this kill, in place of the plan's. */
  readonly kills?: readonly Kill[]
}

const stepsMax = 3_000_000
const eventsMax = 100_000
const roundsMax = 300
const restMs = 500
/** Small, so that histories meet the size gate. */
const contextTokens = 12_000
const date = dateSource({ timeZone: "UTC" })

export function runSeed(seed: number, options: SeedOptions = {}): SeedReport {
  const world = new World(seed)
  const stage = new Stage(world, options)
  try {
    return sealed(world, () => stage.run(seed))
  } finally {
    stage.machine.disk.remove()
  }
}

class Stage {
  readonly world: World
  readonly plan: Plan
  readonly machine: Machine
  private readonly trace: string[] = []
  private readonly weather: Weather
  private readonly executions = new Map<string, number>()
  private readonly requests: { tag: string; blocks: readonly string[]; body: string }[] = []
  private readonly record: ClientRecord = {
    promises: new Map(),
    sessions: new Map(),
    fenced: new Set(),
    problems: [],
  }
  private readonly facts = new Map<string, number>()
  private contextValue = 0
  private readonly provider

  constructor(world: World, options: SeedOptions) {
    this.world = world
    const plan = options.plan ?? drawPlan(world)
    this.plan = options.kills === undefined ? plan : { ...plan, kills: options.kills }
    this.weather = { faultChance: this.plan.faultChance }
    const systemRole = world.chance(0.5)
    this.provider = createProviderSim({
      contextTokens,
      models: { script: { systemRole, reply: (view) => scriptedReply(world, this.weather, view) } },
    })
    this.machine = new Machine({
      world,
      provider: this.provider,
      contextTokens,
      systemRole,
      diskMs: this.plan.diskMs,
      tools: [countingTool(world, this.noteStart)],
      context: () => this.context(),
      note: this.note,
      onSend: this.noteRequest,
    })
  }

  run(seed: number): SeedReport {
    const startMs = this.world.nowMs
    const world = new SimProcess(this.world, "world")
    const fiber = world.fork(this.program())
    while (fiber.pollUnsafe() === undefined && this.world.steps < stepsMax) {
      if (!this.world.step()) break
    }
    const exit = fiber.pollUnsafe()
    const problems = [...this.record.problems]
    if (exit === undefined) problems.push("[DR4] the world came to a standstill before every Session settled")
    else if (exit._tag === "Failure") problems.push(`the harness broke: ${String(exit.cause)}`)
    else problems.push(...exit.value)
    return {
      seed,
      hash: hash("sha256", this.trace.join("\n")),
      problems,
      trace: this.trace,
      steps: this.world.steps,
      writes: this.machine.writesTotal,
      virtualMs: this.world.nowMs - startMs,
      requests: this.requests.length,
      facts: this.facts,
    }
  }

  private program() {
    return Effect.gen({ self: this }, function* () {
      const clients = yield* Effect.forEach(this.plan.sessions, (session) =>
        Effect.forkChild(runClient(this.clientContext(), session)),
      )
      const clientsDone = yield* Deferred.make<void>()
      yield* Effect.forkChild(
        Effect.forEach(clients, (client) => Fiber.join(client)).pipe(
          Effect.andThen(Deferred.succeed(clientsDone, undefined)),
        ),
      )
      yield* this.crashAndReboot(Deferred.await(clientsDone))
      yield* this.comeToRest()
      return yield* this.judge()
    })
  }

  private clientContext(): ClientContext {
    return {
      world: this.world,
      machine: this.machine,
      record: this.record,
      note: this.note,
      changeContext: () => {
        this.contextValue++
      },
    }
  }

  /** One or two runtimes, each booted again after each planned death; at the end none is killed. */
  private crashAndReboot(clientsDone: Effect.Effect<void>) {
    const { kills, second } = this.plan
    const slots = second === null ? [kills] : [kills, second]
    return Effect.forEach(slots, (deaths) => this.runSlot(deaths, clientsDone), {
      concurrency: "unbounded",
      discard: true,
    }).pipe(Effect.andThen(clientsDone))
  }

  private runSlot(deaths: readonly Kill[], clientsDone: Effect.Effect<void>) {
    return Effect.gen({ self: this }, function* () {
      for (const kill of deaths) {
        const booted = yield* this.machine.boot(kill)
        yield* Effect.raceFirst(Deferred.await(booted.died), this.quiet(clientsDone))
        if (!booted.process.dead) this.machine.crash(booted, kill.crash)
        this.machine.bury()
        this.record.fenced.clear()
        yield* Effect.sleep(this.world.below(3_000))
      }
      yield* this.machine.boot(null)
    })
  }

  /** The clients are through and nothing is active any more: the kill point will not be reached. */
  private quiet(clientsDone: Effect.Effect<void>) {
    return Effect.gen({ self: this }, function* () {
      yield* clientsDone
      for (;;) {
        yield* Effect.sleep(60_000)
        const active = yield* this.machine.call((runtime) => Effect.sync(runtime.active))
        if (active.kind === "ok" && active.value.length === 0) return
      }
    })
  }

  /**
   * With fair weather, every Session is resumed until it owes nothing. Input that can never fit the
   * window fails each time; then, as a person would, the client asks for something shorter.
   */
  private comeToRest() {
    return Effect.gen({ self: this }, function* () {
      this.weather.faultChance = 0
      this.record.fenced.clear()
      this.machine.fillDisk(false)
      for (const [tag, session] of this.record.sessions) {
        for (let round = 0; round < roundsMax; round++) {
          yield* this.machine.call((runtime) => runtime.settled(session))
          const info = yield* this.machine.call((runtime) => runtime.get(session))
          if (info.kind !== "ok") break
          const { owing, pending, state } = info.value.status
          if (state === "running" || state === "waiting") {
            yield* Effect.sleep(restMs)
            continue
          }
          if (!owing && pending === 0) break
          const shorter = { sessionID: session, text: `${tag} never mind` }
          yield* this.machine.call((runtime): Effect.Effect<unknown, unknown> =>
            round % 6 === 5 ? runtime.prompt(shorter) : runtime.resume(session),
          )
        }
      }
      // Another process may have waited for its turn, and be about to find that nothing is due any more.
      for (const session of this.record.sessions.values()) {
        yield* this.machine.callEach((runtime) => runtime.settled(session))
      }
    })
  }

  private judge() {
    return Effect.gen({ self: this }, function* () {
      const outside = { clients: this.record, executions: this.executions }
      const store = yield* Effect.orDie(openInlineStore({ file: this.machine.disk.file() }))
      const problems: string[] = []
      const breaks = new Map<string, number>()
      const started = new Set<string>()
      for (const [tag, session] of this.record.sessions) {
        const id = session as SessionId
        problems.push(...(yield* Effect.orDie(checkSession(store, id, tag, outside))))
        const { events } = yield* Effect.orDie(store.events(id, 0, eventsMax))
        for (const { fact } of events) {
          this.countFact(fact)
          if (fact.type === "call.started") started.add(fact.call)
        }
        const turns = yield* Effect.orDie(store.turns(id))
        breaks.set(
          tag,
          turns.filter((turn) => turn.started.pass !== "hold" || turn.settled?.ledger.break != null).length,
        )
      }
      problems.push(...checkRequests(this.requests, breaks), ...checkExecutions(this.executions, started))
      const report = yield* Effect.orDie(store.inspect())
      if (report.stale.length > 0)
        problems.push(`[EP5] projections differ from a rebuild: ${report.stale.join(", ")}`)
      for (const entry of this.provider.log) {
        const scripted = entry.reply?.fault !== undefined
        if (entry.status === 400 && !scripted)
          problems.push(`[LL3] the provider refused a request: ${entry.error?.message}`)
      }
      yield* Effect.ignore(store.close())
      return problems
    })
  }

  private countFact(fact: Fact): void {
    const name = `${fact.type}${outcomeOf(fact)}`
    this.facts.set(name, (this.facts.get(name) ?? 0) + 1)
  }

  private context() {
    const value = this.contextValue
    // Every fourth change also changes the codec, so that the stored value no longer decodes.
    const incompatible = Math.floor(value / 4) % 2 === 1
    const shape = incompatible
      ? Schema.Struct({ body: Schema.Number })
      : Schema.Struct({ text: Schema.Number })
    const loaded = incompatible ? { body: value } : { text: value }
    const source = make({
      key: "sim/value",
      codec: shape as unknown as Schema.Codec<
        { text?: number; body?: number },
        { text?: number; body?: number }
      >,
      load: Effect.sleep(this.world.below(5)).pipe(Effect.as(loaded)),
      baseline: () => `The value is ${value}.`,
      update: () => `The value is now ${value}.`,
    } as never)
    return combine([date, source])
  }

  private readonly note = (line: string): void => {
    this.trace.push(`${this.world.nowMs} ${line}`)
  }

  private readonly noteStart = (callId: string, tag: string): void => {
    this.note(`run ${callId}`)
    this.executions.set(callId, (this.executions.get(callId) ?? 0) + 1)
    if (this.plan.second === null && this.record.fenced.has(tag))
      this.record.problems.push(`${tag} [DR3] a call started after the interrupt was acknowledged`)
  }

  private readonly noteRequest = (body: Uint8Array): void => {
    const text = Buffer.from(body).toString("utf8")
    const parsed = JSON.parse(text) as RequestBody
    const tag = tagOf(parsed)
    this.note(`send ${hash("sha256", text)}`)
    this.requests.push({ tag, blocks: flatten(parsed), body: text })
    if (this.plan.second === null && this.record.fenced.has(tag))
      this.record.problems.push(`${tag} [DR3] a request was sent after the interrupt was acknowledged`)
  }
}

function outcomeOf(fact: Fact): string {
  switch (fact.type) {
    case "turn.settled":
      return ` ${fact.status}`
    case "call.settled":
      return ` ${fact.outcome.state} ${fact.outcome.errorCode ?? ""}`.trimEnd()
    case "epoch.started":
      return ` ${fact.cause}`
    case "reduction.applied":
      return ` ${fact.reduction.reason}`
    case "part.recorded":
      return ` ${fact.part.type}${"interrupted" in fact.part && fact.part.interrupted ? " cut" : ""}`
    default:
      return ""
  }
}

interface RequestBody {
  readonly tools?: readonly object[]
  readonly system?: readonly object[]
  readonly messages: readonly { readonly role: string; readonly content: string | readonly object[] }[]
}

function flatten(body: RequestBody): readonly string[] {
  const plain = (role: string, block: object) =>
    JSON.stringify([role, { ...block, cache_control: undefined }])
  return [
    ...(body.tools ?? []).map((block) => plain("tool", block)),
    ...(body.system ?? []).map((block) => plain("system", block)),
    ...body.messages.flatMap(({ role, content }) =>
      (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) =>
        plain(role, block),
      ),
    ),
  ]
}

function tagOf(body: RequestBody): string {
  const view = {
    messages: body.messages.map(({ role, content }) => ({
      role,
      blocks: typeof content === "string" ? [{ type: "text", text: content }] : content,
    })),
  }
  return sessionTag(view as never)
}
