/** The wire of Amazon Bedrock's Converse API (LL1): sent with a bearer key, or signed. */
import { loaded } from "../known-wires.ts"
import type { Wire } from "../wire.ts"
import { decoder } from "./decode.ts"
import { encode } from "./encode.ts"
import { failureOfAnswer } from "./failure.ts"
import { lint } from "./lint.ts"
import { placing } from "./place.ts"
import { signRequest } from "./sign.ts"

const plainHeaders: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  accept: "application/vnd.amazon.eventstream",
}

export const bedrockConverse: Wire = loaded({
  name: "bedrock-converse",
  ...placing,
  encode,
  lint,
  // documented: an id may hold colons and slashes, which are part of its one step in the path.
  address: (baseUrl, model = "") =>
    `${baseUrl.replace(/\/+$/, "")}/model/${encodeURIComponent(model)}/converse-stream`,
  headers: (apiKey) => ({ ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }), ...plainHeaders }),
  sign: ({ url, body }, credentials, nowMs) =>
    signRequest(
      { method: "POST", url, body, headers: plainHeaders },
      { ...credentials, service: "bedrock" },
      nowMs,
    ),
  decoder,
  failure: failureOfAnswer,
})
