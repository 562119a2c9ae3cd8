/**
 * Registrations of a program, read before they are taken (CO3): a tool or a source that does not fit
 * would break the turns of every Session, long after the call that brought it.
 */
import { Result, Schema } from "effect"
import { toolFault } from "@holdfast/core/host/sendable-tool"
import { unfit } from "@holdfast/protocol/misfit"
import { InvalidRequest } from "@holdfast/schema/error"
import { Json } from "@holdfast/schema/json"
import type { RegisteredSource, RegisteredTool } from "./capabilities.ts"

const callable = Schema.declare(
  (value: unknown): value is (...given: never) => unknown => typeof value === "function",
  { expected: "a function" },
)

/** As long as a background command may run. */
const timeoutMaxMs = 86_400_000

const Tool = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/)),
  description: Schema.String,
  // Providers take no other: a call brings named values.
  inputSchema: Schema.StructWithRest(Schema.Struct({ type: Schema.Literal("object") }), [
    Schema.Record(Schema.String, Json),
  ]),
  repeatable: Schema.optionalKey(Schema.Boolean),
  readOnly: Schema.optionalKey(Schema.Boolean),
  timeoutMs: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: timeoutMaxMs }))),
  run: callable,
})

const Source = Schema.Struct({
  key: Schema.String,
  load: callable,
  baseline: callable,
  update: callable,
  removal: Schema.optionalKey(callable),
  directory: Schema.optionalKey(Schema.NonEmptyString),
})

export const checkedTool = reader<RegisteredTool>(Tool)
export const checkedSource = reader<RegisteredSource>(Source)

/** Throws InvalidRequest where a provider would refuse the tool, and with it every request that offers it. */
export async function requireSendable({ name, description, inputSchema }: RegisteredTool): Promise<void> {
  const message = await toolFault({ name, description, inputSchema })
  if (message !== null) throw new InvalidRequest({ part: "payload", message })
}

/** Throws InvalidRequest where it does not fit. */
function reader<A>(schema: Schema.Struct<Schema.Struct.Fields>): (given: A) => A {
  const decode = Schema.decodeUnknownResult(Schema.toType(schema), { onExcessProperty: "error" })
  const names = Object.keys(schema.fields)
  return (given) => {
    const source: Readonly<Record<string, unknown>> = Object(given ?? {})
    // Methods of a class are fields as well; one without a value is not there.
    const fields = [...new Set([...names, ...Object.keys(source)])]
      .map((name) => [name, source[name]] as const)
      .filter(([, value]) => value !== undefined)
    const read = decode(Object.fromEntries(fields))
    if (Result.isSuccess(read)) return read.success as A
    throw unfit("payload", read.failure.issue)
  }
}
