/**
 * The HttpApi to the Contract IR, once (CO2). Whatever an emitter could not reproduce is refused here.
 */
import { Context, Option, Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  type Answer,
  type Contract,
  type Field,
  inputOf,
  Irreproducible,
  type Operation,
  type Payload,
  type Type,
} from "./contract.ts"
import { EncodedTypes } from "./encoded-type.ts"

type Reflected = Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]

export function reflect<Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  failures: readonly Schema.Top[] = [],
): Contract {
  const types = new EncodedTypes()
  const operations: Operation[] = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: (reflected) => operations.push(operationOf(reflected, types)),
  })
  const everywhere = failures.map(({ ast }) => failureName(ast, "any request", types))
  const version = Context.getOption(api.annotations as Context.Context<unknown>, OpenApi.Version)
  return {
    name: api.identifier,
    version: Option.getOrElse(version, () => "0"),
    types: types.all(),
    operations,
    everywhere,
  }
}

function operationOf(
  { group, endpoint, middleware, successes, errors }: Reflected,
  types: EncodedTypes,
): Operation {
  const where = `${group.identifier}.${endpoint.identifier}`
  const { status, answer } = answerOf(endpoint, successes, where, types)
  const operation: Operation = {
    ...publicName(group, endpoint, where),
    inner: { group: group.identifier, endpoint: endpoint.identifier },
    method: endpoint.method,
    path: endpoint.path,
    params: textFields(endpoint.params, `${where} path`),
    query: textFields(endpoint.query, `${where} query`),
    headers: textFields(endpoint.headers, `${where} headers`),
    payload: payloadOf(endpoint, where, types),
    status,
    answer,
    failures: [...errors].flatMap(([code, failures]) =>
      failures.map(({ ast }) => ({ status: code, name: failureName(ast, where, types) })),
    ),
    middleware: [...middleware].map(({ key }) => key),
  }
  checkNames(operation, where)
  return operation
}

/** The title of the group, and what stands behind it in the identifier of the operation: `sessions.create` (CO5). */
function publicName(
  group: Reflected["group"],
  endpoint: Reflected["endpoint"],
  where: string,
): Pick<Operation, "group" | "name"> {
  const title = Context.getOption(group.annotations as Context.Context<unknown>, OpenApi.Title)
  if (Option.isNone(title)) throw new Irreproducible(where, "a group without a public name (OpenApi.Title)")
  const identifier = Context.getOption(endpoint.annotations as Context.Context<unknown>, OpenApi.Identifier)
  const [first, name, ...more] = Option.getOrElse(identifier, () => "").split(".")
  if (first !== title.value || !name || more.length > 0)
    throw new Irreproducible(where, `no public name like ${title.value}.get (OpenApi.Identifier)`)
  return { group: title.value, name }
}

function failureName(ast: SchemaAST.AST, where: string, types: EncodedTypes): string {
  const type = types.of(ast, `${where} failure`)
  if (type.kind !== "named") throw new Irreproducible(where, "a failure without a name")
  return type.name
}

