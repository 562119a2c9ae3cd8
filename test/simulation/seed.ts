/** One seed: a plan, a machine that crashes, clients that retry, then rest and judgement. */
import { hash } from "node:crypto"
import { Deferred, Effect, Fiber } from "effect"
import { createProviderSim } from "@holdfast/provider-sim"
import type { Fact } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { openInlineStore } from "@holdfast/store"
import { jobMsMax } from "@holdfast/core/jobs/verdict"
import { judgeAsking, makeAsker } from "./people/asker.ts"
import { makeBystander } from "./people/bystander.ts"
import { type ClientContext, type ClientRecord, runClient } from "./clients.ts"
import { simContext } from "./context.ts"
import { factName } from "./fact-name.ts"
import { checkExecutions, checkRequests, checkSession } from "./invariants.ts"
import { judgeLimits, limitsMet, makeTreasurer } from "./limits.ts"
import { endJobs, judgeJobs } from "./jobs.ts"
import type { SeedOptions, SeedReport } from "./stories/story.ts"
import { dreamReply } from "./knowledge/dreamer.ts"
import { bringToRest, judgeKnowledge } from "./knowledge/rest.ts"
import { makeScholar } from "./knowledge/scholar.ts"
import { type Kill, Machine } from "./machine.ts"
import { drawPlan, type Plan } from "./plan.ts"
import { historianReply } from "./recall/historian.ts"
import { judgeLostJobs, judgeRecall } from "./recall/invariants.ts"
import { makeKeeper } from "./recall/keeper.ts"
import { SimProcess, World } from "../stage/scheduler.ts"
import { flatten, type RequestBody, type SentRequest, tagOf } from "./requests.ts"
import { scriptedReply, type Weather, type Work, workTools } from "./script.ts"
import { sealed } from "../stage/seal.ts"
import { makeTraveller } from "./people/traveller.ts"
import { callsOfTurns } from "./turns.ts"

const stepsMax = 3_000_000
const eventsMax = 100_000
const roundsMax = 300
const restMs = 500

