/** What counts as taken away from a contract, and what as added to it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Document, JsonSchema, Operation, Parameter } from "../src/compare/document.ts"
import { incompatibilities, isSameContract } from "../src/compare/incompatibilities.ts"

const text: JsonSchema = { type: "string" }
const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
const record = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
  more: JsonSchema = {},
): JsonSchema => ({ type: "object", properties, required, ...more })
const tagged = (tag: string, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema =>
  record({ type: { type: "string", enum: [tag] }, ...more })

interface Parts {
  readonly parameters?: readonly Parameter[]
  readonly payload?: JsonSchema
  readonly answer?: JsonSchema
  readonly operation?: Partial<Operation>
  readonly schemas?: Readonly<Record<string, JsonSchema>>
}

const json = (schema: JsonSchema) => ({ "application/json": { schema } })

/** A contract of one operation. */
function contract({
  parameters = [],
  payload,
  answer = text,
  operation,
  schemas = {},
}: Parts = {}): Document {
  const post: Operation = {
    operationId: "things.make",
    parameters,
    security: [{ bearer: [] }],
    ...(payload && { requestBody: { required: true, content: json(payload) } }),
    responses: { 200: { content: json(answer) }, 404: { content: json(ref("ThingNotFound")) } },
    ...operation,
  }
  const failure = record({ _tag: { type: "string", enum: ["ThingNotFound"] }, message: text })
  return {
    info: { version: "1.0" },
    paths: { "/api/thing": { post } },
    components: { schemas: { ThingNotFound: failure, ...schemas } },
  }
}

const closed = { additionalProperties: false }
const query = (name: string, more: Partial<Parameter> = {}): Parameter => ({
  name,
  in: "query",
  required: false,
  schema: text,
  ...more,
})
const optional = record({ a: text, b: text }, ["a"], closed)

type Row = readonly [what: string, before: Parts, after: Parts]

describe("[EV1] is additive:", () => {
  test.each<Row>([
    ["nothing at all", {}, {}],
    [
      "a field of a payload that may be left out",
      { payload: record({ a: text }, ["a"], closed) },
      { payload: optional },
    ],
    [
      "a field of a payload that may be left out now",
      { payload: record({ a: text, b: text }, ["a", "b"], closed) },
      { payload: optional },
    ],
    ["a parameter that may be left out", {}, { parameters: [query("a")] }],
    [
      "a value that is taken too",
      { payload: { enum: ["a"], type: "string" } },
      { payload: { enum: ["a", "b"], type: "string" } },
    ],
    [
      "a bound that lets more in",
      { payload: { type: "string", maxLength: 5 } },
      { payload: { type: "string", maxLength: 6 } },
    ],
    ["a bound that went", { payload: { type: "integer", minimum: 1 } }, { payload: { type: "number" } }],
    ["one more form of a payload", { payload: text }, { payload: { anyOf: [text, { type: "null" }] } }],
    ["a field of an answer", { answer: record({ a: text }) }, { answer: record({ a: text, b: text }) }],
    [
      "a field of an answer that always comes now",
      { answer: record({ a: text }, []) },
      { answer: record({ a: text }) },
    ],
    [
      "a value that is not answered any more",
      { answer: { enum: ["a", "b"], type: "string" } },
      { answer: { enum: ["a"], type: "string" } },
    ],
    [
      "a kind of record that is told apart by its tag",
      { answer: { anyOf: [tagged("a"), tagged("b")] } },
      { answer: { anyOf: [tagged("a"), tagged("b"), tagged("c")] } },
    ],
    [
      "a failure",
      {},
      {
        operation: {
          responses: {
            ...contract().paths["/api/thing"]?.["post"]?.responses,
            409: { content: json(ref("Taken")) },
          },
        },
        schemas: { Taken: tagged("Taken") },
      },
    ],
    [
      "another name for the same record",
      { answer: ref("A"), schemas: { A: record({ a: text }) } },
      { answer: ref("B"), schemas: { B: record({ a: text }) } },
    ],
    [
      "words",
      { answer: record({ a: text }) },
      { answer: record({ a: { ...text, description: "Said." } as JsonSchema }) },
    ],
  ])("%s", (_, before, after) => expect(incompatibilities(contract(before), contract(after))).toEqual([]))

  test("an operation", () => {
    const before = contract()
    const after = {
      ...before,
      paths: { ...before.paths, "/api/other": { get: before.paths["/api/thing"]?.["post"] as Operation } },
    }
    expect(incompatibilities(before, after)).toEqual([])
    expect(isSameContract(before, after)).toBe(false)
  })
})

