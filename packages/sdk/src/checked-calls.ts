/**
 * Calls read by the contract's own table before anything acts on them (CO3, EM1).
 *
 * A program in the same process may be plain JavaScript, or have cast its types away: what the
 * network would refuse is refused here as well, and a misspelt field is never ignored. The table
 * describes what travels; a few fields are spelt for people here, and those are listed.
 */
import { Result, Schema } from "effect"
import { modelInputs, SendPromptInput, sessionInputs, unfit } from "@holdfast/protocol/input"
import type { InvalidRequest } from "@holdfast/schema/error"
import type { Holdfast } from "./holdfast.ts"
import type { Sessions } from "./sessions.ts"

/** The same Holdfast; what does not fit rejects with InvalidRequest. */
export function checkedCalls(holdfast: Holdfast): Holdfast {
  const { sessions, models } = holdfast
  const checked = Object.entries(sessions).map(([name, method]: [string, Method]) => {
    const read = reader(inputs[name as keyof Sessions])
    return [name, name === "events" ? lazily(read, method) : async (given: unknown) => method(read(given))]
  })
  const readModel = reader(modelInputs.get)
  return {
    ...holdfast,
    sessions: Object.fromEntries(checked) as Sessions,
    models: { get: async (given) => models.get(readModel(given) as typeof given) },
  }
}

type Method = (input: never) => unknown
type Read = (given: unknown) => never

interface Input {
  readonly params?: Schema.Struct.Fields
  readonly query?: Schema.Top
  readonly payload?: Schema.Struct<Schema.Struct.Fields>
}

const spelt = (payload: Schema.Struct<Schema.Struct.Fields>, fields: Schema.Struct.Fields) =>
  Schema.Struct({ ...payload.fields, ...fields })

/** An empty struct would take any value. */
const nothing = Schema.Record(Schema.String, Schema.Never)

const PromptImage = Schema.Struct({ bytes: Schema.Uint8Array, name: Schema.optionalKey(Schema.String) })

const inputs: Readonly<Record<keyof Sessions, Input>> = {
  ...sessionInputs,
  create: { payload: spelt(sessionInputs.create.payload, { model: Schema.optionalKey(Schema.String) }) },
  prompt: {
    ...sessionInputs.prompt,
    payload: spelt(SendPromptInput, { images: Schema.optionalKey(Schema.Array(PromptImage)) }),
  },
  switchModel: {
    ...sessionInputs.switchModel,
    payload: spelt(sessionInputs.switchModel.payload, { model: Schema.String }),
  },
}

/** Made with the first call: most programs use few of the methods. */
function reader(input: Input): Read {
  let read: Read | undefined
  return (given) => (read ??= makeReader(input))(given)
}

function makeReader({ params = {}, query, payload }: Input): Read {
  const readPath = decoder("path", Schema.Struct(params))
  const readRest = decoder(payload === undefined ? "query" : "payload", payload ?? query ?? nothing)
  return (given) => {
    // As on the way to JSON: a field without a value is not there.
    const fields = Object.entries(Object(given ?? {})).filter(([, value]) => value !== undefined)
    const inPath = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(params, name)
    const path = readPath(Object.fromEntries(fields.filter(inPath)))
    const rest = readRest(Object.fromEntries(fields.filter((field) => !inPath(field))))
    return { ...path, ...rest } as never
  }
}

function decoder(part: InvalidRequest["part"], schema: Schema.Top) {
  const decode = Schema.decodeUnknownResult(Schema.toType(schema), { onExcessProperty: "error" })
  return (given: object): object => {
    const decoded = decode(given)
    if (Result.isSuccess(decoded)) return decoded.success as object
    throw unfit(part, decoded.failure.message)
  }
}

/** A stream does nothing before its first `next()`, and rejects there. */
const lazily = (read: Read, method: Method) => (given: unknown) => ({
  [Symbol.asyncIterator]: () => {
    try {
      return (method(read(given)) as AsyncIterable<unknown>)[Symbol.asyncIterator]()
    } catch (failure) {
      return { next: () => Promise.reject(failure) }
    }
  },
})
