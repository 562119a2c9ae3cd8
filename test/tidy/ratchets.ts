/** The exceptions and counts that may only get better: test/tidy/ratchets.json. */
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** A place that is over the limit for a reason. */
export interface Exception {
  readonly lines: number
  readonly reason: string
}

export interface Ratchets {
  readonly rules: { readonly done: number; readonly proven: number }
  /** By path. */
  readonly files: Readonly<Record<string, Exception>>
  /** By `path#function`. */
  readonly functions: Readonly<Record<string, Exception>>
}

export const ratchetsPath = join(import.meta.dirname, "ratchets.json")

export const readRatchets = (): Ratchets => JSON.parse(readFileSync(ratchetsPath, "utf8")) as Ratchets
