/** Records are plain: a structured copy of one is taken wherever the original is (CO7). */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { test } from "vitest"
import * as input from "../src/input.ts"
import * as records from "../src/records.ts"
import { Page } from "@holdfast/schema/page"

type Codec = Schema.Codec<unknown, unknown>

const inputs = Object.entries({
  ...named("sessions", input.sessionInputs),
  ...named("models", input.modelInputs),
  ...named("providers", input.providerInputs),
  ...named("locations", input.locationInputs),
  ...named("files", input.fileInputs),
  ...named("config", input.configInputs),
})

/** The payload of each operation that has one. */
function named(group: string, table: Readonly<Record<string, object>>): Readonly<Record<string, Codec>> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, parts]) =>
      "payload" in parts ? [[`${group}.${name}`, parts.payload as Codec]] : [],
    ),
  )
}

const outputs = Object.entries({
  ...(records as unknown as Readonly<Record<string, Codec>>),
  PageOfSessions: Page(records.Session) as unknown as Codec,
})

/** Where something stands that is more than data, or null. */
function findUnplain(value: unknown, where: string): string | null {
  if (typeof value === "function" || typeof value === "symbol") return where
  if (typeof value !== "object" || value === null) return null
  if (value instanceof Uint8Array) return null
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Array.prototype) return where
  if (Object.getOwnPropertySymbols(value).length > 0) return where
  for (const [name, inner] of Object.entries(value)) {
    const found = findUnplain(inner, `${where}.${name}`)
    if (found !== null) return found
  }
  return null
}

const runs = { arbitrary: { runs: 8, seed: 11 } }

describe.each([...outputs, ...inputs])("[CO7] %s", (name, schema) => {
  it.prop(
    "is plain as it is read, and a structured copy is taken for it",
    { value: schema },
    ({ value }) => {
      const encoded = Schema.encodeSync(schema)(value)
      const read = Schema.decodeUnknownSync(schema)(JSON.parse(JSON.stringify(encoded)))
      expect(findUnplain(read, name)).toBeNull()
      const copy = structuredClone(read)
      expect(Schema.is(schema)(copy)).toBe(true)
      expect(Schema.encodeUnknownSync(schema)(copy)).toEqual(Schema.encodeSync(schema)(read))
      expect(Schema.decodeUnknownSync(schema)(structuredClone(encoded))).toEqual(
        Schema.decodeUnknownSync(schema)(encoded),
      )
    },
    runs,
  )
})

test("[CO7] finds what is more than data", () => {
  expect(findUnplain({ a: [new Date()] }, "it")).toBe("it.a.0")
  expect(findUnplain({ run: () => {} }, "it")).toBe("it.run")
  expect(findUnplain(Object.create(null), "it")).toBe("it")
})
