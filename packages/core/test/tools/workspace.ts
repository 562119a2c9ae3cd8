/** Workspace: a temporary Location for tool tests, and waiting on conditions instead of time. */
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterEach } from "vitest"
import { endCallProcesses } from "../../src/tools/call-processes.ts"
import { type OutputSink, createOutputSink } from "../../src/tools/output-sink.ts"
import type { Tool, ToolContext, ToolFailure, ToolResult } from "../../src/tools/tool.ts"
import type { Json } from "@holdfast/schema/json"

const directories: string[] = []
const callIds: string[] = []

afterEach(async () => {
  for (const callId of callIds.splice(0)) await Effect.runPromise(endCallProcesses(callId))
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true })
})

export async function temporaryDirectory(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "holdfast-tools-")))
  directories.push(directory)
  return directory
}

/** A call id of its own; what it leaves running is ended after the test. */
export function uniqueCallId(): string {
  const callId = `call-${randomUUID()}`
  callIds.push(callId)
  return callId
}

export interface ToolRun {
  readonly result: ToolResult | null
  readonly failure: ToolFailure | null
  readonly output: OutputSink
}

export async function runTool(
  tool: Tool,
  input: Json,
  directory: string,
  context: Pick<ToolContext, "image"> = {},
): Promise<ToolRun> {
  const output = createOutputSink()
  const run = tool.run(input, { callId: uniqueCallId(), directory, output, ...context })
  return Effect.runPromise(
    run.pipe(
      Effect.map((result) => ({ result, failure: null, output })),
      Effect.catch((failure) => Effect.succeed({ result: null, failure, output })),
    ),
  )
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
