/** A data directory for one test, removed after it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { dataFile } from "../src/data-file.ts"

export interface Place {
  readonly file: string
  readonly dispose: () => void
}

export function makePlace(): Place {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-store-"))
  return { file: dataFile(directory), dispose: () => rmSync(directory, { recursive: true, force: true }) }
}

export const place = Effect.acquireRelease(Effect.sync(makePlace), ({ dispose }) => Effect.sync(dispose))
