/** A Chat body as somebody wrote it: what of it means nothing, and its blocks (LL3). */
import { type Fields, fieldsOf, listOf } from "../json-fields.ts"
import {
  conversation,
  imagesFirst,
  joinedTexts,
  withOneRole,
  withoutMarkers,
  type WrittenForm,
  writtenTools,
} from "../recording/written-form.ts"
import { readRequest } from "./read-request.ts"

export const writtenForm: WrittenForm = {
  read: readRequest,
  meaning: (body) =>
    withoutMarkers({
      ...body,
      messages: listOf(body["messages"])
        .map(withOneRole)
        .map((message) => ({ ...message, content: withTextPart(message["content"]) }))
        .map((message: Fields) =>
          message["role"] === "user" ? { ...message, content: imagesFirst(message["content"]) } : message,
        ),
    }),
  blocks: (body, promptRole) => [
    ...writtenTools(body["tools"]),
    ...conversation(listOf(body["messages"]).map(withText), promptRole),
  ],
  faults: () => [],
}

const withTextPart = (content: unknown): unknown =>
  typeof content === "string" ? [{ type: "text", text: content }] : content

function withText(value: unknown): Fields {
  const message = fieldsOf(value)
  const text = joinedTexts(message["content"], "text")
  return text === null ? message : { ...message, content: text }
}
