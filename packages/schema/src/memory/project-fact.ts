/** Facts of a project's log read back, from the version that they were written with. */
import { Exit, Schema } from "effect"
import type { JsonObject } from "../json.ts"
import { type ProjectFact, projectFactShapes } from "./memory.ts"
import { liftProjectFields, type ProjectFactType, type ProjectLifts } from "./version.ts"

export type ProjectFactReading =
  | { readonly kind: "read"; readonly fact: ProjectFact }
  /** A type or version that this program does not know: the store is newer, not damaged. */
  | { readonly kind: "newer" }
  | { readonly kind: "unreadable" }

/** `fields` is everything but its type. */
export function readProjectFact(
  type: string,
  version: number,
  fields: JsonObject,
  lifts?: ProjectLifts,
): ProjectFactReading {
  const decode = decoderOf(type as ProjectFactType)
  const lifted = decode && liftProjectFields(type as ProjectFactType, version, fields, lifts)
  if (decode === undefined || lifted == null) return { kind: "newer" }
  const exit = decode({ type, ...lifted })
  return Exit.isFailure(exit) ? { kind: "unreadable" } : { kind: "read", fact: exit.value }
}

type Decode = (stored: unknown) => Exit.Exit<ProjectFact, unknown>

const decoders = new Map<ProjectFactType, Decode>()

/** Made at the first fact of its type. */
function decoderOf(type: ProjectFactType): Decode | undefined {
  const shape = projectFactShapes.get(type)
  if (shape === undefined) return undefined
  const decode = decoders.get(type) ?? Schema.decodeUnknownExit(shape as unknown as Schema.Codec<ProjectFact>)
  decoders.set(type, decode)
  return decode
}
