/** The OpenAPI document as others read it: everything has words, and records have names. */
import { OpenApi } from "effect/http-api"
import { expect, test } from "vitest"
import { factShapes } from "@holdfast/schema/event"
import { HoldfastApi } from "../src/index.ts"
import { inputTexts } from "../src/input-texts.ts"
import { groupTexts, operationTexts } from "../src/openapi.ts"

const document = OpenApi.fromApi(HoldfastApi)
const operations = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods as Record<string, OpenApi.OpenAPISpecOperation>),
)

interface Field {
  readonly description?: string
}

const fieldsOf = ({ requestBody }: OpenApi.OpenAPISpecOperation): readonly (readonly [string, Field])[] => {
  const schema = requestBody?.content["application/json"]?.schema as { properties?: Record<string, Field> }
  return Object.entries(schema?.properties ?? {})
}

test("[CO2] every operation has a summary and a description, and no words are left over", () => {
  expect(operations.filter(({ summary, description }) => !summary || !description)).toEqual([])
  expect(Object.keys(operationTexts).toSorted()).toEqual(
    operations.map(({ operationId }) => operationId).toSorted(),
  )
  expect(document.tags).toEqual(
    Object.entries(groupTexts).map(([name, description]) => ({ name, description })),
  )
})

test("[CO2] every parameter and every field of a payload is described, and no words are left over", () => {
  const inputs = operations.flatMap((operation) => [
    ...operation.parameters.map((parameter) => [parameter.name, parameter as Field] as const),
    ...fieldsOf(operation),
  ])
  expect(inputs.filter(([, { description }]) => !description).map(([name]) => name)).toEqual([])
  expect(Object.keys(inputTexts).toSorted()).toEqual([...new Set(inputs.map(([name]) => name))].toSorted())
})

test("[CO2] records are named, and each fact too", () => {
  const names = Object.keys(document.components.schemas)
  const records = ["Session", "Message", "Event", "LiveEvent", "PromptReceipt", "RunResult", "TurnRecord"]
  expect(names).toEqual(expect.arrayContaining(records))
  for (const type of factShapes.keys()) {
    const name = type.split(".").map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    expect(names).toContain(name.join(""))
  }
  expect(JSON.stringify(document)).not.toContain("Encoded")
})

test("[CO2] each answer says what it is, and a reader may not refuse fields that it does not know", () => {
  const answers = operations.flatMap(({ responses }) => Object.values(responses))
  expect(answers.filter(({ description }) => /^$|^Success$|^</.test(description))).toEqual([])
  expect(JSON.stringify([answers, document.components])).not.toContain('"additionalProperties":false')
  expect(JSON.stringify(document)).not.toContain("x-effect")
})

test("[CO2] what is sent is read strictly, and the document says so", () => {
  const create = operations.find(({ operationId }) => operationId === "sessions.create")
  expect(create?.requestBody?.content["application/json"]?.schema).toMatchObject({
    additionalProperties: false,
  })
})

test("[CO2] numbers and flags of a query are numbers and flags", () => {
  const types = new Map(
    operations.flatMap(({ parameters }) =>
      parameters.map(({ name, schema }) => [name, (schema as { type?: string }).type] as const),
    ),
  )
  expect(["limit", "after", "last-event-id", "system"].map((name) => types.get(name))).toEqual([
    "integer",
    "integer",
    "integer",
    "boolean",
  ])
})

test("[CO2] the document names its server and its licence", () => {
  expect(document.servers).toEqual([{ url: "/", description: expect.any(String) }])
  expect(document.info.license).toEqual({ name: "MIT", identifier: "MIT" })
})
