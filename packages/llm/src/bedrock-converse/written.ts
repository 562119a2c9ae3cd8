/** A Converse body as somebody wrote it: how it is read, compared, split and judged (LL3). */
import { fieldsOf, isFields, listOf } from "../json-fields.ts"
import { written, type WrittenForm, writtenTools } from "../recording/written-form.ts"
import { isCachePoint } from "./block-shape.ts"
import { meaningOf } from "./written/meaning.ts"
import { readRequest } from "./read-request.ts"
import { faultsOf } from "./written/faults.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  meaning: meaningOf,
  blocks: (body) =>
    [
      ...writtenTools(fieldsOf(body["toolConfig"])["tools"]),
      ...listOf(body["system"]).map(fieldsOf).map(written("system", null)),
      ...listOf(body["messages"])
        .filter(isFields)
        .flatMap(({ role, content }) =>
          listOf(content)
            .map(fieldsOf)
            // No other role is known, and the linter says so of each block.
            .map(written("tail", role === "user" || role === "assistant" ? role : null)),
        ),
    ].filter(({ content }) => !isCachePoint(content)),
  faults: faultsOf,
}
