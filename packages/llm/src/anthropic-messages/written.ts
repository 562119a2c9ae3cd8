/** A Messages body as somebody wrote it: what of it means nothing, and its blocks (LL3). */
import { type Fields, fieldsOf, listOf } from "../json-fields.ts"
import {
  joinedTexts,
  roleOf,
  textBlocks,
  withOrderedTools,
  withoutMarkers,
  written,
  type WrittenForm,
  writtenTools,
} from "../recording/written-form.ts"
import { isHostedTool } from "./hosted-tool.ts"
import { readRequest } from "./read-request.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  meaning: (body) =>
    withoutMarkers({
      ...withOrderedTools(body, isHostedTool),
      ...(body["system"] === undefined ? {} : { system: textBlocks(body["system"]) }),
      messages: listOf(body["messages"])
        .map(fieldsOf)
        .map((message) => ({ ...message, content: textBlocks(message["content"]) })),
    }),
  blocks: (body) => [
    ...writtenTools(body["tools"]),
    ...textBlocks(body["system"]).map(written("system", null)),
    ...listOf(body["messages"]).flatMap((message) => {
      const { role, content } = fieldsOf(message)
      return textBlocks(content).map((block) => written("tail", roleOf(role))(withTextResult(block)))
    }),
  ],
  faults: () => [],
}

/** A result's text, where it is a list of texts. */
function withTextResult(block: Fields): Fields {
  if (block["type"] !== "tool_result") return block
  const text = joinedTexts(block["content"], "text")
  return text === null ? block : { ...block, content: text }
}
