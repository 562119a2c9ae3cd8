/**
 * What durable records look like, fence by fence: records.golden.json.
 *
 * An older program refuses a store by its fence alone, so a fact type or version that it does not
 * know must come with a new fence, and a published shape is never edited (ST1). A change adds an
 * entry; until the first release the only entry may be edited.
 */
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { describe, expect, test } from "vitest"
import { factShapes } from "@holdfast/schema/event"
import { factVersions } from "@holdfast/schema/fact/version"
import { projectFactShapes } from "@holdfast/schema/memory/memory"
import { projectFactVersions } from "@holdfast/schema/memory/version"
import { schemaVersion } from "../src/sqlite/migrate.ts"

interface Entry {
  readonly fence: number
  readonly facts: Readonly<Record<string, { readonly version: number; readonly shape: string }>>
}

const golden = JSON.parse(
  readFileSync(join(import.meta.dirname, "records.golden.json"), "utf8"),
) as readonly Entry[]

/** The JSON Schema of what is stored, whatever the order of its fields. */
function shapeOf(schema: Schema.Constraint): string {
  const text = JSON.stringify(Schema.toJsonSchemaDocument(schema), (key, value: unknown) => {
    if (Array.isArray(value)) return key === "required" ? value.toSorted() : value
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
  return hash("sha256", text).slice(0, 16)
}

const written: Entry = {
  fence: schemaVersion,
  facts: Object.fromEntries([
    ...[...factShapes].map(([type, shape]) => [type, { version: factVersions[type], shape: shapeOf(shape) }]),
    ...[...projectFactShapes].map(([type, shape]) => [
      type,
      { version: projectFactVersions[type], shape: shapeOf(shape) },
    ]),
  ]) as Entry["facts"],
}

/** What is wrong with a list of entries, oldest first. */
function faultsOf(entries: readonly Entry[]): readonly string[] {
  const shapes = new Map<string, string>()
  return entries.flatMap(({ fence, facts }, at) => {
    const before = entries[at - 1]
    const grows = before === undefined || fence > before.fence
    const edited = Object.entries(facts).flatMap(([type, { version, shape }]) => {
      const name = `${type} ${version}`
      const known = shapes.get(name) ?? shape
      shapes.set(name, known)
      return known === shape ? [] : [`${name} changed its shape at fence ${fence}`]
    })
    return [...(grows ? [] : [`fence ${fence} follows fence ${before.fence}`]), ...edited]
  })
}

describe("records", () => {
  test("[ST1 ST6] the last entry is what this program writes, at its fence", () => {
    expect(golden.at(-1)).toEqual(written)
  })
  test("[ST1] no entry edits a published shape, and each has a fence of its own", () => {
    expect(faultsOf(golden)).toEqual([])
  })

  const changed = (more: Partial<Entry>): readonly Entry[] => [...golden, { ...written, ...more }]
  const moved = (version: number) => ({ ...written.facts, "session.moved": { version, shape: "other" } })
  const fence = schemaVersion + 1
  const changes = {
    "a shape under the same version": {
      entries: changed({ fence, facts: moved(1) }),
      faults: [`session.moved 1 changed its shape at fence ${fence}`],
    },
    "a shape of a project's log under the same version": {
      entries: changed({
        fence,
        facts: { ...written.facts, "memory.seen": { version: 1, shape: "other" } },
      }),
      faults: [`memory.seen 1 changed its shape at fence ${fence}`],
    },
    "a version under the same fence": {
      entries: changed({ facts: moved(2) }),
      faults: [`fence ${schemaVersion} follows fence ${schemaVersion}`],
    },
    "a type under the same fence": {
      entries: changed({ facts: { ...written.facts, "prompt.sung": { version: 1, shape: "s" } } }),
      faults: [`fence ${schemaVersion} follows fence ${schemaVersion}`],
    },
  }
  for (const [name, { entries, faults }] of Object.entries(changes))
    test(`[ST1] finds ${name}`, () => expect(faultsOf(entries)).toEqual(faults))
  test("[ST1] accepts a version with a fence of its own", () =>
    expect(faultsOf(changed({ fence, facts: moved(2) }))).toEqual([]))
  test("tells shapes apart, and not the order of their fields", () => {
    const [a, b] = [Schema.String, Schema.Int]
    const same = [Schema.Struct({ a, b }), Schema.Struct({ b, a })]
    const others = [
      Schema.Struct({ a }),
      Schema.Struct({ a: b, b }),
      Schema.Struct({ a, b: Schema.optionalKey(b) }),
    ]
    expect(new Set(same.map(shapeOf)).size).toBe(1)
    expect(new Set([...same, ...others].map(shapeOf)).size).toBe(4)
  })
})
