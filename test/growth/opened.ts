/** A runtime over a store in a file, whose statements are counted. No turn runs here. */
import { randomBytes } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { Effect, Exit, Scope } from "effect"
import { empty } from "@holdfast/core/context/index"
import { makeCursors } from "@holdfast/core/page/cursor"
import { type Lists, makeLists } from "@holdfast/core/page/lists"
import { makeRuntime, type Runtime } from "@holdfast/core/runtime"
import { makeLiveHub } from "@holdfast/core/session/live"
import { runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry } from "@holdfast/core/tools/index"
import { idFromBytes } from "@holdfast/schema/id"
import { openInlineStore } from "@holdfast/store"
import { plainTransport } from "../../packages/server/test/plain-transport.ts"
import { stageModel } from "../session/model.ts"
import { meterWork, type WorkMeter } from "./work.ts"

export interface Opened {
  readonly runtime: Runtime
  readonly lists: Lists
  readonly db: DatabaseSync
  readonly meter: WorkMeter
  readonly close: () => Promise<void>
}

const location = { directory: "/srv/here", projectRoot: "/srv/here" }

export async function openFile(file: string): Promise<Opened> {
  const found: { db?: DatabaseSync; meter?: WorkMeter } = {}
  const store = await Effect.runPromise(
    openInlineStore({
      file,
      onOpen: (db) => {
        found.db = db
        found.meter = meterWork(db)
      },
    }),
  )
  const scope = Scope.makeUnsafe()
  const making = makeRuntime(
    {
      store,
      transport: plainTransport(() => undefined),
      live: makeLiveHub(),
      limits: { ...runtimeLimits, retry: retryLimits },
      newId: (prefix) => idFromBytes(prefix, randomBytes(20)),
      model: stageModel({}),
      agentPrompt: "You are the agent of a test.",
      tools: createToolRegistry([]),
      context: () => Effect.succeed(empty),
      locationExists: () => Effect.succeed(true),
      owner: { boot: "test", space: "test", pid: process.pid, start: "0", instance: file },
      ownerState: () => Effect.succeed("gone"),
      endCallProcesses: () => Effect.void,
    },
    { locate: () => Effect.succeed(location) },
  )
  const runtime = await Effect.runPromise(Scope.provide(making, scope))
  const { db, meter } = found
  if (db === undefined || meter === undefined) throw new Error("The store did not show its connection.")
  return {
    runtime,
    lists: makeLists(runtime, makeCursors("a secret")),
    db,
    meter,
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await Effect.runPromise(store.close())
    },
  }
}