describe("[EV1] breaks others:", () => {
  test.each<readonly [...Row, fault: string]>([
    [
      "a field of a payload that is required now",
      { payload: optional },
      { payload: record({ a: text, b: text }, ["a", "b"], closed) },
      "things.make payload.b: it is required now",
    ],
    [
      "a new field that is required",
      { payload: record({ a: text }, ["a"], closed) },
      { payload: record({ a: text, c: text }, ["a", "c"], closed) },
      "things.make payload.c: it is required now",
    ],
    [
      "a field that is refused now",
      { payload: optional },
      { payload: record({ a: text }, ["a"], closed) },
      "things.make payload.b: it is not taken any more",
    ],
    [
      "a field of another type",
      { payload: optional },
      { payload: record({ a: { type: "number" }, b: text }, ["a"], closed) },
      "things.make payload.a: it is string where number is read",
    ],
    [
      "a value that is refused now",
      { payload: { enum: ["a", "b"], type: "string" } },
      { payload: { enum: ["a"], type: "string" } },
      'things.make payload: the value "b" is not one that is read',
    ],
    [
      "a set of values for any text",
      { payload: text },
      { payload: { enum: ["a"], type: "string" } },
      "things.make payload: it may have any value now",
    ],
    [
      "a tighter bound",
      { payload: { type: "string", maxLength: 5 } },
      { payload: { type: "string", maxLength: 4 } },
      "things.make payload: its maxLength lets less in",
    ],
    [
      "a new bound",
      { payload: { type: "integer" } },
      { payload: { type: "integer", minimum: 0 } },
      "things.make payload: its minimum lets less in",
    ],
    [
      "a pattern",
      { payload: text },
      { payload: { type: "string", pattern: "^a" } },
      "things.make payload: its pattern lets less in",
    ],
    [
      "a form of a payload that went",
      { payload: { anyOf: [text, { type: "null" }] } },
      { payload: text },
      "things.make payload: it is null where string is read",
    ],
    ["a payload that is required now", {}, { payload: optional }, "things.make payload: it is required now"],
    ["a payload that went", { payload: optional }, {}, "things.make payload: it is not taken any more"],
    [
      "items of a list of another type",
      { payload: { type: "array", items: text } },
      { payload: { type: "array", items: { type: "number" } } },
      "things.make payload[]: it is string where number is read",
    ],
    [
      "a parameter that went",
      { parameters: [query("a")] },
      {},
      "things.make query a: it is not taken any more",
    ],
    [
      "a parameter that is required now",
      { parameters: [query("a")] },
      { parameters: [query("a", { required: true })] },
      "things.make query a: it is required now",
    ],
    [
      "a new parameter that is required",
      {},
      { parameters: [query("a", { required: true })] },
      "things.make query a: it is required now",
    ],
    [
      "a parameter with fewer values",
      { parameters: [query("a")] },
      { parameters: [query("a", { schema: { type: "string", enum: ["x"] } })] },
      "things.make query a: it may have any value now",
    ],
    [
      "a field of an answer that went",
      { answer: record({ a: text, b: text }, ["a"]) },
      { answer: record({ a: text }) },
      "things.make answer.b: it is gone",
    ],
    [
      "a field of an answer that may be absent now",
      { answer: record({ a: text }) },
      { answer: record({ a: text }, []) },
      "things.make answer.a: it may be absent now",
    ],
    [
      "a field of an answer that may be null now",
      { answer: record({ a: text }) },
      { answer: record({ a: { anyOf: [text, { type: "null" }] } }) },
      "things.make answer.a: it is null where string is read",
    ],
    [
      "a new value of an answer",
      { answer: { enum: ["a"], type: "string" } },
      { answer: { enum: ["a", "b"], type: "string" } },
      'things.make answer: the value "b" is not one that is read',
    ],
    [
      "an answer that may be anything now",
      { answer: text },
      { answer: {} },
      "things.make answer: it may be anything now",
    ],
    [
      "a kind of record without a tag",
      { answer: { anyOf: [text, { type: "null" }] } },
      { answer: { anyOf: [text, { type: "null" }, { type: "number" }] } },
      "things.make answer: number fits nothing that was there",
    ],
    [
      "a change inside a record with a tag",
      { answer: { anyOf: [tagged("a", { x: text }), tagged("b")] } },
      { answer: { anyOf: [tagged("a"), tagged("b")] } },
      "things.make answer (type a).x: it may be absent now",
    ],
    [
      "a change deep in a named record that holds itself",
      {
        answer: ref("Tree"),
        schemas: { Tree: record({ name: text, inside: { type: "array", items: ref("Tree") } }) },
      },
      {
        answer: ref("Tree"),
        schemas: {
          Tree: record({ name: { type: "number" }, inside: { type: "array", items: ref("Tree") } }),
        },
      },
      "Tree.name: it is number where string is read",
    ],
    [
      "a failure that went",
      {},
      { operation: { responses: { 200: { content: json(text) } } } },
      "things.make: the failure 404 ThingNotFound is gone",
    ],
    [
      "a failure with another status",
      {},
      {
        operation: {
          responses: { 200: { content: json(text) }, 409: { content: json(ref("ThingNotFound")) } },
        },
      },
      "things.make: the failure 404 ThingNotFound is gone",
    ],
    [
      "another status of success",
      {},
      {
        operation: {
          responses: { 201: { content: json(text) }, 404: { content: json(ref("ThingNotFound")) } },
        },
      },
      "things.make answer: the status 200 is gone",
    ],
    [
      "another type of content",
      {},
      {
        operation: {
          responses: {
            200: { content: { "text/plain": { schema: text } } },
            404: { content: json(ref("ThingNotFound")) },
          },
        },
      },
      "things.make answer: it may be text/plain now",
    ],
    [
      "another name",
      {},
      { operation: { operationId: "things.create" } },
      "things.make: it is called things.create now",
    ],
    [
      "another way to be let in",
      {},
      { operation: { security: [] } },
      "things.make: who may call it is another question now",
    ],
    [
      "a word that the comparison does not know",
      { answer: text },
      { answer: { ...text, not: {} } as JsonSchema },
      "things.make answer: the comparison does not know what not means",
    ],
  ])("%s", (_, before, after, fault) =>
    expect(incompatibilities(contract(before), contract(after))).toContain(fault),
  )

  test("an operation that went", () => {
    const before = contract()
    const fault = ["things.make: POST /api/thing is gone"]
    expect(incompatibilities(before, { ...before, paths: {} })).toEqual(fault)
    const moved = { ...before, paths: { "/api/things": before.paths["/api/thing"] ?? {} } }
    expect(incompatibilities(before, moved)).toEqual(fault)
  })
})

describe("[EV1] in our own document", () => {
  const ours = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../protocol/openapi.json"), "utf8"),
  ) as Document
  const without = (find: RegExp, replace: string): Document => {
    const changed = JSON.stringify(ours).replace(find, replace)
    expect(changed).not.toBe(JSON.stringify(ours))
    return JSON.parse(changed) as Document
  }

  test("every word is known to the comparison, and it fits itself", () =>
    expect(incompatibilities(ours, ours)).toEqual([]))

  test("a field that goes from a record is found, and told once", () => {
    const { Location: _, ...others } = ours.components.schemas
    const Location = record({ directory: text })
    const after = { ...ours, components: { ...ours.components, schemas: { ...others, Location } } }
    const faults = incompatibilities(ours, after).filter((fault) => fault.startsWith("Location"))
    expect(faults).toEqual(["Location.projectRoot: it may be absent now"])
  })

  test("a fact that is called otherwise is found inside of a stream", () =>
    expect(incompatibilities(ours, without(/"session\.interrupted"/g, '"session.stopped"'))).toContain(
      "Fact (type session.interrupted): it is gone",
    ))
})
