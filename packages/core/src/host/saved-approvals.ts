/**
 * What people allowed for a project, in one private file of the data directory: it holds for every
 * Session that works there, and a person may look at it, change it or delete it.
 */
import { readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { StoreFailure } from "@holdfast/schema/error"
import { AskAnswered, type Approved } from "@holdfast/schema/fact/ask"
import type { Location } from "@holdfast/schema/location"

export interface SavedApprovals {
  /** Of the project of a Location; null where nothing is saved, or the file cannot be read. */
  readonly of: (location: Location) => Effect.Effect<Approved | null>
  readonly save: (location: Location, approved: Approved) => Effect.Effect<void, StoreFailure>
}

const Approvals = Schema.Record(Schema.String, AskAnswered.fields.approves.schema)
type Approvals = typeof Approvals.Type

const fileName = "approvals.json"

export function makeSavedApprovals(dataDirectory: string): SavedApprovals {
  const file = join(dataDirectory, fileName)
  const read: Effect.Effect<Approvals> = Effect.promise(() => readFile(file, "utf8").catch(() => "{}")).pipe(
    Effect.map((text) => Option.getOrElse(decode(text), (): Approvals => ({}))),
  )
  return {
    of: ({ projectRoot }) => Effect.map(read, (known) => known[projectRoot] ?? null),
    save: Effect.fnUntraced(function* ({ projectRoot }, { resources, rules }) {
      const known = yield* read
      const before = known[projectRoot] ?? { resources: [], rules: [] }
      const next: Approvals = {
        ...known,
        [projectRoot]: {
          resources: unique([...before.resources, ...resources]),
          rules: unique([...before.rules, ...rules]),
        },
      }
      yield* Effect.tryPromise({
        try: () => replaceFile(file, `${JSON.stringify(next, null, 2)}\n`),
        catch: (cause) =>
          new StoreFailure({
            code: "unavailable",
            outcomeUnknown: false,
            message: `The permission was given for this once, but it could not be saved in ${file}.`,
            detail: String(cause),
          }),
      })
    }),
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const beside = `${file}.${process.pid}.tmp`
  await writeFile(beside, text, { mode: 0o600 })
  await rename(beside, file)
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Approvals))

const unique = <A>(items: readonly A[]): readonly A[] => [
  ...new Map(items.map((item) => [JSON.stringify(item), item])).values(),
]
