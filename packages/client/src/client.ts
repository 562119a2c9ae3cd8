/** The client over any transport: a method for each operation of the contract, by group and name. */
import type { HoldfastClient } from "./generated/holdfast-client.ts"
import { operations } from "./generated/operations.ts"
import type { CallOptions, Input, Operation, Transport } from "./transport.ts"

type Method = (...given: readonly unknown[]) => unknown

export function clientOver(transport: Transport): HoldfastClient {
  const groups: Record<string, Record<string, Method>> = {}
  for (const [path, operation] of Object.entries(operations as Readonly<Record<string, Operation>>)) {
    const [group, name] = path.split(".") as [string, string]
    groups[group] = { ...groups[group], [name]: methodOf(operation, transport) }
  }
  return groups as unknown as HoldfastClient
}

function methodOf(operation: Operation, transport: Transport): Method {
  const carry =
    operation.answer === "events" || operation.answer === "byte-stream" ? transport.stream : transport.call
  return takesInput(operation)
    ? (input, options) => carry(operation, (input ?? {}) as Input, (options ?? {}) as CallOptions)
    : (options) => carry(operation, {}, (options ?? {}) as CallOptions)
}

const takesInput = ({ path, rest }: Operation): boolean => path.includes("/:") || rest !== undefined
