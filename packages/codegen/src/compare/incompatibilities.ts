/**
 * What of a contract that others rely on is not there any more (EV1).
 *
 * Additive is: a new operation; a new field of a request that may be left out; a value or a bound that
 * lets more in; a new field of an answer; a new kind of record in a union that is told apart by a
 * tag; a new failure. Everything else breaks a client that was made before, or a reader of the
 * documents: what was taken must be taken, what was promised must come, and a set of plain values that
 * an answer promised does not grow.
 */
import type { Content, Document, JsonSchema, Operation, Parameter } from "./document.ts"
import { differences } from "./sent-and-read.ts"

/** One sentence for each, after the place where it stands; none where only something was added. */
export function incompatibilities(before: Document, after: Document): readonly string[] {
  const lost = Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const found = after.paths[path]?.[method]
      return found === undefined
        ? [`${operation.operationId}: ${method.toUpperCase()} ${path} is gone`]
        : compareOperations({ operation, document: before }, { operation: found, document: after })
    }),
  )
  const schemes = same(before.components.securitySchemes, after.components.securitySchemes)
    ? []
    : ["securitySchemes: callers say who they are in another way"]
  return [...new Set([...lost, ...schemes])]
}

/** Whether anything differs that is more than words or the version itself. */
export const isSameContract = (before: Document, after: Document): boolean =>
  withoutWords(before) === withoutWords(after)

const withoutWords = ({ paths, components }: Document): string =>
  JSON.stringify({ paths, components }, (name, value: unknown) =>
    (name === "description" || name === "summary") && typeof value === "string" ? undefined : value,
  )

interface Versioned {
  readonly operation: Operation
  readonly document: Document
}

function compareOperations(before: Versioned, after: Versioned): readonly string[] {
  const { operationId } = before.operation
  const renamed =
    after.operation.operationId === operationId
      ? []
      : [`${operationId}: it is called ${after.operation.operationId} now`]
  const security = same(before.operation.security, after.operation.security)
    ? []
    : [`${operationId}: who may call it is another question now`]
  return [
    ...renamed,
    ...security,
    ...compareParameters(before, after),
    ...comparePayloads(before, after),
    ...compareAnswers(before, after),
    ...compareFailures(before, after),
  ]
}

function compareParameters(before: Versioned, after: Versioned): readonly string[] {
  const { operationId } = before.operation
  const find = ({ operation }: Versioned, wanted: Parameter): Parameter | undefined =>
    operation.parameters.find((other) => other.name === wanted.name && other.in === wanted.in)
  const kept = before.operation.parameters.flatMap((parameter) => {
    const where = `${operationId} ${parameter.in} ${parameter.name}`
    const found = find(after, parameter)
    if (found === undefined) return [`${where}: it is not taken any more`]
    if (found.required && !parameter.required) return [`${where}: it is required now`]
    return inRequest(before, after, parameter.schema, found.schema, where)
  })
  const added = after.operation.parameters.filter(
    (parameter) => parameter.required && find(before, parameter) === undefined,
  )
  return [
    ...kept,
    ...added.map(({ in: place, name }) => `${operationId} ${place} ${name}: it is required now`),
  ]
}

function comparePayloads(before: Versioned, after: Versioned): readonly string[] {
  const where = `${before.operation.operationId} payload`
  const [given, wanted] = [before.operation.requestBody, after.operation.requestBody]
  if (given === undefined) return wanted?.required === true ? [`${where}: it is required now`] : []
  if (wanted === undefined) return [`${where}: it is not taken any more`]
  return Object.entries(given.content).flatMap(([type, { schema }]) => {
    const found = wanted.content[type]
    return found === undefined
      ? [`${where}: ${type} is not taken any more`]
      : inRequest(before, after, schema, found.schema, where)
  })
}

function compareAnswers(before: Versioned, after: Versioned): readonly string[] {
  const where = `${before.operation.operationId} answer`
  const [promised, given] = [successes(before), successes(after)]
  return [...promised].flatMap(([status, content]) => {
    const found = given.get(status)
    if (found === undefined) return [`${where}: the status ${status} is gone`]
    const strange = Object.keys(found).filter((type) => content[type] === undefined)
    return [
      ...strange.map((type) => `${where}: it may be ${type} now`),
      ...Object.entries(content).flatMap(([type, { schema }]) => {
        const answered = found[type]
        return answered === undefined
          ? [`${where}: it is ${type} no more`]
          : inAnswer(before, after, schema, answered.schema, where)
      }),
    ]
  })
}

function compareFailures(before: Versioned, after: Versioned): readonly string[] {
  const { operationId } = before.operation
  const given = failures(after)
  return [...failures(before)].flatMap(([name, schema]) => {
    const found = given.get(name)
    return found === undefined
      ? [`${operationId}: the failure ${name} is gone`]
      : inAnswer(before, after, schema, found, `${operationId} ${name}`)
  })
}

const isSuccess = (status: string): boolean => status.startsWith("2")

const successes = ({ operation }: Versioned): ReadonlyMap<string, Content> =>
  new Map(
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      isSuccess(status) ? [[status, content] as const] : [],
    ),
  )

/** By status and name. */
const failures = ({ operation }: Versioned): ReadonlyMap<string, JsonSchema> =>
  new Map(
    Object.entries(operation.responses)
      .filter(([status]) => !isSuccess(status))
      .flatMap(([status, { content = {} }]) =>
        Object.values(content).flatMap(({ schema }) =>
          (schema.anyOf ?? [schema]).map(
            (failure) => [`${status} ${failure.$ref?.split("/").at(-1) ?? ""}`, failure] as const,
          ),
        ),
      ),
  )

const inRequest = (
  before: Versioned,
  after: Versioned,
  sent: JsonSchema,
  read: JsonSchema,
  where: string,
): readonly string[] =>
  differences(
    {
      way: "request",
      sent: { schema: sent, document: before.document },
      read: { schema: read, document: after.document },
    },
    where,
  )

const inAnswer = (
  before: Versioned,
  after: Versioned,
  read: JsonSchema,
  sent: JsonSchema,
  where: string,
): readonly string[] =>
  differences(
    {
      way: "answer",
      sent: { schema: sent, document: after.document },
      read: { schema: read, document: before.document },
    },
    where,
  )

const same = (some: unknown, other: unknown): boolean => JSON.stringify(some) === JSON.stringify(other)
