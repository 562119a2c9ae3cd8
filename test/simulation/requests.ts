/** Requests as the simulation sees them on the wire. */
import { sessionTag } from "./script.ts"

export interface RequestBody {
  readonly model?: string
  readonly tools?: readonly object[]
  readonly system?: readonly object[]
  readonly messages: readonly { readonly role: string; readonly content: string | readonly object[] }[]
}

/** One that left, flattened. */
export interface SentRequest {
  readonly tag: string
  readonly blocks: readonly string[]
  readonly body: string
}

/** A flat list of blocks without cache markers. */
export function flatten(body: RequestBody): readonly string[] {
  const plain = (role: string, block: object) =>
    JSON.stringify([role, { ...block, cache_control: undefined }])
  return [
    ...(body.tools ?? []).map((block) => plain("tool", block)),
    ...(body.system ?? []).map((block) => plain("system", block)),
    ...body.messages.flatMap(({ role, content }) =>
      (typeof content === "string" ? [{ type: "text", text: content }] : content).map((block) =>
        plain(role, block),
      ),
    ),
  ]
}

/** The Session that a request belongs to. */
export function tagOf(body: RequestBody): string {
  const view = {
    messages: body.messages.map(({ role, content }) => ({
      role,
      blocks: typeof content === "string" ? [{ type: "text", text: content }] : content,
    })),
  }
  return sessionTag(view as never)
}
