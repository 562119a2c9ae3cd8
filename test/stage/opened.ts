/** A runtime on a real file and in real time, for tests whose processes are opened and closed. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Scope } from "effect"
import type { Runtime } from "@holdfast/core/runtime"
import { openInlineStore } from "@holdfast/store"
import type { Store } from "@holdfast/store/port"
import { type Given, startRuntime } from "./ports.ts"

export interface OpenedRuntime {
  readonly runtime: Runtime
  readonly store: Store
  /** Ends the runtime, then closes the store. */
  readonly close: () => Promise<void>
}

export interface StoreOptions extends Omit<Parameters<typeof openInlineStore>[0], "file"> {
  /** Puts something else in the store's place. */
  readonly replace?: (store: Store) => Store
}

export interface Folder extends Disposable {
  /** Canonical. */
  readonly directory: string
  readonly remove: () => void
}

export function makeFolder(name: string): Folder {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), `holdfast-${name}-`)))
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  return { directory, remove, [Symbol.dispose]: remove }
}

export async function openRuntime(
  file: string,
  given: Omit<Given, "store">,
  { replace = (store) => store, ...options }: StoreOptions = {},
): Promise<OpenedRuntime> {
  const store = await Effect.runPromise(openInlineStore({ file, ...options }))
  const scope = Scope.makeUnsafe()
  const opening = startRuntime({ ...given, store: replace(store) })
  const runtime = await Effect.runPromise(Scope.provide(opening, scope))
  const close = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await Effect.runPromise(Effect.ignore(store.close()))
  }
  return { runtime, store, close }
}
