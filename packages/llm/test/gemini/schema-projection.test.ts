/** JSON Schema to the subset that Gemini takes. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json, JsonObject } from "@holdfast/schema/json"
import { projectParameters, projectToGemini, refusedKeywords } from "../../src/gemini/schema-projection.ts"

describe("a schema", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "without keywords that the provider does not know",
      { type: "string", $schema: "x", minLength: 1, additionalProperties: false, uniqueItems: true },
      { type: "string", minLength: 1 },
    ],
    ["with null as nullable", { type: ["string", "null"] }, { type: "string", nullable: true }],
    [
      "with several types as a union",
      { type: ["string", "integer"] },
      { anyOf: [{ type: "string" }, { type: "integer" }] },
    ],
    [
      "with oneOf as anyOf",
      { oneOf: [{ type: "string" }, { type: "null" }, { type: "integer" }] },
      { anyOf: [{ type: "string" }, { type: "integer" }], nullable: true },
    ],
    ["with a constant as an enumeration", { const: "a" }, { type: "string", enum: ["a"] }],
    ["without enumerated numbers", { type: "integer", enum: [1, 2] }, { type: "integer" }],
    ["without formats that a type cannot have", { type: "string", format: "uri" }, { type: "string" }],
    [
      "with formats that it can have",
      { type: "string", format: "date-time" },
      { type: "string", format: "date-time" },
    ],
    [
      "with what a reference names, and what is said beside it",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/A", description: "d" } },
        $defs: { A: { type: "string" } },
      },
      { type: "object", properties: { a: { type: "string", description: "d" } } },
    ],
    [
      "with all that must hold as one",
      {
        type: "object",
        allOf: [
          { properties: { a: { type: "string" } }, required: ["a"] },
          { properties: { b: { type: "string" } }, required: ["b"] },
        ],
      },
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a", "b"] },
    ],
    ["with lists that say of what", { type: "array" }, { type: "array", items: { type: "string" } }],
    [
      "with the first of a tuple",
      { type: "array", items: [{ type: "integer" }, {}] },
      { type: "array", items: { type: "integer" } },
    ],
    [
      "without required properties that it does not have",
      { type: "object", properties: { a: {} }, required: ["a", "b"] },
      { type: "object", properties: { a: {} }, required: ["a"] },
    ],
    [
      "with a property that is called like a keyword",
      { type: "object", properties: { const: { type: "string" }, $ref: { type: "string" } } },
      { type: "object", properties: { const: { type: "string" }, $ref: { type: "string" } } },
    ],
  ])("[LL3] is sent %s", (_, schema, projected) => {
    expect(projectToGemini(schema)).toEqual(projected)
    expect(refusedKeywords(projectToGemini(schema))).toEqual([])
  })

  test("[LL3] that leads back to itself comes to an end", () => {
    const tree = {
      type: "object",
      properties: { left: { $ref: "#" }, next: { $ref: "#/$defs/N" } },
      $defs: { N: { type: "object", properties: { n: { $ref: "#/$defs/N", description: "again" } } } },
    }
    expect(projectToGemini(tree)).toEqual({
      type: "object",
      properties: {
        left: {},
        next: { type: "object", properties: { n: { description: "again" } } },
      },
    })
  })

  test("[LL3] that doubles at every step stays small", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `d${i}`,
        {
          type: "object",
          properties: { a: { $ref: `#/$defs/d${i + 1}` }, b: { $ref: `#/$defs/d${i + 1}` } },
        },
      ]),
    )
    const text = JSON.stringify(projectToGemini({ $ref: "#/$defs/d0", $defs }))
    expect(text.length).toBeLessThan(200_000)
  })

  test("[LL3] of a function without properties is not sent at all", () => {
    expect(projectParameters({ type: "object", properties: {} })).toBeNull()
    expect(projectParameters({ oneOf: [] })).toBeNull()
  })

  test("[LL3] of any JSON is one that the provider takes", () => {
    const keys = fc.constantFrom(
      "type",
      "properties",
      "items",
      "anyOf",
      "allOf",
      "$ref",
      "enum",
      "required",
      "const",
      "x",
    )
    const words = fc.constantFrom("string", "object", "array", "null", "#", "#/properties/x", "a")
    const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        words,
        fc.integer(),
        fc.constant(null),
        fc.array(tie("schema"), { maxLength: 3 }),
        fc.dictionary(keys, tie("schema"), { maxKeys: 4 }),
      ) as fc.Arbitrary<Json>,
    }))
    fc.assert(
      fc.property(fc.dictionary(keys, schema, { maxKeys: 5 }), (given) => {
        const parameters = projectParameters(given as JsonObject)
        if (parameters !== null) expect(refusedKeywords(parameters)).toEqual([])
      }),
      { numRuns: 400 },
    )
  })
})
