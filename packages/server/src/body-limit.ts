/** How long the body of a request may be. */
import { RequestTooLarge } from "@holdfast/protocol/error"
import { promptBodyBytesMax } from "@holdfast/protocol/groups/sessions"

/** Of every request but a prompt, which brings images. */
export const bodyBytesMax = 2_097_152

const promptPath = /^\/api\/session\/[^/]+\/prompt(\?|$)/

/** By method, and by path with its query. */
export const bytesMaxOf = ({ method, url }: { readonly method: string; readonly url: string }): number =>
  method === "POST" && promptPath.test(url) ? promptBodyBytesMax : bodyBytesMax

export const tooLarge = (bytesMax: number): RequestTooLarge =>
  new RequestTooLarge({
    bytesMax,
    message: `This request holds at most ${bytesMax} bytes. Send less at once.`,
  })
