/** The host as a program opens one, for tests of what binds the runtime to a machine. */
import { join } from "node:path"
import { Effect, Result } from "effect"
import { decodeUserFile } from "@holdfast/core/config/index"
import { fixedSettings, type Host, type HostOptions, openHost } from "@holdfast/core/host/index"

type Optional = "allow" | "environment" | "dataDirectory" | "configDirectory"

export interface HostGiven extends Partial<Pick<HostOptions, Optional>> {
  /** Of the data and of the configuration, where nothing else is said. */
  readonly root: string
  /** What the user's file says. */
  readonly settings: object
}

/** Opens a host, uses it and closes it again. */
export function useHost<A>(given: HostGiven, work: (host: Host) => Effect.Effect<A, unknown>): Promise<A> {
  const { root, environment = {}, allow = [] } = given
  const { dataDirectory = join(root, "data"), configDirectory = join(root, "config") } = given
  const file = join(configDirectory, "holdfast.jsonc")
  const settings = Result.getOrThrow(decodeUserFile(file, JSON.stringify(given.settings), environment))
  const options = { dataDirectory, configDirectory, settings: fixedSettings(settings), environment, allow }
  return Effect.runPromise(Effect.scoped(Effect.flatMap(openHost(options), work)))
}
