/**
 * The disk of a simulated machine: real SQLite files in a folder of their own.
 *
 * A killed process leaves the files as they are. A power cut returns them to the last completed
 * sync: after each transaction the harness asks the connection what its commits sync, and takes an
 * image only if it is everything (`synchronous=FULL`).
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"

export type Crash = "kill" | "power-cut"

interface Image {
  readonly database: Buffer | null
  readonly log: Buffer | null
}

const synchronousFull = 2

export class Disk {
  private readonly folder: string
  private generation = 0
  private image: Image = { database: null, log: null }

  constructor() {
    const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()
    this.folder = mkdtempSync(join(root, "holdfast-simulation-"))
    mkdirSync(this.home())
  }

  file(): string {
    return join(this.home(), "holdfast.db")
  }

  /** Called after each transaction: everything written so far is on the platter. */
  noteCommit(database: DatabaseSync): void {
    const row = database.prepare("PRAGMA synchronous").get() as { synchronous: number }
    if (row.synchronous >= synchronousFull) this.sync()
  }

  sync(): void {
    this.image = { database: readIfThere(this.file()), log: readIfThere(`${this.file()}-wal`) }
  }

  /** Moves to fresh files holding what survives; the dead process keeps the old ones. */
  crash(crash: Crash): void {
    const old = this.file()
    this.generation++
    mkdirSync(this.home())
    if (crash === "kill") {
      copyIfThere(old, this.file())
      copyIfThere(`${old}-wal`, `${this.file()}-wal`)
      return
    }
    if (this.image.database !== null) writeFileSync(this.file(), this.image.database)
    if (this.image.log !== null) writeFileSync(`${this.file()}-wal`, this.image.log)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  private home(): string {
    return join(this.folder, `boot-${this.generation}`)
  }
}

const readIfThere = (file: string): Buffer | null => (existsSync(file) ? readFileSync(file) : null)

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to)
}
