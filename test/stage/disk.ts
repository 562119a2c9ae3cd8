/**
 * The disk of a simulated machine: real SQLite files in a folder of their own.
 *
 * A killed process leaves the files as they are. A power cut returns them to the last completed
 * sync: the harness asks each connection what its commits sync (`synchronous`), and what was not
 * synced is cut off the write-ahead log. Checkpoints do not happen within a boot of this size.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export type Crash = "kill" | "power-cut"

const synchronousFull = 2

export class Disk {
  readonly folder: string
  private generation = 0
  /** Bytes of the write-ahead log that have reached the platter; it only grows within a boot. */
  private logBytesSynced = 0

  constructor() {
    const root = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()
    this.folder = mkdtempSync(join(root, "holdfast-simulation-"))
    mkdirSync(this.home())
  }

  file(): string {
    return join(this.home(), "holdfast.db")
  }

  /** Called when a process has opened the store: what it found there is on the platter. */
  noteOpen(): void {
    this.logBytesSynced = this.logBytes()
  }

  /** Called after each transaction. */
  noteCommit(synchronous: number): void {
    if (synchronous >= synchronousFull) this.logBytesSynced = this.logBytes()
  }

  /** Moves to fresh files holding what survives; the dead process keeps the old ones. */
  crash(crash: Crash): void {
    const old = this.file()
    this.generation++
    mkdirSync(this.home())
    copyIfThere(old, this.file())
    copyIfThere(`${old}-wal`, `${this.file()}-wal`)
    if (crash === "power-cut" && existsSync(`${this.file()}-wal`))
      truncateSync(`${this.file()}-wal`, this.logBytesSynced)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  private home(): string {
    return join(this.folder, `boot-${this.generation}`)
  }

  private logBytes(): number {
    return statSync(`${this.file()}-wal`, { throwIfNoEntry: false })?.size ?? 0
  }
}

function copyIfThere(from: string, to: string): void {
  if (existsSync(from)) copyFileSync(from, to)
}
