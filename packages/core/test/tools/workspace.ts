/** Workspace: a temporary Location for tool tests, and waiting on conditions instead of time. */
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll } from "vitest"
import { endCallProcesses } from "../../src/tools/call-processes.ts"
import { type RecordedFiles, type SessionFiles, createFileRecord } from "../../src/tools/file/record.ts"
import { type OutputSink, createOutputSink } from "../../src/tools/output-sink.ts"
import type { Tool, ToolContext, ToolFailure, ToolResult } from "../../src/tools/tool.ts"
import type { Json } from "@holdfast/schema/json"
import type { BlobWrite } from "@holdfast/store/port"

const directories: string[] = []
const callIds: string[] = []

// Not after each test: those of a file may run beside each other.
afterAll(async () => {
  for (const callId of callIds.splice(0)) await Effect.runPromise(endCallProcesses(callId))
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true })
})

export async function temporaryDirectory(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "holdfast-tools-")))
  directories.push(directory)
  return directory
}

/** A call id of its own; what it leaves running is ended after the tests. */
export function uniqueCallId(): string {
  const callId = `call-${randomUUID()}`
  callIds.push(callId)
  return callId
}

export interface ToolRun {
  readonly result: ToolResult | null
  readonly failure: ToolFailure | null
  readonly output: OutputSink
  readonly files: RecordedFiles
}

export async function runTool(
  tool: Tool,
  input: Json,
  directory: string,
  context: Partial<Omit<ToolContext, "callId" | "directory" | "output" | "files">> & {
    readonly files?: SessionFiles
  } = {},
): Promise<ToolRun> {
  const output = createOutputSink()
  const files = createFileRecord(context.files)
  const run = tool.run(input, { callId: uniqueCallId(), directory, output, ...context, files })
  const ended = await Effect.runPromise(
    run.pipe(
      Effect.map((result) => ({ result, failure: null })),
      Effect.catch((failure) => Effect.succeed({ result: null, failure })),
    ),
  )
  return { ...ended, output, files: files.recorded() }
}

export interface RememberingSession extends SessionFiles {
  /** Plans that were put on record, by the paths that they name. */
  readonly plans: (readonly string[])[]
  /** Blobs that plans brought. */
  readonly planned: BlobWrite[]
  readonly run: (tool: Tool, input: Json) => Promise<ToolRun>
}

/** Remembers files as a Session does, from what its calls record; nothing of it is our own code replaced. */
export function rememberingSession(directory: string): RememberingSession {
  const versions = new Map<string, string | null>()
  const blobs = new Map<string, Uint8Array>()
  const session: RememberingSession = {
    plans: [],
    planned: [],
    known: (path) => {
      const hash = versions.get(path)
      if (hash === undefined) return null
      const bytes = hash === null ? undefined : blobs.get(hash)
      return { hash, text: Effect.succeed(bytes === undefined ? null : Buffer.from(bytes).toString()) }
    },
    plan: (effects, brought) =>
      Effect.sync(() => {
        session.plans.push(effects.map(({ path }) => path))
        session.planned.push(...brought)
      }),
    run: async (tool, input) => {
      const ended = await runTool(tool, input, directory, { files: session })
      for (const { path, hash } of ended.files.seen) versions.set(path, hash)
      for (const { path, from, after } of ended.files.effects) {
        if (from !== undefined) versions.set(from, null)
        versions.set(path, after)
      }
      for (const { hash, bytes } of ended.files.blobs) blobs.set(hash, bytes)
      return ended
    },
  }
  return session
}

/** Polls until the condition holds; fails when it does not within the deadline. */
export async function until(
  what: string,
  deadlineMs: number,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = performance.now() + deadlineMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not within ${deadlineMs} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
