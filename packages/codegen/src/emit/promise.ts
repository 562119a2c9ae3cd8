/** The Promise client: records, guards, operations as data, and the interface of the whole (CL1, CL2, CL4). */
import { type Answer, type Contract, groupsOf, inputOf, Irreproducible, type Operation } from "../contract.ts"
import { contractHeader } from "@holdfast/protocol/version"
import { banner, capital, declaration, fieldsText, namesIn, typeText } from "./typescript.ts"

export const promiseFiles = (contract: Contract): Readonly<Record<string, string>> => ({
  "records.ts": recordsText(contract),
  "failures.ts": failuresText(contract),
  "operations.ts": operationsText(contract),
  "holdfast-client.ts": clientText(contract),
})

const recordsText = ({ types }: Contract): string =>
  [
    banner,
    "export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }\n",
    ...types.map(declaration),
  ].join("\n")

const failureNames = ({ operations, everywhere }: Contract): readonly string[] =>
  [
    ...new Set([...everywhere, ...operations.flatMap(({ failures }) => failures.map(({ name }) => name))]),
  ].toSorted()

/** Guards look at the tag alone: the failure may come from another copy of the package, or another realm. */
function failuresText(contract: Contract): string {
  const names = failureNames(contract)
  return [
    banner,
    `import type {\n${names.map((name) => `  ${name},`).join("\n")}\n} from "./records.ts"\n`,
    `import { hasTag } from "../tag.ts"\n`,
    `/** Everything that an operation may fail with, as its answer said it. */`,
    `export type Failure = ${names.join(" | ")}\n`,
    ...names.map(
      (name) =>
        `export const is${name} = (failure: unknown): failure is ${name} => hasTag(failure, ${JSON.stringify(name)})`,
    ),
    "",
    `export const failureTags: ReadonlySet<string> = new Set(${JSON.stringify(names)})`,
    "",
  ].join("\n")
}

function operationsText({ operations, version }: Contract): string {
  const rows = operations.map((operation) => {
    const { group, name, method, path, answer } = operation
    const shape = { method, path, ...restOf(operation), answer: answer.kind }
    return `  ${JSON.stringify(`${group}.${name}`)}: ${JSON.stringify(shape)},`
  })
  return [
    banner,
    `import type { Operation } from "../transport.ts"\n`,
    `/** Which contract this is; \`health\` of a server names its own. */`,
    `export const contractVersion = ${JSON.stringify(version)}`,
    `/** The header by which a caller says so. */`,
    `export const contractHeader = ${JSON.stringify(contractHeader)}\n`,
    `export const operations = {\n${rows.join("\n")}\n} as const satisfies Readonly<Record<string, Operation>>`,
    "",
  ].join("\n")
}

/** Where fields go that do not stand in the path: also those that nobody knows, so that they are refused. */
function restOf({ group, name, query, payload }: Operation): object {
  if (query.length > 0 && payload.kind !== "none")
    throw new Irreproducible(`${group}.${name}`, "a query beside a payload")
  if (payload.kind === "json") return { rest: "payload" }
  return query.length > 0 ? { rest: "query" } : {}
}

function clientText(contract: Contract): string {
  const groups = groupsOf(contract)
  const used = new Set(contract.operations.flatMap(usedNames))
  const interfaces = groups.map((group) => {
    const methods = contract.operations.filter((operation) => operation.group === group).map(methodText)
    return `export interface ${capital(group)}Operations {\n${methods.join("\n")}\n}\n`
  })
  return [
    banner,
    `import type { Bytes, CallOptions } from "../transport.ts"`,
    `import type { ${[...used].toSorted().join(", ")} } from "./records.ts"\n`,
    ...contract.operations.flatMap(inputText),
    ...interfaces,
    `export interface HoldfastClient {\n${groups.map((group) => `  readonly ${group}: ${capital(group)}Operations`).join("\n")}\n}\n`,
  ].join("\n")
}

const usedNames = (operation: Operation): readonly string[] => [
  ...inputOf(operation).flatMap(({ type }) => namesIn(type)),
  ...(operation.answer.kind === "json" ? namesIn(operation.answer.type) : []),
  ...(operation.answer.kind === "events" ? namesIn(operation.answer.item) : []),
]

const inputName = ({ group, name }: Operation): string => `${capital(group)}${capital(name)}Input`

function inputText(operation: Operation): readonly string[] {
  const fields = inputOf(operation)
  return fields.length === 0 ? [] : [`export interface ${inputName(operation)} ${fieldsText(fields)}\n`]
}

function methodText(operation: Operation): string {
  const fields = inputOf(operation)
  const isOptional = fields.every(({ optional }) => optional)
  const input = fields.length === 0 ? "" : `input${isOptional ? "?" : ""}: ${inputName(operation)}, `
  return `  readonly ${operation.name}: (${input}options?: CallOptions) => ${answerText(operation.answer)}`
}

function answerText(answer: Answer): string {
  switch (answer.kind) {
    case "empty":
      return "Promise<void>"
    case "json":
      return `Promise<${typeText(answer.type)}>`
    case "bytes":
      return "Promise<Bytes>"
    case "byte-stream":
      return "AsyncIterable<Uint8Array>"
    case "events":
      return `AsyncIterable<${typeText(answer.item)}>`
  }
}
