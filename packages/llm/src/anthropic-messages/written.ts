/** A Messages body as somebody wrote it: what it means, its blocks, and what else is wrong with it (LL3). */
import { type Fields, listOf } from "../json-fields.ts"
import { joinedTexts, roleOf, written, type WrittenForm, writtenTools } from "../recording/written-form.ts"
import { textOfNothing } from "../request/runtime-words.ts"
import { meaningOf } from "./meaning.ts"
import { readRequest } from "./read-request.ts"
import { messagesOf, promptsOf, resultParts } from "./written-block.ts"
import { faultsOf } from "./written-faults.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  meaning: meaningOf,
  blocks: (body) => [
    ...writtenTools(body["tools"]),
    ...promptsOf(body).map(written("system", null)),
    ...messagesOf(body).flatMap(({ message, blocks }) =>
      blocks.map((block) => written("tail", roleOf(message["role"]))(withTextResult(block))),
    ),
  ],
  faults: faultsOf,
}

/** A result's text, where it is a list of texts. documented: one that says nothing is legal. */
function withTextResult(block: Fields): Fields {
  if (block["type"] !== "tool_result") return block
  const { content } = block
  if (resultParts(content).length === 0 && listOf(content).length === 0)
    return { ...block, content: textOfNothing }
  const text = joinedTexts(content, "text")
  return text === null ? block : { ...block, content: text }
}
