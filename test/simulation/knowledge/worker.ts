/**
 * Workers that embed, each a process of its own beside a runtime, with a connection of its own: one dies with its
 * runtime, or by itself, and is started anew when it is needed.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { EmbeddingPort } from "@holdfast/core/embedding/embedding"
import { workThrough } from "@holdfast/core/embedding/queue"
import { openInlineStore } from "@holdfast/store"
import type { LeaseOwner, Store } from "@holdfast/store/port"
import type { EmbeddingStep, UnitVector } from "@holdfast/store/search/embedding"
import { SimProcess, type World } from "../../stage/scheduler.ts"

export interface WorkerPlace {
  readonly world: World
  readonly file: () => string
  readonly ownerState: (owner: LeaseOwner) => "alive" | "gone" | "unknown"
  readonly opened: (database: DatabaseSync) => void
  readonly committed: (database: DatabaseSync, writer: string) => void
  readonly met: (what: string) => void
}

interface Worker {
  readonly process: SimProcess
  database: DatabaseSync | null
}

export const simModel = "sim-embedding"
const dimension = 8
/** Of the transactions of a worker, how many it dies at. */
const deathChance = 0.03
const troubleMs = 30_000
const pollMs = 500

export class Workers {
  private readonly place: WorkerPlace
  private readonly all: Worker[] = []
  private started = 0
  /** No worker dies by itself any more. */
  calm = false

  constructor(place: WorkerPlace) {
    this.place = place
  }

  isAlive(name: string): boolean {
    return this.all.some(({ process }) => process.name === name && !process.dead)
  }

  /** With their runtime, at the same moment. */
  die(of: SimProcess): void {
    for (const worker of this.all)
      if (worker.process.name.startsWith(`${of.name}/`)) worker.process.dead = true
  }

  bury(): void {
    for (const { process, database } of this.all)
      if (process.dead && database?.isOpen === true) database.close()
  }

  portFor(runtime: SimProcess): EmbeddingPort {
    let own: Worker | null = null
    let asked = false
    const due = (): void => {
      asked = true
      if (runtime.dead || (own !== null && !own.process.dead)) return
      const worker: Worker = {
        process: new SimProcess(this.place.world, `${runtime.name}/worker-${this.started++}`, runtime.skewMs),
        database: null,
      }
      own = worker
      this.all.push(worker)
      worker.process.fork(
        this.run(worker, () => {
          const again = asked
          asked = false
          return again
        }),
      )
    }
    const question = (_model: string, text: string) => answered(vectorOf(text))
    return {
      chunkCharacters: 200,
      questionMs: 100,
      trouble: () => null,
      modelOf: () => Effect.succeed(simModel),
      worker: { due, question, rests: () => answered(undefined), stop: () => {} },
    }
  }

  private run(worker: Worker, takeAsked: () => boolean) {
    const { process } = worker
    const loop = Effect.gen({ self: this }, function* () {
      const store = yield* this.openStore(worker)
      for (;;) {
        if (takeAsked()) yield* workThrough(this.worker(process, store))
        else yield* Effect.sleep(pollMs)
      }
    })
    // As a worker does: the next attempt comes after a pause.
    return Effect.forever(Effect.andThen(Effect.ignore(loop), Effect.sleep(troubleMs)))
  }

  private worker(process: SimProcess, store: Store) {
    const owner: LeaseOwner = { boot: "test", space: "test", pid: 1, start: "0", instance: process.name }
    return {
      store,
      models: [simModel],
      owner,
      ownerState: (other: LeaseOwner) => Effect.sync(() => this.place.ownerState(other)),
      embed: (step: EmbeddingStep) => Effect.as(Effect.sleep(this.place.world.below(300)), vectorsOf(step)),
    }
  }

  private openStore(worker: Worker) {
    const { world } = this.place
    const { process } = worker
    if (worker.database?.isOpen === true) worker.database.close()
    return openInlineStore({
      file: this.place.file(),
      busyMs: 0,
      onOpen: (database) => {
        worker.database = database
      },
      gate: (commit) =>
        Effect.gen({ self: this }, function* () {
          yield* Effect.sleep(world.below(3))
          if (!this.calm && world.chance(deathChance)) {
            process.dead = true
            this.place.met("death of a worker")
            return yield* Effect.never
          }
          return commit()
        }),
      onBatch: () => {
        if (worker.database !== null) this.place.committed(worker.database, process.name)
      },
    })
  }
}

const vectorsOf = ({ units }: EmbeddingStep): readonly UnitVector[] =>
  units.map(({ unit, text }) => ({ unit, chunk: 0, vector: vectorOf(text) }))

const vectorOf = (text: string): Float32Array =>
  Float32Array.from(
    { length: dimension },
    (_, at) => 1 + (text.charCodeAt(at % Math.max(1, text.length)) || 0),
  )

/** A Promise that is there at once: one of the host would escape the seed. */
const answered = <A>(value: A): Promise<A> =>
  // eslint-disable-next-line unicorn/no-thenable
  ({ then: (resolve: (value: A) => unknown) => resolve(value) }) as unknown as Promise<A>
