/**
 * Sessions of other agents, imported: the next request is legal on every wire (IM1, LL3), every request
 * of ours can be rebuilt, and those of others are said to be of another encoder (TU1). Sessions that
 * were recorded lie beside the repository; without them only the invented one is taken.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { writeBundle } from "@holdfast/core/bundle/write"
import type { Runtime } from "@holdfast/core/runtime"
import {
  findSources,
  type ForeignRecord,
  gatherSessions,
  type ImportedSession,
  importedSessions,
  readSource,
} from "@holdfast/foreign"
import type { BundleImport } from "@holdfast/schema/bundle/import"
import { factRecord } from "@holdfast/sdk/bundle"
import { invented } from "../../packages/foreign/test/facts/records.ts"
import { modelOf, openWorld, wireNames } from "./world.ts"

const shared = join(import.meta.dirname, "../../../shared/data")
const recorded = ["raw", "transcripts/anthropic-messages", "transcripts/openai-responses"].flatMap((folder) =>
  existsSync(join(shared, folder)) ? readdirSync(join(shared, folder)).map((file) => join(folder, file)) : [],
)

/** How many of the recorded sessions are taken; the real formats come first. */
const sessionsMax = Number(process.env["HOLDFAST_IMPORTED"] ?? 1)
const taken = recorded.slice(0, sessionsMax)

const run = Effect.runPromise

async function importedOf(
  records: readonly ForeignRecord[],
  directory: string,
): Promise<readonly ImportedSession[]> {
  return importedSessions(records, {
    takeImage: async () => null,
    locate: async () => ({ directory, projectRoot: directory }),
    stored: async () => null,
  })
}

async function recordsOf(file: string): Promise<readonly (readonly ForeignRecord[])[]> {
  const { sources } = await findSources([file])
  const [source] = sources
  if (source === undefined) throw new Error(`${file} is of no agent`)
  return [...(await gatherSessions(readSource(source))).values()]
}

let uploads = 0

async function take(runtime: Runtime, imported: ImportedSession): Promise<BundleImport | null> {
  const pieces: Uint8Array[] = []
  for await (const bytes of bundleOf(imported)) pieces.push(bytes)
  const data = Buffer.concat(pieces)
  return (await run(runtime.importPiece({ upload: `upload-${++uploads}`, offset: 0, data, last: true })))
    .imported
}

const bundleOf = ({ session, log, blobs }: ImportedSession) =>
  writeBundle({
    session,
    records: log.map(({ time, fact }, index) => factRecord(index + 1, time, fact)),
    blob: (hash) => blobs.find((blob) => blob.hash === hash)?.bytes ?? null,
  })

/** Imports it, goes on with it on each wire, and looks at everything that was sent. */
async function goOn(groups: readonly (readonly ForeignRecord[])[]): Promise<void> {
  const world = await openWorld(() => ({ blocks: [{ type: "text", text: "I go on." }] }), [])
  try {
    const { directory, providers } = world
    const runtime = world.runtime()
    for (const imported of (
      await Promise.all(groups.map((records) => importedOf(records, directory)))
    ).flat()) {
      const told = await take(runtime, imported)
      const { session, messages, calls } = imported
      expect(told).toMatchObject({ change: "created", source: session, messages, calls, absent: 0 })
      expect(await take(runtime, imported)).toMatchObject({ change: "same" })
      for (const wire of wireNames) {
        await run(runtime.switchModel(session, modelOf(wire)))
        await run(runtime.prompt({ sessionID: session, text: `Go on, on ${wire}.` }))
        const end = await run(runtime.settled(session))
        const refused = providers.get(wire)?.log.at(-1)?.error
        expect({ wire, end, refused }).toEqual({ wire, end: { kind: "done" }, refused: undefined })
      }
      const verdicts = (await run(runtime.verify(session))).map(({ verdict }) => verdict.kind)
      const theirs = imported.log.filter(({ fact }) => fact.type === "turn.started").length
      expect(verdicts.slice(0, theirs).filter((kind) => kind !== "other-encoder")).toEqual([])
      expect(verdicts.slice(theirs)).toEqual(wireNames.map(() => "same"))
      const epochs = (await run(runtime.events(session, imported.log.length, 1_000, false))).flatMap(
        ({ fact }) => (fact.type === "epoch.started" ? [fact.cause] : []),
      )
      expect(epochs[0]).toBe("first")
      expect(await take(runtime, imported)).toMatchObject({ change: "older" })
    }
    const refusals = [...providers.values()].flatMap(({ log }) => log.filter(({ status }) => status !== 200))
    expect(refusals).toEqual([])
  } finally {
    await world.close()
  }
}

test("[IM1 LL3 TU1] an invented session goes on, on every wire", async () => {
  await goOn([invented])
})

if (taken.length === 0)
  console.log("skipped: recorded sessions of other agents are not beside the repository")

test.skipIf(taken.length === 0).each(taken.length === 0 ? ["none"] : taken)(
  "[IM1 LL3 TU1] a recorded session goes on, on every wire: %s",
  async (file) => {
    await goOn(await recordsOf(join(shared, file)))
  },
  60_000,
)
