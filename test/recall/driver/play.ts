/** What each step of a story does to the world; every pass that it leads to is handed to the oracle. */
import {
  type HistorianTask,
  judgeAnswer,
  prepareTask,
  type Published,
  rangeContent,
  rebuildRange,
  rebuildRanges,
  trigger,
  refOf,
  unitsOf,
  writeExtract,
} from "@holdfast/recall"
import type { CallId, NoticeId, PromptId, SignalId } from "@holdfast/schema/id"
import type { Todo } from "@holdfast/schema/fact/todo"
import type { Media } from "@holdfast/schema/media"
import { historyOf } from "@holdfast/schema/state/state"
import { Draw } from "./draw.ts"
import { changed } from "./knowledge.ts"
import { firstPlace, movedPlace, readable, selectionAt, sourceChanged } from "./place.ts"
import { type HistorianBeside, type Planned, World } from "./world.ts"
import type { Step, Story } from "./story.ts"

export interface Oracle {
  readonly passed: (world: World, planned: Planned) => void
  readonly restarted: (world: World) => void
  /** Something that a story is about came to pass. */
  readonly did: (what: string) => void
}

export function play({ seed, steps }: Story, oracle: Oracle): World {
  const draw = new Draw(seed)
  const world = new World(firstPlace(draw))
  const stage = new Stage(world, oracle)
  if (draw.chance(0.5)) world.historian = stage.beside()
  for (const step of steps) stage.run(step)
  return world
}

/** Turns of one burst of tools. */
const burstMax = 6
/** About as many as such a burst has. */
const writesMax = 24

class Stage {
  readonly #world: World
  readonly #oracle: Oracle
  #task: HistorianTask | null = null
  /** What a provider counts for a token that we estimate. */
  #rate = 1

  constructor(world: World, oracle: Oracle) {
    this.#world = world
    this.#oracle = oracle
  }

  /** A historian that is a job: at work from its trigger until it publishes. */
  beside(): HistorianBeside {
    return {
      atWork: () => this.#task !== null,
      finish: () => {
        this.#oracle.did("wait")
        const draw = new Draw(this.#world.log.length)
        if (draw.chance(0.7)) this.#publish(draw)
        this.#task = null
      },
    }
  }

  /** What its kind says, where it came to that. */
  run(step: Step): void {
    const world = this.#world
    const { place, nowMs, log } = world
    const before = log.length
    this.#run(step, new Draw(step.seed))
    if (step.kind === "trigger" || step.kind === "publish") return
    const moved = log.length > before || world.place !== place || world.nowMs !== nowMs
    if (moved || step.kind === "restart" || step.kind === "memory") this.#oracle.did(step.kind)
  }

  #run({ kind }: Step, draw: Draw): void {
    const world = this.#world
    switch (kind) {
      case "turn":
      case "burst":
      case "notice":
        if (kind === "notice") this.#notice(draw)
        else this.#prompt(draw)
        return this.#turns(draw, kind === "burst" ? 1 + draw.below(burstMax) : 0)
      case "reduce":
        return this.#reduce(draw)
      case "trigger":
        return this.#trigger(draw)
      case "publish":
        return void this.#publish(draw)
      case "model":
        this.#rate = draw.of([0.8, 1, 1.2, 1.6])
        world.place = movedPlace(world.place, kind, draw)
        return
      case "tools":
      case "agent":
        world.place = movedPlace(world.place, kind, draw)
        return
      case "context":
      case "incompatible":
        world.place = sourceChanged(world.place, kind, draw)
        return
      case "unreadable":
        // The first Epoch needs all of them.
        if (world.state.epoch !== null) world.place = sourceChanged(world.place, kind, draw)
        return
      case "clock":
        world.nowMs += draw.of([60_000, 360_000, 7_200_000, 500_000_000])
        return
      case "restart":
        world.restart()
        return this.#oracle.restarted(world)
      case "lost-commit":
        // It was planned, and nobody will know.
        this.#prompt(draw)
        world.look()
        world.restart()
        return this.#oracle.restarted(world)
      case "crash":
        return this.#crash(draw)
      case "second-writer":
        return this.#overtaken(draw)
      case "overflow":
        this.#prompt(draw)
        return this.#overflow(draw)
      case "flush":
      case "fold":
        return world.commit([
          { type: "signal.raised", signal: world.id("sig") as SignalId, kind, detail: {} },
        ])
      case "rebuild":
        return this.#rebuild(draw)
      case "memory":
        world.knowledge = changed(world.knowledge, draw, world.nowMs)
        return
      case "quarantine": {
        // A store takes it once.
        const said = world.state.messages.filter(
          (one) => one.kind !== "system" && one.quarantined === undefined,
        )
        if (said.length === 0) return
        return world.commit([{ type: "message.quarantined", message: draw.of(said).id }])
      }
    }
  }

