/** What each step of a story does to the world; every pass that it leads to is handed to the oracle. */
import {
  type HistorianTask,
  judgeAnswer,
  prepareTask,
  type Published,
  rangeContent,
  trigger,
  unitsOf,
  writeExtract,
} from "@holdfast/recall"
import type { CallId, NoticeId, PromptId, SignalId } from "@holdfast/schema/id"
import type { Todo } from "@holdfast/schema/fact/todo"
import type { Media } from "@holdfast/schema/media"
import { historyOf } from "@holdfast/schema/state/state"
import { Draw } from "./draw.ts"
import { firstPlace, movedPlace, readable, selectionAt, sourceChanged } from "./place.ts"
import { type Planned, World } from "./world.ts"
import type { Step, Story } from "./story.ts"

export interface Oracle {
  readonly passed: (world: World, planned: Planned) => void
  readonly restarted: (world: World) => void
}

export function play({ seed, steps }: Story, oracle: Oracle): World {
  const world = new World(firstPlace(new Draw(seed)))
  const stage = new Stage(world, oracle)
  for (const step of steps) stage.run(step)
  return world
}

/** Turns of one burst of tools. */
const burstMax = 6

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

  run({ kind, seed }: Step): void {
    const draw = new Draw(seed)
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
        this.#prompt(draw)
        return this.#crash(draw)
      case "second-writer":
        this.#prompt(draw)
        this.#trigger(draw)
        this.#pass(null, false, () => {
          if (!this.#publish(draw)) this.#notice(draw)
        })
        return this.#answer(draw, false)
      case "overflow":
        this.#prompt(draw)
        return this.#overflow(draw)
      case "flush":
      case "fold":
        return world.commit([
          { type: "signal.raised", signal: world.id("sig") as SignalId, kind, detail: {} },
        ])
      case "quarantine": {
        const said = world.state.messages.filter(({ kind: of }) => of !== "system")
        if (said.length === 0) return
        return world.commit([{ type: "message.quarantined", message: draw.of(said).id }])
      }
    }
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
    world.sent(planned)
    this.#oracle.passed(world, planned)
    return planned
  }

  /** A turn, and those that its tools lead to; it ends where nothing can be sent. */
  #turns(draw: Draw, tools: number): void {
    for (let left = tools; left >= 0; left--) {
      const planned = this.#pass(null, left < tools)
      if (planned === null || planned.plan.kind === "refused") return
      this.#answer(draw, left > 0)
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
    const asked = units.filter(() => draw.chance(0.4)).map(({ message, call }) => ({ message, call }))
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
    return world.publish(written(task, draw))
  }

  /** Killed somewhere between the request and the end of its answer. */
  #crash(draw: Draw): void {
    const world = this.#world
    const planned = this.#pass(null, false)
    if (planned !== null && planned.plan.kind === "ready" && draw.chance(0.7)) {
      if (draw.chance(0.5)) world.say("Half of it")
      for (let at = draw.below(3); at > 0; at--) this.#call(draw, at)
    }
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
