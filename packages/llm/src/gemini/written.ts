/** A Gemini body as somebody wrote it: what of it means nothing, and its blocks (LL3). */
import { fieldsOf } from "../json-fields.ts"
import { grouped, type WrittenForm, writtenTools } from "../recording/written-form.ts"
import { partTools } from "./hosted-tool.ts"
import { readRequest } from "./read-request.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  meaning: (body) => (body["tools"] === undefined ? body : { ...body, tools: partTools(body["tools"]) }),
  blocks: (body) => {
    const { functions, hosted } = partTools(body["tools"])
    return [
      ...writtenTools([...functions, ...hosted]),
      ...grouped(body, fieldsOf(body["systemInstruction"])["parts"], "contents", "parts"),
    ]
  },
  faults: () => [],
}
