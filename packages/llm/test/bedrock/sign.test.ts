/** Signatures against the published vectors of AWS Signature Version 4. */
import { describe, expect, test } from "vitest"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import {
  canonicalRequest,
  type RequestToSign,
  signingKey,
  signRequest,
} from "../../src/bedrock-converse/sign.ts"

/** documented: the credentials and the moment of the test suite. */
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: null,
  region: "us-east-1",
  service: "service",
}
const nowMs = Date.parse("2015-08-30T12:36:00Z")

const request = (more: Partial<RequestToSign> = {}): RequestToSign => ({
  method: "GET",
  url: "https://example.amazonaws.com/",
  headers: {},
  body: [],
  ...more,
})

const signatureOf = (given: RequestToSign, as = credentials) =>
  /Signature=(\w+)/.exec(signRequest(given, as, nowMs)["authorization"] ?? "")?.[1]

describe("a signature", () => {
  test.each<[string, RequestToSign, string]>([
    ["get-vanilla", request(), "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    [
      "get-vanilla-query-order-key-case",
      request({ url: "https://example.amazonaws.com/?Param2=value2&Param1=value1" }),
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ],
    [
      "post-vanilla",
      request({ method: "POST" }),
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    ],
    [
      "post-x-www-form-urlencoded",
      request({
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: [Buffer.from("Param1="), Buffer.from("value1")],
      }),
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ])("[LL1] is that of the published vector %s", (_, given, signature) => {
    expect(signatureOf(given)).toBe(signature)
  })

  test("[LL1] rests on the published derivation of its key", () => {
    expect(signingKey(credentials.secretAccessKey, "20150830", "us-east-1", "iam").toString("hex")).toBe(
      "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9",
    )
    const listUsers = request({
      url: "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08",
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    })
    expect(signRequest(listUsers, { ...credentials, service: "iam" }, nowMs)["authorization"]).toBe(
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
    )
  })

  test("[LL1] encodes the path once more than it is sent, and orders the query", () => {
    const given = request({ url: "https://h/model/a%3A0/b?z=1&a=x%20y*" })
    expect(canonicalRequest(given, { host: " h  x " }, ["host"]).split("\n").slice(0, 4)).toEqual([
      "GET",
      "/model/a%253A0/b",
      "a=x%20y%2A&z=1",
      "host:h x",
    ])
  })

  const url = bedrockConverse.address(
    "https://bedrock-runtime.us-east-1.amazonaws.com/",
    "us.amazon.nova-micro-v1:0",
  )
  const sign = (body: string, sessionToken: string | null = null, at = nowMs) =>
    bedrockConverse.sign?.({ url, body: [Buffer.from(body)] }, { ...credentials, sessionToken }, at) ?? {}

  test("[LL1] of a Converse request covers its headers, session and body, and holds no secret", () => {
    const headers = sign("{}", "session")
    expect(url).toBe(
      "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-micro-v1%3A0/converse-stream",
    )
    expect(headers).toMatchObject({
      "content-type": "application/json",
      accept: "application/vnd.amazon.eventstream",
      "x-amz-date": "20150830T123600Z",
      "x-amz-security-token": "session",
    })
    expect(headers["authorization"]).toContain(
      "Credential=AKIDEXAMPLE/20150830/us-east-1/bedrock/aws4_request, SignedHeaders=accept;content-type;host;x-amz-date;x-amz-security-token, Signature=",
    )
    expect(JSON.stringify(headers)).not.toContain(credentials.secretAccessKey)
    const all = [
      headers,
      sign("{ }", "session"),
      sign("{}", "other"),
      sign("{}"),
      sign("{}", "session", nowMs + 1_000),
    ]
    expect(new Set(all.map((item) => item["authorization"])).size).toBe(all.length)
    expect(sign("{}", "session")).toEqual(headers)
  })

  test("[LL1] is not needed with a key", () => {
    expect(bedrockConverse.headers("k")).toEqual({
      authorization: "Bearer k",
      "content-type": "application/json",
      accept: "application/vnd.amazon.eventstream",
    })
  })
})