  /** Another process writes between a plan and its commit. */
  #overtaken(draw: Draw): void {
    this.#prompt(draw)
    this.#trigger(draw)
    this.#pass(null, false, () => {
      const published = this.#publish(draw)
      this.#oracle.did(published ? "second writer publishes" : "second writer says something")
      if (!published) this.#notice(draw)
    })
    this.#answer(draw, false)
  }

  #prompt(draw: Draw): void {
    const world = this.#world
    const images = draw.chance(0.1)
      ? Array.from({ length: 1 + draw.below(8) }, () => this.#image(draw))
      : null
    for (let count = draw.chance(0.1) ? 2 : 1; count > 0; count--)
      world.commit([
        {
          type: "prompt.admitted",
          prompt: world.id("prm") as PromptId,
          text: `Always do ${world.id("thing")}. ${wordsOf(draw)}`,
          ...(images && { images }),
          delivery: "steer",
        },
      ])
  }

  #image(draw: Draw): Media {
    const hash = draw
      .below(2 ** 31)
      .toString(16)
      .padStart(64, "0")
    return { hash, mediaType: "image/png", bytes: 1_000, width: 200, height: 100, name: null }
  }

  #notice(draw: Draw): void {
    const world = this.#world
    world.commit([
      {
        type: "notice.admitted",
        notice: world.id("ntc") as NoticeId,
        source: { kind: "runtime", id: "" },
        text: `Noted ${wordsOf(draw)}`,
        delivery: "steer",
        wakes: true,
      },
    ])
  }

  #pass(refusal: Planned["refusal"], continuing: boolean, meanwhile?: () => void): Planned | null {
    const world = this.#world
    // Somebody mends a source that could not be read, else the Session stands.
    if (world.state.epoch === null) world.place = readable(world.place)
    const planned = world.plan(refusal, continuing, meanwhile)
    if (planned === null) return null
    this.#oracle.passed(world, planned)
    return planned
  }

  /** A turn, and those that its tools lead to; it ends where nothing can be sent. */
  #turns(draw: Draw, tools: number): void {
    for (let left = tools; left >= 0; left--) {
      const planned = this.#pass(null, left < tools)
      if (planned === null || planned.plan.kind === "refused") return
      this.#answer(draw, left > 0)
      // Beside the turns, as often as one settles; what it writes comes when it comes.
      if (this.#world.historian !== null && this.#task === null) this.#trigger(draw)
      else if (draw.chance(0.2)) this.#publish(draw)
    }
  }

  #answer(draw: Draw, calls: boolean): void {
    const world = this.#world
    const started = world.state.lastTurn?.started
    if (started === undefined || world.state.lastTurn?.settled !== null) return
    if (!calls || draw.chance(0.3)) world.say(`Did ${world.id("part")}: ${wordsOf(draw)}`)
    const made = calls ? Array.from({ length: 1 + draw.below(4) }, (_, at) => this.#call(draw, at + 1)) : []
    for (const { call, todos } of made)
      world.commit([
        {
          type: "call.settled",
          turn: started.turn,
          message: started.message,
          call,
          outcome: {
            state: "done",
            output: `Out ${call} ${wordsOf(draw)}`,
            truncated: null,
            errorCode: null,
          },
          effects: [],
          ...(todos && { todos }),
          added: draw.chance(0.1) ? [{ kind: "nudge", text: "Drop some." }] : [],
          tokens: 1 + draw.below(2_000),
        },
      ])
    world.settle(calls ? "continue" : "done", Math.round(started.request.tokensEstimated * this.#rate))
  }

  #call(draw: Draw, index: number) {
    const call = this.#world.id("call") as CallId
    const name = draw.of(["read", "work", "todo", "context_reduce"])
    const todos: readonly Todo[] | null =
      name === "todo"
        ? [{ content: `Step ${draw.below(9)}`, status: draw.of(["pending", "completed", "in_progress"]) }]
        : null
    this.#world.part(index, { type: "call", call, nativeId: call, name, input: { n: draw.below(5) } })
    return { call, todos }
  }

  #reduce(draw: Draw): void {
    const world = this.#world
    const units = unitsOf(historyOf(world.state), world.state.frozen)
    const asked = units.filter(() => draw.chance(0.4)).map(refOf)
    if (asked.length === 0) return
    const signal = world.id("sig") as SignalId
    world.commit([{ type: "signal.raised", signal, kind: "drop", detail: { units: asked } }])
  }

  /** The historian begins: what it reads is decided now, what it writes may come much later. */
  #trigger(draw: Draw): void {
    const { state, place } = this.#world
    const last = state.lastTurn
    if (last?.settled == null) return
    const { contextTokens, target } = selectionAt(place)
    const triggered = trigger({
      messages: historyOf(state),
      historyEnd: state.summary.historyEnd,
      inputTokensMax: contextTokens - target.options.generation.outputTokensMax,
      usedTokens: Math.round(last.started.request.tokensEstimated * draw.of([1, 1, 1.3, 3])),
    })
    if (triggered === null) return
    this.#oracle.did("trigger")
    this.#task = prepareTask({
      session: "ses_driver",
      triggered,
      contextTokens: draw.of([8_000, 32_000]),
      compartments: [...state.items.compartments.values()],
      memory: [],
      history: historyOf(state),
    })
  }

  /** As the historian of the runtime does: only where the range is what it was. */
  #publish(draw: Draw): boolean {
    const world = this.#world
    const task = this.#task
    if (task === null) return false
    this.#task = null
    const { fromSeq, toSeq } = task.chunk
    const inside = historyOf(world.state).filter(({ seq }) => seq >= fromSeq && seq <= toSeq)
    if (rangeContent(inside) !== task.content) return false
    const published = world.publish(written(task, draw))
    if (published) this.#oracle.did("publish")
    return published
  }

  /** Compartments made anew, perhaps not all of them, and perhaps again where the last one ended (HI7). */
  #rebuild(draw: Draw): void {
    const world = this.#world
    const everything = { fromSeq: 0, toSeq: Number.MAX_SAFE_INTEGER }
    const { items, frozen } = world.state
    const ranges = rebuildRanges([...items.compartments.values()], everything, frozen)
    if (ranges.length === 0) return
    const messages = world.messagesEver()
    for (const range of ranges) {
      const inside = messages.filter(({ seq }) => seq >= range.fromSeq && seq <= range.toSeq)
      const fact = rebuildRange(range, inside)
      if (fact !== null) world.commit([fact])
      if (draw.chance(0.2)) return
    }
  }

  /** Killed before or after one of the writes of a turn with tools, drops and what a historian writes. */
  #crash(draw: Draw): void {
    const world = this.#world
    const kill = { left: 1 + draw.below(writesMax), moment: draw.of(["before", "after"] as const) }
    const died = world.dies(kill, () => {
      this.#prompt(draw)
      if (draw.chance(0.3)) this.#reduce(draw)
      this.#turns(draw, draw.below(burstMax))
      if (draw.chance(0.3)) this.#trigger(draw)
      this.#publish(draw)
      if (draw.chance(0.3)) this.#rebuild(draw)
    })
    if (died) this.#oracle.did(`death ${kill.moment} a write`)
    // Its job is gone with it.
    this.#task = null
    world.restart()
    this.#oracle.restarted(world)
  }

  #overflow(draw: Draw): void {
    const world = this.#world
    const planned = this.#pass(null, false)
    if (planned === null || planned.plan.kind === "refused") return
    const refusedTokens = planned.plan.opened.started.request.tokensEstimated
    const reason = { code: "context_overflow", message: "too long" }
    world.settle("failed", refusedTokens, reason)
    const words = draw.chance(0.5) ? "too long" : `maximum context length is ${4_000 + draw.below(8_000)}`
    const again = this.#pass({ words, refusedTokens, acceptedTokens: draw.below(refusedTokens) }, true)
    if (again?.plan.kind === "ready") this.#answer(draw, false)
  }
}

/** By a model that writes well, one that covers less than it was given, or none. */
function written(task: HistorianTask, draw: Draw): Published {
  const count = task.chunk.entries.length
  const parts: string[] = []
  const end = draw.chance(0.3) ? 1 + draw.below(count) : count
  for (let from = 1; from <= end;) {
    const to = Math.min(end, from + draw.below(4))
    parts.push(
      `<part from="${from}" to="${to}" title="t" importance="${draw.below(100)}"><p1>Said ${from}.</p1></part>`,
    )
    from = to + 1
  }
  const judged = judgeAnswer(task, `<history>${parts.join("")}<next>${end + 1}</next></history>`)
  return judged.kind === "taken" && draw.chance(0.8) ? judged.published : writeExtract(task)
}

/** Mostly short, now and then a large part of a window. */
function wordsOf(draw: Draw): string {
  const tokens = draw.chance(0.5) ? draw.below(60) : draw.chance(0.9) ? draw.below(900) : draw.below(6_000)
  return `${draw.below(10_000)} ${"w".repeat(Math.floor(tokens * 3.5))}`
}
