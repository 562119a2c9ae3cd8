/** A Converse body as somebody wrote it: what of it means nothing, and its blocks (LL3). */
import { fieldsOf, isFields } from "../json-fields.ts"
import { grouped, without, type WrittenForm, writtenTools } from "../recording/written-form.ts"
import { readRequest } from "./read-request.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  // The address names the model; cache points stand at places of our own.
  meaning: (body) => without("modelId", fieldsOf(withoutCachePoints(body))),
  blocks: (body) => [
    ...writtenTools(fieldsOf(body["toolConfig"])["tools"]),
    ...grouped(body, body["system"], "messages", "content"),
  ],
  faults: () => [],
}

function withoutCachePoints(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((item) => fieldsOf(item)["cachePoint"] === undefined).map(withoutCachePoints)
  }
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutCachePoints(item)]))
}
