/** The settings in force, read without opening Holdfast; settings changed in their file; its schema for editors. */
import { Effect } from "effect"
import { loadCatalog, loadProjectSettings, makeConfigured, noSettings } from "@holdfast/core/config/index"
import { configurationSchema } from "@holdfast/core/config/setting/schema"
import { settingNames, settingTable } from "@holdfast/core/config/setting/table"
import { editSetting } from "@holdfast/core/config/setting/edit"
import { locate } from "@holdfast/core/host/locations"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import { LocationMissing } from "@holdfast/schema/error"
import type { Configuration } from "@holdfast/schema/instance/configuration"
import type { Json, JsonObject } from "@holdfast/schema/json"
import { configDirectoryOf, dataDirectoryOf } from "./directories.ts"
import { settingsOf } from "./embedded/open.ts"
import type { HoldfastOptions } from "./holdfast.ts"
import { isSet } from "./instructions.ts"

/**
 * What holds for a new Session in a directory, and where each value comes from, by the files as they
 * are now. It reads, opens nothing, and answers also where a file cannot be used. What is in reserve is no setting:
 * it is known where a file names it.
 */
export async function readConfiguration(
  options: HoldfastOptions & { readonly directory: string },
): Promise<Configuration> {
  const { environment = process.env, reserve = {}, directory } = options
  const known = await Effect.runPromise(
    settingsOf(options).pipe(Effect.catchTag("ConfigurationInvalid", () => Effect.succeed(noSettings))),
  )
  const chosen = [...known.providers].filter(([name, { ambient }]) => !(ambient === true && name in reserve))
  const configured = makeConfigured({
    settings: { ...known, providers: new Map(chosen) },
    known,
    environment,
    catalog: await Effect.runPromise(loadCatalog(dataDirectoryOf(options))),
    configDirectory: configDirectoryOf(options),
    disableProject: isSet(environment["HOLDFAST_DISABLE_PROJECT_CONFIG"]),
    readFile: nodeInstructionFiles.read,
  })
  return Effect.runPromise(configured.configuration(await projectRootOf(directory)))
}

/** What the project of a directory sets in vain, a sentence each; none where its file is not read. */
export async function projectWarnings({
  environment = process.env,
  directory,
}: Pick<HoldfastOptions, "environment"> & { readonly directory: string }): Promise<readonly string[]> {
  if (isSet(environment["HOLDFAST_DISABLE_PROJECT_CONFIG"])) return []
  const loading = loadProjectSettings(await projectRootOf(directory), nodeInstructionFiles.read)
  // A file that cannot be used refuses the Session, and says why there.
  const none = () => Effect.succeed({ warnings: [] })
  return (await Effect.runPromise(Effect.catchTag(loading, "ConfigurationInvalid", none))).warnings
}

export interface SetSettingOptions extends Pick<HoldfastOptions, "configDir" | "environment"> {
  /** As in `model` or `budget.tokens`. */
  readonly key: string
  /** Null takes the setting away. */
  readonly value: Json
  /** A directory of the project whose file is meant; the user's file unless given. */
  readonly project?: string
}

/**
 * Writes one setting and keeps the comments and the formatting of the rest. Returns the path of the
 * file, or null where there was nothing to take away; rejects with ConfigurationInvalid, and changes nothing, where the
 * value cannot stand there.
 */
export async function setSetting(options: SetSettingOptions): Promise<string | null> {
  const { environment = process.env, key, value, project } = options
  const directory = project === undefined ? configDirectoryOf(options) : await projectRootOf(project)
  const kind = project === undefined ? "user" : "project"
  const readFile = nodeInstructionFiles.read
  return Effect.runPromise(editSetting({ key, value, directory, kind, environment, readFile }))
}

/** The JSON Schema of `holdfast.jsonc`. */
export const settingsSchema = (): JsonObject => configurationSchema()

/** What holds where nobody sets a setting, in words, by its name. */
export const settingDefaults = (): Readonly<Record<string, string>> =>
  Object.fromEntries(settingNames.map((name) => [name, settingTable[name].otherwise]))

/** Rejects with LocationMissing where there is no such directory. */
export async function projectRootOf(directory: string): Promise<string> {
  const location = await Effect.runPromise(locate(directory))
  if (location !== null) return location.projectRoot
  const message = `There is no directory ${directory}. Create it or name another.`
  throw new LocationMissing({ directory, message })
}
