/**
 * Images of a prompt in the form that a model object takes (LL1).
 *
 * The recorded bytes are in the form of versions 2 and 3, since a request is written before it is
 * known who answers it. documented: version 4 tags the data of a file.
 */
import { type Fields, fieldsOf, listOf } from "../json-fields.ts"

export const promptWithImages = (prompt: readonly object[], version: string): readonly object[] =>
  version === "v4" ? listOf(prompt).map((message) => withTaggedFiles(fieldsOf(message))) : prompt

function withTaggedFiles(message: Fields): object {
  if (message["role"] !== "user") return message
  const content = listOf(message["content"]).map(fieldsOf)
  return { ...message, content: content.map((part) => (part["type"] === "file" ? tagged(part) : part)) }
}

const tagged = (file: Fields): object => ({ ...file, data: { type: "data", data: file["data"] } })
