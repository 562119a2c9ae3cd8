/** Signatures as Bedrock verifies them: made again from what arrived, for the keys that are known. */
import { expect, test } from "vitest"
import { createProviderSim, scripted, textReply } from "../../src/index.ts"
import type { AwsKey, SimRequest } from "../../src/index.ts"

const nowMs = Date.UTC(2026, 10, 15, 12)
const minuteMs = 60_000
const key: AwsKey = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "session/token+one==",
}
// Computed apart, from the published description.
const signature = "194de7cda8189071798442f6c7f8637814351efb4ac4eb3d9a0df0d8d7744264"
const scope = "20261115/eu-west-3/bedrock/aws4_request"
const names = "content-type;host;x-amz-date;x-amz-security-token"
const headers = {
  "content-type": "application/json",
  host: "127.0.0.1:8080",
  "x-amz-date": "20261115T120000Z",
  "x-amz-security-token": "session/token+one==",
  authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${names}, Signature=${signature}`,
}
const body = '{"messages":[{"role":"user","content":[{"text":"Hello"}]}]}'
const signed: SimRequest = {
  method: "POST",
  path: "/model/us.m-v1%3A0/converse",
  headers,
  body: new TextEncoder().encode(body),
}
const withHeaders = (changes: Record<string, string>): SimRequest => ({
  ...signed,
  headers: { ...headers, ...changes },
})

function answer(request: SimRequest, keys: readonly AwsKey[] = [key], atMs = nowMs) {
  const models = { "us.m-v1:0": scripted(() => textReply("Hi.")) }
  const { status, headers: said } = createProviderSim({ models, awsKeys: keys }).respond(request, atMs)
  return [status, said["x-amzn-errortype"]]
}

test("[LL1] a signature that was computed apart is let in", () => {
  expect(answer(signed)).toEqual([200, undefined])
  expect(answer(signed, [{ ...key, expiresAtMs: nowMs + 1 }], nowMs)).toEqual([200, undefined])
  expect(answer(signed, [key], nowMs + 5 * minuteMs)).toEqual([200, undefined])
})

const mismatch = [403, "InvalidSignatureException"]
const unknown = [403, "UnrecognizedClientException"]

test.each<readonly [string, ReturnType<typeof answer>, readonly unknown[]]>([
  ["another secret", answer(signed, [{ ...key, secretAccessKey: "other" }]), mismatch],
  ["another body", answer({ ...signed, body: new TextEncoder().encode(`${body} `) }), mismatch],
  ["another model", answer({ ...signed, path: "/model/other/converse" }), mismatch],
  ["another host", answer(withHeaders({ host: "127.0.0.1:8081" })), mismatch],
  ["a header of AWS that is not signed", answer(withHeaders({ "x-amz-target": "x" })), mismatch],
  ["an old signature", answer(signed, [key], nowMs + 5 * minuteMs + 1), mismatch],
  ["a signature of the future", answer(signed, [key], nowMs - 5 * minuteMs - 1), mismatch],
  ["another token", answer(withHeaders({ "x-amz-security-token": "none" })), unknown],
  ["an unknown key", answer(signed, []), unknown],
  [
    "keys that have expired",
    answer(signed, [{ ...key, expiresAtMs: nowMs }]),
    [403, "ExpiredTokenException"],
  ],
  [
    "another service",
    answer(withHeaders({ authorization: headers.authorization.replace("/bedrock/", "/s3/") })),
    mismatch,
  ],
])("[LL1] refuses %s", (_, found, wanted) => expect(found).toEqual(wanted))
