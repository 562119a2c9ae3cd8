/**
 * What people allowed for a project, in one private file of the data directory: it holds for every
 * Session that works there, and a person may look at it, change it or delete it.
 *
 * A line for each answer, appended whole: several processes add to it at once and lose nothing. A line
 * that cannot be read allows nothing.
 */
import { appendFile, readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { StoreFailure } from "@holdfast/schema/error"
import { AskAnswered, type Approved } from "@holdfast/schema/fact/ask"
import type { Location } from "@holdfast/schema/location"
import { privateFileMode } from "@holdfast/store/data-file"

export interface SavedApprovals {
  /** Of the project of a Location; null where nothing is saved, or the file cannot be read. */
  readonly of: (location: Location) => Effect.Effect<Approved | null>
  readonly save: (location: Location, approved: Approved) => Effect.Effect<void, StoreFailure>
}

const Line = Schema.fromJsonString(
  Schema.Struct({ project: Schema.String, ...AskAnswered.fields.approves.schema.fields }),
)

const fileName = "approvals.jsonl"

export function makeSavedApprovals(dataDirectory: string): SavedApprovals {
  const file = join(dataDirectory, fileName)
  return {
    of: ({ projectRoot }) =>
      Effect.promise(() => readFile(file, "utf8").catch(() => "")).pipe(
        Effect.map((text) => approvedIn(text, projectRoot)),
      ),
    save: ({ projectRoot }, { resources, rules }) =>
      Effect.tryPromise({
        // The line end in front ends a line that a full disk or a person left without one.
        try: () =>
          appendFile(file, `\n${encode({ project: projectRoot, resources, rules })}\n`, {
            mode: privateFileMode,
          }),
        catch: (cause) =>
          new StoreFailure({
            code: "unavailable",
            outcomeUnknown: false,
            message: `The permission was given for this once, but it could not be saved in ${file}.`,
            detail: String(cause),
          }),
      }),
  }
}

function approvedIn(text: string, projectRoot: string): Approved | null {
  const lines = text
    .split("\n")
    .flatMap((line) => Option.toArray(decode(line)))
    .filter(({ project }) => project === projectRoot)
  if (lines.length === 0) return null
  return {
    resources: unique(lines.flatMap(({ resources }) => resources)),
    rules: unique(lines.flatMap(({ rules }) => rules)),
  }
}

const decode = Schema.decodeUnknownOption(Line)
const encode = Schema.encodeSync(Line)

const unique = <A>(items: readonly A[]): readonly A[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
]
