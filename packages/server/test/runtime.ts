/**
 * A small real runtime for the server's tests: inline store in a temporary folder, the scripted
 * provider behind the transport port, real time. Everything goes away with `close`.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import { empty } from "@holdfast/core/context/index"
import { makeRuntime, type Runtime } from "@holdfast/core/runtime"
import { makeLiveHub } from "@holdfast/core/session/live"
import { type RuntimePorts, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry } from "@holdfast/core/tools/index"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import { createProviderSim, scripted, textReply } from "@holdfast/provider-sim"
import { ModelNotFound } from "@holdfast/schema/error"
import { idFromBytes } from "@holdfast/schema/id"
import { type Gate, openInlineStore } from "@holdfast/store"
import type { Store } from "@holdfast/store/port"
import { plainTransport } from "./plain-transport.ts"

export interface TestRuntime {
  readonly runtime: Runtime
  readonly store: Store
  /** Canonical, exists, and is the only directory there is. */
  readonly directory: string
  readonly close: () => Promise<void>
}

export interface TestRuntimeOptions {
  /** Replaces the provider: what each attempt waits for before it is answered. */
  readonly beforeAnswer?: Effect.Effect<void>
  readonly gate?: Gate
  /** Puts something else in the store's place. */
  readonly store?: (store: Store) => Store
}

const ref = { provider: "sim", model: "script" }

export async function openTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-server-")))
  const file = join(directory, "holdfast.db")
  const store = await Effect.runPromise(
    openInlineStore({ file, ...(options.gate && { gate: options.gate }) }),
  )
  const scope = Scope.makeUnsafe()
  const ports = assemblePorts(options.store?.(store) ?? store, options.beforeAnswer ?? Effect.void)
  const location = { directory, projectRoot: directory }
  const locate = (asked: string) => Effect.succeed(asked === directory ? location : null)
  const runtime = await Effect.runPromise(Scope.provide(makeRuntime(ports, { locate }), scope))
  const close = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await Effect.runPromise(Effect.ignore(store.close()))
    rmSync(directory, { recursive: true })
  }
  return { runtime, store, directory, close }
}

function assemblePorts(store: Store, beforeAnswer: Effect.Effect<void>): RuntimePorts {
  const provider = createProviderSim({ models: { script: scripted(() => textReply("Understood.")) } })
  return {
    store,
    transport: plainTransport(() => provider, { beforeAnswer }),
    live: makeLiveHub(),
    limits: { ...runtimeLimits, retry: retryLimits },
    newId: (prefix) => idFromBytes(prefix, randomBytes(20)),
    model: (asked) =>
      asked === null || asked.model === ref.model
        ? Effect.succeed(setup)
        : Effect.fail(
            new ModelNotFound({ model: asked.model, message: `There is no model ${asked.model}.` }),
          ),
    agentPrompt: "You are the agent of a test.",
    tools: createToolRegistry([]),
    context: () => Effect.succeed(empty),
    locationExists: () => Effect.succeed(true),
    owner: { boot: "test", space: "test", pid: process.pid, start: "0", instance: "one" },
    ownerState: () => Effect.succeed("alive"),
    endCallProcesses: () => Effect.void,
  }
}

const setup = {
  ref,
  wire: anthropicMessages,
  target: {
    ...ref,
    endpoint: "http://sim",
    options: plainOptions(1_000),
  },
  contextTokens: 20_000,
  price: null,
  url: "http://sim",
  credential: "sk-never-shown",
}