export function runSeed(seed: number, options: SeedOptions = {}): SeedReport {
  const world = new World(seed)
  const stage = new Stage(world, seed, options)
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
  private readonly state: number
  private readonly trace: string[] = []
  private readonly weather: Weather
  private readonly executions = new Map<string, number>()
  private readonly requests: SentRequest[] = []
  private readonly record: ClientRecord = {
    promises: new Map(),
    sessions: new Map(),
    fenced: new Map(),
    wakes: new Map(),
    problems: [],
  }
  private readonly facts = new Map<string, number>()
  private contextValue = 0
  private readonly provider

  constructor(world: World, seed: number, options: SeedOptions) {
    this.world = world
    const plan = options.plan ?? drawPlan(world, seed)
    world.state = options.state ?? world.state
    this.state = world.state
    this.plan = options.kills === undefined ? plan : { ...plan, kills: options.kills }
    const { faultChance, shapes, stubborn = null, toolMs, jobs = null, recall = null, knowledge } = this.plan
    const long = { historian: recall?.historian ?? null, reduces: recall?.reduces ?? false }
    const knows = { knows: Boolean(knowledge), dreamer: knowledge?.dreamer ?? "helpful" } as const
    this.weather = { faultChance, shapes, stubborn, toolMs, jobs, ...long, ...knows }
    const systemRole = world.chance(0.5)
    this.provider = createProviderSim({
      contextTokens: this.plan.contextTokens,
      models: {
        script: { systemRole, reply: (view) => scriptedReply(world, this.weather, view) },
        historian: { reply: (view) => historianReply(world, this.weather.historian ?? "good", view) },
        dreamer: { reply: (view) => dreamReply(world, this.weather.dreamer, view) },
      },
    })
    this.machine = new Machine({
      world,
      provider: this.provider,
      plan: this.plan,
      systemRole,
      tools: (process) => workTools(world, this.weather, this.noteWork(process)),
      context: (location) => simContext(world, this.contextValue, location),
      note: this.note,
      met: this.met,
      problem: (problem) => this.record.problems.push(problem),
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
      story: { seed, state: this.state, plan: this.plan },
    }
  }

  private program() {
    return Effect.gen({ self: this }, function* () {
      const context = this.clientContext()
      const { sessions, bystander: steps = [], travels = [], budgets = [], knowledge = null } = this.plan
      const bystander = makeBystander(context, steps)
      const traveller = makeTraveller(context, travels)
      const treasurer = makeTreasurer(context, budgets)
      const asker = makeAsker(context, this.plan.asking ?? null)
      const keeper = makeKeeper(context, this.plan.recall ?? null)
      const scholar = makeScholar(context, knowledge)
      const people = [bystander, traveller, treasurer, asker, keeper, scholar].map(({ run }) => run)
      const clients = yield* Effect.forEach(
        [...sessions.map((session) => runClient(context, session)), ...people],
        (client) => Effect.forkChild(client),
      )
      const clientsDone = yield* Deferred.make<void>()
      yield* Effect.forkChild(
        Effect.forEach(clients, (client) => Fiber.join(client)).pipe(
          Effect.andThen(Deferred.succeed(clientsDone, undefined)),
        ),
      )
      yield* this.crashAndReboot(Deferred.await(clientsDone))
      this.machine.calmDown()
      yield* bystander.answerAll
      yield* treasurer.liftAll
      yield* this.comeToRest(asker.answerAll)
      if (knowledge !== null) yield* bringToRest(context, knowledge)
      const file = this.machine.disk.file()
      return [
        ...(yield* this.judge(keeper)),
        ...(yield* bystander.judge(file)),
        ...(yield* traveller.judge(file)),
        ...(knowledge === null
          ? []
          : yield* judgeKnowledge(context, knowledge, scholar.acknowledged, this.met)),
      ]
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
  private comeToRest(answerAll: Effect.Effect<void>) {
    return Effect.gen({ self: this }, function* () {
      this.weather.faultChance = 0
      this.weather.stubborn = null
      this.weather.dreamer = "helpful"
      yield* endJobs(this.weather)
      if (this.weather.historian !== null) this.weather.historian = "good"
      this.record.fenced.clear()
      this.machine.calmDown()
      for (const [tag, session] of this.record.sessions) {
        // The next drain ends what a dead process left.
        if (this.plan.jobs) yield* this.machine.call((each) => each.prompt({ sessionID: session, text: tag }))
        for (let round = 0; round < roundsMax; round++) {
          yield* this.machine.call((runtime) => runtime.settled(session))
          const info = yield* this.machine.call((runtime) => runtime.get(session))
          if (info.kind !== "ok") break
          const { owing, pending, state } = info.value.status
          if (state === "running" || state === "waiting") {
            yield* Effect.sleep(restMs)
            continue
          }
          if (state === "asking") {
            yield* answerAll
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
      for (const session of this.record.sessions.values())
        yield* this.machine.callEach((runtime) => runtime.settled(session))
      if (this.weather.historian !== null) yield* Effect.sleep(jobMsMax)
    })
  }

  private judge(keeper: Pick<ReturnType<typeof makeKeeper>, "acknowledged">) {
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
        const history = judgeRecall(events, keeper.acknowledged(id))
        const judged = [
          judgeAsking(events),
          judgeJobs(events, this.plan),
          judgeLimits(events),
          history,
        ].flat()
        problems.push(...judged.map((problem) => `${tag} ${problem}`))
        for (const limit of limitsMet(events)) this.met(limit)
        if (callsOfTurns(events).some((calls) => calls >= callsMost)) this.met(`${callsMost} calls in a turn`)
        const turns = yield* Effect.orDie(store.turns(id))
        breaks.set(tag, turns.filter((turn) => turn.started.pass !== "hold").length)
      }
      problems.push(...checkRequests(this.requests, breaks), ...checkExecutions(this.executions, started))
      if (this.plan.owners === "known") problems.push(...judgeLostJobs(this.machine.disk.file()))
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
    const name = factName(fact)
    this.facts.set(name, (this.facts.get(name) ?? 0) + 1)
  }

  private readonly note = (line: string): void => {
    this.trace.push(`${this.world.nowMs} ${line}`)
  }

  private readonly met = (what: string): void => {
    const name = `met: ${what}`
    this.facts.set(name, (this.facts.get(name) ?? 0) + 1)
  }

  private noteWork(process: SimProcess): Work {
    const calls = new Map<string, { tag: string; readOnly: boolean }>()
    return {
      start: (call, tag, readOnly) => {
        this.note(`run ${call} in ${process.name}`)
        this.executions.set(call, (this.executions.get(call) ?? 0) + 1)
        const beside = [...calls.values()].filter((other) => other.tag === tag)
        const heeded = beside.every((other) => readOnly && other.readOnly)
        if (!heeded) this.record.problems.push(`${tag} [TU2] ${call} did not wait for another call`)
        else if (beside.length > 0) this.met("calls that only read ran together")
        calls.set(call, { tag, readOnly })
        if (calls.size >= manyCalls) this.met(`${manyCalls} calls at once`)
        this.checkLeads(tag, process, "started a call")
        this.checkFence(tag, process, "a call started")
        this.machine.reach("start", process)
      },
      goesOn: (_call, tag) => this.checkLeads(tag, process, "was at work"),
      end: (call, size) => {
        calls.delete(call)
        if (size !== null && size > longOutput) this.met(`output over ${longOutput} characters`)
      },
    }
  }

  private readonly noteRequest = (process: SimProcess, body: Uint8Array): void => {
    const text = Buffer.from(body).toString("utf8")
    const parsed = JSON.parse(text) as RequestBody
    if (parsed.model === "historian" || parsed.model === "dreamer")
      return this.note(`${parsed.model} asked by ${process.name}`)
    const tag = tagOf(parsed)
    this.note(`send ${hash("sha256", text)} from ${process.name}`)
    // One that lost its lease and does not know it yet sends what nobody goes on from.
    if (this.checkLeads(tag, process, "sent a request")) {
      this.requests.push({ tag, blocks: flatten(parsed), body: text })
      this.checkTurn(tag, process)
    }
    this.checkFence(tag, process, "a request was sent")
  }

  private checkTurn(tag: string, process: SimProcess): void {
    const session = this.record.sessions.get(tag)
    const wrong = session === undefined ? null : this.machine.judgeSend(process, session)
    if (wrong !== null) this.record.problems.push(`${tag} ${wrong}`)
  }

  /** Only the holder of a Session does anything for it (DR1). */
  private checkLeads(tag: string, process: SimProcess, what: string): boolean {
    const session = this.record.sessions.get(tag)
    if (session === undefined) return true
    this.machine.leases.atWork(session, process.name, `${tag} ${what}`)
    return this.machine.leases.leads(session, process.name)
  }

  /** Whoever acknowledged an interrupt does nothing more; another process may take a second to hear of it (DR3). */
  private checkFence(tag: string, process: SimProcess, what: string): void {
    const fence = this.record.fenced.get(tag)
    if (fence === undefined) return
    const heardMs = Math.max(fence.atMs, this.machine.hinderedMs(process)) + noticeMs
    if (process.name === fence.by || (fence.stored && this.world.nowMs > heardMs))
      this.record.problems.push(
        `${tag} [DR3] ${what} in ${process.name} after ${fence.by} had acknowledged an interrupt`,
      )
  }
}

const manyCalls = 20
const callsMost = 30
const longOutput = 29_000
/** How long an interrupt may be on its way to another process. */
const noticeMs = 1_000
