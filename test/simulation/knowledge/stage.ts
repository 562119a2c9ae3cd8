/** What a runtime of the simulation works with where the plan has knowledge: who dreams, the files of its projects, a worker. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { ProjectFiles } from "@holdfast/core/dreamer/project-files"
import type { FileState } from "@holdfast/recall"
import type { LeaseOwner } from "@holdfast/store/port"
import type { Given } from "../../stage/ports.ts"
import type { SimProcess, World } from "../../stage/scheduler.ts"
import { region } from "./dreamer.ts"
import { NameWatch } from "./names.ts"
import { dreamTasks, type KnowledgePlan } from "./scholar.ts"
import { Workers } from "./worker.ts"

export interface KnowledgePlace {
  readonly world: World
  readonly plan: KnowledgePlan
  readonly owners: "known" | "unknown"
  readonly file: () => string
  readonly isAlive: (runtime: string) => boolean
  readonly met: (what: string) => void
  readonly problem: (problem: string) => void
}

export const dreamerModel = { provider: "sim", model: "dreamer" }

export class KnowledgeStage {
  private readonly place: KnowledgePlace
  private readonly names: NameWatch
  private readonly workers: Workers
  /** Documents, by root and path: no crash reaches them. */
  private readonly documents = new Map<string, string>()

  constructor(place: KnowledgePlace) {
    this.place = place
    const isAlive = (name: string): boolean => place.isAlive(name) || this.workers.isAlive(name)
    this.names = new NameWatch(place.world, isAlive, place.met, place.problem)
    this.workers = new Workers({
      ...place,
      ownerState: ({ instance }: LeaseOwner) => {
        if (place.owners === "unknown") return "unknown"
        return isAlive(instance) ? "alive" : "gone"
      },
      opened: this.opened,
      committed: this.committed,
    })
  }

  given(process: SimProcess): Partial<Given> {
    const { dreamer, schedule, embeds } = this.place.plan
    return {
      dreamer: () => ({ models: dreamer === null ? [] : [dreamerModel], tasks: dreamTasks, schedule }),
      projectFiles: this.files(),
      git: { head: () => Effect.succeed(null), log: () => Effect.succeed(null) },
      ...(embeds && { embedding: this.workers.portFor(process), settings: () => ({ searchHint: true }) }),
    }
  }

  readonly opened = (database: DatabaseSync): void => this.names.opened(database)
  readonly committed = (database: DatabaseSync, writer: string): void =>
    this.names.committed(database, writer)

  die(process: SimProcess): void {
    this.workers.die(process)
  }

  bury(): void {
    this.workers.bury()
  }

  calmDown(): void {
    this.workers.calm = true
  }

  private files(): ProjectFiles {
    const { documents, place } = this
    return {
      states: (_, paths) =>
        Effect.succeed(
          new Map(
            paths.map((path): [string, FileState] => {
              if (path === "STRUCTURE.md") return [path, "unknown"]
              return [path, path.includes("gone") ? "deleted" : "there"]
            }),
          ),
        ),
      isLink: () => Effect.succeed(false),
      read: (root, path) =>
        Effect.sync(
          () => documents.get(`${root}/${path}`) ?? (path === "STRUCTURE.md" ? null : `Old.\n${region}\n`),
        ),
      write: (root, path, text) =>
        Effect.sync(() => {
          if (text?.includes(region) !== true) place.problem(`[DM1] ${path} lost what people protect`)
          if (text === null) documents.delete(`${root}/${path}`)
          else documents.set(`${root}/${path}`, text)
          return true
        }),
    }
  }
}
