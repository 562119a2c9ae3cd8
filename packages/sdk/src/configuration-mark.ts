/**
 * Whether two programs have the same configuration, told without showing any of it: where the
 * user's file is looked for, and a hash of what is there.
 */
import { createHash } from "node:crypto"
import { join } from "node:path"
import { Effect } from "effect"
import { fileNames } from "@holdfast/core/config/load"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import { configDirectoryOf } from "./directories.ts"
import type { HoldfastOptions } from "./holdfast.ts"

export interface ConfigurationMark {
  readonly directory: string
  readonly hash: string
}

/** Of the user's files as they are now, sound or not. Variables of the environment have no part in it. */
export async function markConfiguration(
  options: Pick<HoldfastOptions, "configDir" | "environment"> = {},
): Promise<ConfigurationMark> {
  const directory = configDirectoryOf(options)
  const read = fileNames.map((name) => Effect.runPromise(nodeInstructionFiles.read(join(directory, name))))
  const hash = createHash("sha256").update(JSON.stringify(await Promise.all(read)))
  return { directory, hash: hash.digest("base64url") }
}