function checkNames(operation: Operation, where: string): void {
  const names = inputOf(operation).map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Irreproducible(where, `two inputs are called ${twice}`)
  const inPath = [...operation.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  if (inPath.join() !== operation.params.map(({ name }) => name).join())
    throw new Irreproducible(where, "the path and its parameters differ")
}

function payloadOf(endpoint: HttpApiEndpoint.Top, where: string, types: EncodedTypes): Payload {
  const [given, ...others] = endpoint.payload.values()
  if (given === undefined) return { kind: "none" }
  const [schema, ...more] = given.schemas
  if (schema === undefined || more.length + others.length > 0)
    throw new Irreproducible(where, "payloads of several kinds")
  const { encoding } = given
  if (isStream(schema) && schema._tag === "StreamUint8Array")
    return { kind: "byte-stream", contentType: schema.contentType }
  switch (encoding._tag) {
    case "Json":
      return {
        kind: "json",
        fields: types.fields(schema.ast, `${where} payload`),
        name: SchemaAST.resolveIdentifier(schema.ast) ?? null,
      }
    case "Uint8Array":
      return { kind: "bytes", contentType: encoding.contentType }
    default:
      throw new Irreproducible(where, `a payload as ${encoding._tag}`)
  }
}

const encodingOf = SchemaAST.resolveAt<{ readonly _tag: string; readonly contentType: string }>(
  "~httpApiEncoding",
)

function answerOf(
  endpoint: HttpApiEndpoint.Top,
  successes: Reflected["successes"],
  where: string,
  types: EncodedTypes,
): { readonly status: number; readonly answer: Answer } {
  const streams = [...endpoint.success].filter(isStream)
  const [stream] = streams
  const [success] = successes
  if (streams.length + successes.size !== 1) throw new Irreproducible(where, "answers of several statuses")
  if (stream !== undefined) return { status: 200, answer: streamOf(stream, where, types) }
  const [status, schemas] = success as [number, readonly Schema.Top[]]
  return { status, answer: wholeAnswer(schemas, where, types) }
}

const isStream = (schema: Schema.Top): schema is HttpApiSchema.StreamSchema & Schema.Top =>
  "_tag" in schema && typeof schema._tag === "string" && schema._tag.startsWith("Stream")

function streamOf(stream: HttpApiSchema.StreamSchema, where: string, types: EncodedTypes): Answer {
  switch (stream._tag) {
    case "StreamSse":
      return { kind: "events", item: itemOf(stream.events.ast, where, types) }
    case "StreamUint8Array":
      return { kind: "byte-stream", contentType: stream.contentType }
    default:
      throw new Irreproducible(where, `an answer as ${stream._tag}`)
  }
}

function wholeAnswer(schemas: readonly Schema.Top[], where: string, types: EncodedTypes): Answer {
  const [first, ...more] = schemas as [Schema.Top, ...Schema.Top[]]
  const encodings = schemas.map(
    ({ ast }) => encodingOf(ast) ?? { _tag: "Json", contentType: "application/json" },
  )
  if (encodings.every(({ _tag }) => _tag === "Uint8Array"))
    return { kind: "bytes", contentTypes: encodings.map(({ contentType }) => contentType) }
  if (more.length > 0) throw new Irreproducible(where, "answers of several kinds")
  if (HttpApiSchema.isNoContent(first.ast)) return { kind: "empty" }
  if (encodings[0]?._tag !== "Json") throw new Irreproducible(where, `an answer as ${encodings[0]?._tag}`)
  return { kind: "json", type: types.of(first.ast, `${where} answer`) }
}

/** The JSON that stands in the `data` of an event. */
function itemOf(events: SchemaAST.AST, where: string, types: EncodedTypes): Type {
  const data = SchemaAST.isObjects(events)
    ? events.propertySignatures.find(({ name }) => name === "data")?.type
    : undefined
  if (data === undefined) throw new Irreproducible(where, "events without data")
  return types.inText(data, `${where} item`)
}

/** Parts of an address and headers: texts that say a text, a number, or yes and no. */
function textFields(schema: Schema.Top | undefined, where: string): readonly Field[] {
  if (schema === undefined) return []
  const { ast } = schema
  if (!SchemaAST.isObjects(ast)) throw new Irreproducible(where, "fields are wanted")
  return ast.propertySignatures.map(({ name, type }) => {
    const at = `${where}.${String(name)}`
    checkText(type, at)
    return {
      name: String(name),
      type: new EncodedTypes().of(SchemaAST.toType(type), at),
      optional: SchemaAST.isOptional(type),
    }
  })
}

/** A client writes the value as a text and nothing else. */
function checkText(ast: SchemaAST.AST, where: string): void {
  const meant = SchemaAST.toType(ast)
  if (SchemaAST.isNumber(meant) || SchemaAST.isBoolean(meant)) {
    const sample = SchemaAST.isNumber(meant) ? 7 : true
    const text = Schema.encodeUnknownSync(Schema.make<Schema.Codec<unknown>>(ast as never))(sample)
    if (text !== String(sample)) throw new Irreproducible(where, `${sample} is written as ${String(text)}`)
    return
  }
  const members = SchemaAST.isUnion(meant) ? meant.types : [meant]
  const isText = members.every(
    (member) =>
      SchemaAST.isString(member) || (SchemaAST.isLiteral(member) && typeof member.literal === "string"),
  )
  if (!isText) throw new Irreproducible(where, "a part of an address that is no text, number, yes or no")
}
