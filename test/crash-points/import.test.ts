/**
 * An import of another agent's session, killed at each of its durable writes. Importing again makes of every
 * point what an import without a death makes (IM1, ST4). To die after a write is to die before the next one.
 */
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Runtime } from "@holdfast/core/runtime"
import { findSources } from "@holdfast/foreign"
import type { HoldfastClient } from "@holdfast/sdk"
import type { Store } from "@holdfast/store/port"
import { takeSession } from "../../packages/cli/src/import/foreign.ts"
import { makeFolder, openRuntime } from "../stage/opened.ts"

const run = Effect.runPromise

interface Line {
  readonly uuid: string
  readonly after: string | null
  readonly said: string
  readonly aside?: true
}

/** A talk, an edited prompt that makes a branch of it, and a side chain: three Sessions. */
const lines: readonly Line[] = [
  { uuid: "u1", after: null, said: "One" },
  { uuid: "a1", after: "u1", said: "1" },
  { uuid: "u2", after: "a1", said: "Two" },
  { uuid: "a2", after: "u2", said: "2" },
  { uuid: "u3", after: "a1", said: "Two, edited" },
  { uuid: "a3", after: "u3", said: "3" },
  { uuid: "s1", after: null, said: "Look around", aside: true },
  { uuid: "a4", after: "s1", said: "Nothing there", aside: true },
]

const fileOf = (some: readonly Line[]): string =>
  some
    .map(({ uuid, after, said, aside = false }, index) => {
      const answers = uuid.startsWith("a")
      const type = answers ? "assistant" : "user"
      const message = { role: type, id: `m-${uuid}`, model: "claude-opus-4-6", content: said }
      const timestamp = new Date(1_780_000_000_000 + index * 1_000).toISOString()
      const placed = { uuid, parentUuid: after, sessionId: "s", isSidechain: aside, timestamp }
      return `${JSON.stringify({ type, ...placed, message, ...(aside && { agentId: "x" }) })}\n`
    })
    .join("")

class Killed extends Error {}

/** Its process dies before one of its writes. */
function mortal(store: Store, diesAt: number | null, wrote: () => number): Store {
  const commit = ((command: Parameters<Store["commit"]>[0]) =>
    Effect.suspend(() =>
      wrote() === diesAt ? Effect.die(new Killed()) : store.commit(command),
    )) as Store["commit"]
  return { ...store, commit }
}

/** What an import asks of a Holdfast, of a runtime in this process. */
const clientOf = (runtime: Runtime): HoldfastClient =>
  ({
    locations: {
      open: async ({ directory }: { directory: string }) => ({ directory, projectRoot: directory }),
    },
    sessions: {
      get: ({ sessionID }: { sessionID: string }) => run(runtime.get(sessionID)),
      async *export({ sessionID }: { sessionID: string }) {
        yield* await run(runtime.exportSession({ sessionID }))
      },
      import: ({ data, ...piece }: { upload: string; offset: number; data: string }) =>
        run(runtime.importPiece({ ...piece, data: Buffer.from(data, "base64") })),
    },
  }) as unknown as HoldfastClient

interface Imported {
  readonly changes: readonly string[]
  readonly writes: number
}

/** A process of its own: it opens the store, imports the file, and ends or dies. */
async function importOnce(
  folder: string,
  talk: string,
  diesAt: number | null = null,
): Promise<Imported | "killed"> {
  const file = join(folder, "talk.jsonl")
  writeFileSync(file, talk)
  const { sources } = await findSources([file])
  const candidate = {
    agent: "claude-code",
    session: "s",
    title: null,
    directory: null,
    at: null,
    sources,
  } as const
  let writes = 0
  const replace = (store: Store) => mortal(store, diesAt, () => ++writes)
  const given = { instance: `p${Math.random()}`, transport: { send: () => Effect.never } as never }
  const opened = await openRuntime(join(folder, "store.db"), given, { replace })
  try {
    const changes: string[] = []
    const choices = { elsewhere: folder, directory: "/work" }
    for await (const { result } of takeSession(clientOf(opened.runtime), candidate, choices))
      changes.push(result.change)
    return { changes, writes }
  } catch (cause) {
    if (cause instanceof Killed) return "killed"
    throw cause
  } finally {
    await opened.close()
  }
}

/** All that is stored, but for when a Session was moved. */
async function storedIn(folder: string): Promise<readonly unknown[]> {
  const given = { instance: "looking", transport: { send: () => Effect.never } as never }
  const opened = await openRuntime(join(folder, "store.db"), given)
  try {
    const listed = await run(opened.runtime.list({ limit: 50 }))
    const archived = await run(opened.runtime.list({ limit: 50, archived: true }))
    const sessions = [...listed, ...archived].sort((a, b) => (a.id < b.id ? -1 : 1))
    return await Promise.all(
      sessions.map(async ({ id }) => {
        const events = await run(opened.runtime.events(id, 0, 1_000, false))
        return events.map(({ fact, time }) => (fact.type === "session.moved" ? fact : { time, fact }))
      }),
    )
  } finally {
    await opened.close()
  }
}

const scenarios: Readonly<Record<string, readonly string[]>> = {
  "a file": [fileOf(lines)],
  "a file that has grown": [fileOf(lines.slice(0, 3)), fileOf(lines)],
}

test.for(Object.entries(scenarios))(
  "[IM1 ST4] an import of %s that dies at any of its writes is made whole by another",
  { timeout: 120_000 },
  async ([, talks]) => {
    const [talk = "", ...earlier] = talks.toReversed()
    using begun = makeFolder("import-begun")
    for (const one of earlier) await importOnce(begun.directory, one)
    using clean = makeFolder("import-clean")
    cpSync(begun.directory, clean.directory, { recursive: true })
    const whole = await importOnce(clean.directory, talk)
    const expected = await storedIn(clean.directory)
    expect(expected).toHaveLength(3)
    // Each Session is taken over by one write and moved by another.
    expect(whole).toMatchObject({ writes: 6 })

    for (let write = 1; write <= 6; write++) {
      using folder = makeFolder("import-killed")
      cpSync(begun.directory, folder.directory, { recursive: true })
      expect(await importOnce(folder.directory, talk, write)).toBe("killed")
      await importOnce(folder.directory, talk)
      expect(await storedIn(folder.directory), `before write ${write}`).toEqual(expected)
      const again = await importOnce(folder.directory, talk)
      expect(again).toMatchObject({ changes: ["same", "same", "same"] })
    }
  },
)
