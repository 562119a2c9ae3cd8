/**
 * A world with one seed: every choice of what runs next, every id and every moment comes from it.
 *
 * Effect's scheduler, clock and randomness are replaced per simulated process. Ready tasks are
 * picked by the seed; running fibers are preempted by the seed, since shuffling alone finds nothing
 * in code without suspension points. Time jumps to the next timer when nothing is ready.
 *
 * A killed process runs nothing more: no finalizer, no handler, as after SIGKILL. A frozen one runs
 * nothing for a while, as between SIGSTOP and SIGCONT; then its overdue timers are all due at once.
 */
import { Clock, Context, Duration, Effect, type Fiber, Logger, Random, Scheduler } from "effect"

interface Task {
  readonly run: () => void
  readonly process: SimProcess
}

interface Timer {
  readonly at: number
  readonly order: number
  readonly fire: () => void
  /** Null for the world's own, which nothing can stop. */
  readonly process: SimProcess | null
}

const preemptionChance = 0.05

export class World {
  nowMs = 1_800_000_000_000
  steps = 0
  /** What processes logged, oldest first. */
  readonly logged: string[] = []
  private ready: Task[] = []
  private timers: Timer[] = []
  private order = 0
  /** Where the draws are: who sets it back draws the same again. */
  state: number

  constructor(seed: number) {
    this.state = Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995
  }

  /** A number in [0, 1). */
  random = (): number => {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit)
  }

  chance(probability: number): boolean {
    return this.random() < probability
  }

  schedule(task: Task): void {
    this.ready.push(task)
  }

  addTimer(process: SimProcess | null, delayMs: number, fire: () => void): () => void {
    const timer: Timer = { at: this.nowMs + Math.max(0, delayMs), order: this.order++, fire, process }
    this.timers.push(timer)
    return () => {
      const at = this.timers.indexOf(timer)
      if (at >= 0) this.timers.splice(at, 1)
    }
  }

  /** One task, or a jump to the next timer. False when nothing can ever happen again. */
  step(): boolean {
    this.steps++
    if (this.ready.length > 0) {
      const at = this.below(this.ready.length)
      const task = this.ready[at] as Task
      const last = this.ready.pop() as Task
      if (at < this.ready.length) this.ready[at] = last
      if (task.process.frozen) task.process.held.push(task)
      else if (!task.process.dead) task.run()
      return true
    }
    this.timers = this.timers.filter((timer) => timer.process?.dead !== true)
    const awake = this.timers.filter((timer) => timer.process?.frozen !== true)
    if (awake.length === 0) return false
    const at = awake.reduce((least, timer) => Math.min(least, timer.at), Infinity)
    const due = awake.filter((timer) => timer.at === at)
    const timer = due[this.below(due.length)] as Timer
    this.timers.splice(this.timers.indexOf(timer), 1)
    this.nowMs = Math.max(this.nowMs, at)
    timer.fire()
    return true
  }
}

/** One simulated process: its own scheduler, and a wall clock that may be wrong. */
export class SimProcess implements Scheduler.Scheduler {
  readonly executionMode = "async"
  dead = false
  frozen = false
  /** When it last woke again. */
  thawedMs = 0
  /** What is ready while it is frozen. */
  readonly held: Task[] = []
  readonly world: World
  readonly name: string
  /** How wrong its wall clock is; a step changes it. */
  skewMs: number

  constructor(world: World, name: string, skewMs = 0) {
    this.world = world
    this.name = name
    this.skewMs = skewMs
  }

  shouldYield(): boolean {
    return this.dead || this.frozen || this.world.chance(preemptionChance)
  }

  makeDispatcher() {
    return {
      scheduleTask: (run: () => void) => {
        if (!this.dead) this.world.schedule({ run, process: this })
      },
      flush: () => {
        throw new Error("a synchronous run inside the simulation")
      },
    }
  }

  freeze(forMs: number): void {
    if (this.dead || this.frozen) return
    this.frozen = true
    this.world.addTimer(null, forMs, () => {
      this.frozen = false
      this.thawedMs = this.world.nowMs
      for (const task of this.held.splice(0)) this.world.schedule(task)
    })
  }

  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runForkWith(this.context() as Context.Context<never>)(effect)
  }

  private context() {
    const { world } = this
    const wall = () => world.nowMs + this.skewMs
    const wallNanos = () => BigInt(Math.floor(wall())) * 1_000_000n
    const nanos = () => BigInt(Math.floor(world.nowMs)) * 1_000_000n
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: wall,
      currentTimeMillis: Effect.sync(wall),
      currentTimeNanosUnsafe: wallNanos,
      currentTimeNanos: Effect.sync(wallNanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          if (!Duration.isFinite(duration)) return
          const cancel = world.addTimer(this, Duration.toMillis(duration), () => resume(Effect.void))
          return Effect.sync(cancel)
        }),
    }
    const random = {
      nextDoubleUnsafe: world.random,
      nextIntUnsafe: () => Math.floor(world.random() * Number.MAX_SAFE_INTEGER),
    }
    const heard = Logger.make(({ message }) => void world.logged.push(String(message)))
    return Context.make(Scheduler.Scheduler, this as Scheduler.Scheduler).pipe(
      Context.add(Logger.CurrentLoggers, new Set([Logger.defaultLogger, heard])),
      Context.add(Clock.Clock, clock),
      Context.add(Random.Random, random),
    )
  }
}
