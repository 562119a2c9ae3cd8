/** The failure for a path at which there is nothing, with the names that it may have meant. */
import { readdir } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { Effect } from "effect"
import type { LocationPath } from "../location-path.ts"
import { nearNames } from "@holdfast/schema/near-names"
import { ToolFailure } from "../tool.ts"

export const missingFile = Effect.fnUntraced(function* (path: string, target: LocationPath) {
  const siblings = yield* Effect.promise(() => readdir(dirname(target.absolute)).catch(() => []))
  const near = nearNames(basename(target.absolute), siblings)
  const hint = near.length > 0 ? ` Near names in that directory: ${near.join(", ")}.` : ""
  return yield* new ToolFailure({ code: "not_found", message: `${path} does not exist.${hint}` })
})
