/** A real process on a disk that is really full, and under a limit on the size of files. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { PromptId, SessionId } from "@holdfast/schema/id"
import { dataFile, openInlineStore } from "@holdfast/store"

interface Line {
  readonly admitted?: string
  readonly refused?: string
  readonly code?: string
  readonly outcomeUnknown?: boolean
  readonly retryable?: boolean
  readonly readable?: number
}

const writer = fileURLToPath(new URL("./limited-writer.ts", import.meta.url))
/** Gives a command mounts of its own, where the system allows that. */
const withOwnMounts = "unshare"
const session = "ses_1" as SessionId

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-full-disk-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function linesOf(command: string, args: readonly string[]): readonly Line[] {
  const out = execFileSync(command, args, { encoding: "utf8", timeout: 25_000 })
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line)
}

/** Whether this user may have a small disk of its own. */
function canMount(): boolean {
  if (process.platform !== "linux") return false
  try {
    execFileSync(withOwnMounts, ["-rm", "sh", "-c", 'mount -t tmpfs -o size=64k none "$0"', folder], {
      stdio: "ignore",
    })
    return true
  } catch {
    // No such program, or no right to make name spaces: both mean no.
    return false
  }
}

describe("a process whose disk is full", () => {
  test("[ST3 FA1] gets `full`, loses nothing, and goes on as soon as there is room", ({ skip }) => {
    if (!canMount()) skip("no small disk can be mounted here")
    const script =
      'mount -t tmpfs -o size=3m none "$2" && head -c 1000000 /dev/zero > "$2/ballast" && exec "$0" "$1" "$2/data/holdfast.db" "$2/ballast"'
    const lines = linesOf(withOwnMounts, ["-rm", "sh", "-c", script, process.execPath, writer, folder])
    const refusals = lines.filter((line) => line.refused !== undefined)
    expect(refusals).toMatchObject([{ code: "full", outcomeUnknown: false, retryable: true }])
    const at = lines.findIndex((line) => line.refused !== undefined)
    expect(at).toBeGreaterThan(5)
    expect(lines[at + 1]).toEqual({ admitted: refusals[0]?.refused })
    expect(lines.at(-1)).toEqual({ readable: lines.length - 2 })
  })

  test("[ST3 PR1] under a limit of file size gets a typed failure, and every acknowledged prompt is there", async ({
    skip,
  }) => {
    if (process.platform === "win32") skip("there are no such limits")
    const file = dataFile(join(folder, "data"))
    const lines = linesOf("sh", ["-c", 'ulimit -f 4000; exec "$0" "$@"', process.execPath, writer, file])
    const acknowledged = lines.flatMap((line) => (line.admitted === undefined ? [] : [line.admitted]))
    expect(acknowledged.length).toBeGreaterThan(5)
    const refusal = lines.find((line) => line.refused !== undefined)
    // SQLite knows this errno only as a write that failed, so the disk counts as out of reach.
    expect(refusal).toMatchObject({ code: "unavailable", retryable: true })

    const after = Effect.gen(function* () {
      const store = yield* Effect.acquireRelease(openInlineStore({ file }), (open) =>
        Effect.ignore(open.close()),
      )
      const kept = (yield* store.inbox(session)).map((prompt): string => prompt.id)
      const unknown = refusal?.outcomeUnknown === true && kept.includes(refusal.refused ?? "") ? 1 : 0
      expect(kept.slice(0, kept.length - unknown)).toEqual(acknowledged)
      expect(yield* store.inspect()).toMatchObject({ damage: [], stale: [] })
      const admit = {
        kind: "admit",
        session,
        time: 2,
        prompt: "after" as PromptId,
        text: "x",
        delivery: "steer",
      } as const
      expect(yield* store.commit(admit)).toMatchObject({ kind: "admitted", repeated: false })
    })
    await Effect.runPromise(Effect.scoped(after))
  })
})
