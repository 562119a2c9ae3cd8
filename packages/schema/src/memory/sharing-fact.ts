/**
 * What the log of a project says of a directory that shares its memory (MM1): since when and until when, and what was said from there.
 * `sharer` is the key of the project that the directory has of its own, which stays the same wherever the directory goes.
 */
import { Schema } from "effect"
import { count } from "../fact/fact.ts"

const fact = <K extends string, F extends Schema.Struct.Fields>(type: K, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), sharer: count, ...fields })

export const sharingShapes = [
  fact("sharing.began", {}),
  /** So many events right before this one. */
  fact("sharing.said", { events: count }),
  fact("sharing.ended", {}),
] as const
export type SharingFact = (typeof sharingShapes)[number]["Type"]
