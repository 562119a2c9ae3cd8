/**
 * A small real runtime for the server's tests: inline store in a temporary folder, the scripted
 * provider behind the transport port, real time. Everything goes away with `close`.
 */
import { join } from "node:path"
import { Effect } from "effect"
import { createProviderSim, scripted, textReply } from "@holdfast/provider-sim"
import { onlyModel } from "../../../test/stage/model.ts"
import { makeFolder, type OpenedRuntime, openRuntime, type StoreOptions } from "../../../test/stage/opened.ts"
import type { Given } from "../../../test/stage/ports.ts"
import { plainTransport } from "../../../test/stage/transport.ts"

export interface TestRuntime extends OpenedRuntime {
  /** Canonical, and exists. */
  readonly directory: string
  /** The only other directory there is, unless the test locates others; nobody has opened it. */
  readonly otherDirectory: string
}

export interface TestRuntimeOptions
  extends Pick<StoreOptions, "gate" | "replace">, Pick<Given, "locate" | "configured"> {
  /** What each attempt waits for before it is answered. */
  readonly beforeAnswer?: Effect.Effect<void>
}

export async function openTestRuntime(options: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const { beforeAnswer = Effect.void, locate, configured, ...storeOptions } = options
  const { directory, remove } = makeFolder("server")
  const provider = createProviderSim({ models: { script: scripted(() => textReply("Understood.")) } })
  const otherDirectory = join(directory, "other")
  const opened = await openRuntime(
    join(directory, "holdfast.db"),
    {
      instance: "one",
      transport: plainTransport(() => provider, { beforeAnswer }),
      model: onlyModel({ contextTokens: 20_000, credential: "sk-never-shown" }),
      locate:
        locate ??
        ((asked) =>
          Effect.succeed(
            [directory, otherDirectory].includes(asked) ? { directory: asked, projectRoot: directory } : null,
          )),
      ...(configured && { configured }),
    },
    storeOptions,
  )
  const close = async () => {
    await opened.close()
    remove()
  }
  return { ...opened, directory, otherDirectory, close }
}
