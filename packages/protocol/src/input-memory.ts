/** What the methods of `memories` and `notes` take. */
import { Schema } from "effect"
import { showsNothing } from "@holdfast/schema/memory/blank"
import { memoryCategories, memoryTextMax } from "@holdfast/schema/memory/categories"
import { pageQuery } from "./page.ts"
import { inLocation, path, shortText } from "./input.ts"

const statement = shortText(memoryTextMax).check(
  Schema.makeFilter((value: string) => !showsNothing(value), { expected: "a text that is not blank" }),
)
const category = Schema.Literals(memoryCategories)
/** Milliseconds since 1970; null is for good. */
const expiresAt = Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
const ids = Schema.Array(Schema.String)
const ofMemory = { params: { memoryID: Schema.String } }

export const memoryInputs = {
  list: {
    query: pageQuery({
      ...inLocation,
      /** Those that hold unless given. */
      status: Schema.optionalKey(Schema.Literals(["active", "archived", "superseded", "all"])),
      category: Schema.optionalKey(category),
    }),
  },
  get: { ...ofMemory, query: Schema.Struct(inLocation) },
  write: {
    payload: Schema.Struct({
      ...inLocation,
      text: statement,
      /** That of what it takes the place of unless given, else PROJECT_RULES. */
      category: Schema.optionalKey(category),
      expiresAt: Schema.optionalKey(expiresAt),
      /** Those that it takes the place of. */
      supersedes: Schema.optionalKey(ids),
    }),
  },
  update: {
    ...ofMemory,
    payload: Schema.Struct({
      ...inLocation,
      text: Schema.optionalKey(statement),
      category: Schema.optionalKey(category),
      expiresAt: Schema.optionalKey(expiresAt),
    }),
  },
  archive: {
    ...ofMemory,
    payload: Schema.Struct({ ...inLocation, reason: Schema.optionalKey(statement) }),
  },
  restore: { ...ofMemory, payload: Schema.Struct(inLocation) },
  merge: {
    payload: Schema.Struct({
      ...inLocation,
      memoryIDs: ids.check(Schema.isMinLength(2, { expected: "two ids or more" })),
      text: statement,
      /** That of all of them unless given. */
      category: Schema.optionalKey(category),
    }),
  },
  project: { query: Schema.Struct(inLocation) },
  /** Null where the directory has a memory of its own. */
  share: {
    payload: Schema.Struct({
      ...inLocation,
      shares: Schema.NullOr(path),
      bare: Schema.optionalKey(Schema.Boolean),
    }),
  },
}

const workspaceName = shortText(60).check(
  Schema.makeFilter((value: string) => !showsNothing(value), { expected: "a text that is not blank" }),
)
const ofWorkspace = { params: { workspace: Schema.String } }
const categories = Schema.Array(category)

export const workspaceInputs = {
  list: {},
  create: {
    payload: Schema.Struct({ workspace: workspaceName, categories: Schema.optionalKey(categories) }),
  },
  share: { ...ofWorkspace, payload: Schema.Struct({ categories }) },
  add: { ...ofWorkspace, payload: Schema.Struct(inLocation) },
  remove: { ...ofWorkspace, payload: Schema.Struct(inLocation) },
  delete: ofWorkspace,
}

const ofNote = { params: { noteID: Schema.String } }
const inSession = { ...inLocation, sessionID: Schema.optionalKey(Schema.String) }

export const noteInputs = {
  list: { query: pageQuery(inSession) },
  write: {
    payload: Schema.Struct({
      ...inSession,
      text: statement,
      condition: Schema.optionalKey(statement),
    }),
  },
  update: {
    ...ofNote,
    payload: Schema.Struct({
      ...inSession,
      text: Schema.optionalKey(statement),
      condition: Schema.optionalKey(Schema.NullOr(statement)),
    }),
  },
  dismiss: { ...ofNote, payload: Schema.Struct(inSession) },
}
