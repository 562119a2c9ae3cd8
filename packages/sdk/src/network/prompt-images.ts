/** Images of a prompt as the contract sends them, unless the server would turn the request away. */
import { encodedBytes } from "@holdfast/schema/media"
import type { PromptImage } from "../sessions.ts"
import { ClientError } from "./client-error.ts"
import { promptBodyBytesMax } from "./routes.ts"

export function encodeImages(images: readonly PromptImage[]) {
  const total = images.reduce((sum, { bytes }) => sum + encodedBytes(bytes.length), 0)
  if (total > promptBodyBytesMax) {
    const message = `The images of the prompt make ${total} bytes; a server takes at most ${promptBodyBytesMax} with one prompt. Send them in several.`
    throw new ClientError("refused", message, { failure: "RequestTooLarge" })
  }
  return images.map(({ bytes: { buffer, byteOffset, byteLength }, name }) => ({
    data: Buffer.from(buffer, byteOffset, byteLength).toString("base64"),
    ...(name !== undefined && { name }),
  }))
}
