/** AWS keys: what a configuration may say of them, and what is taken from variables, files and commands. */
import { Effect, Result } from "effect"
import { describe, expect, test } from "vitest"
import { keysInEnvironment, keysInOutput, keysInProfile } from "../../src/config/aws/keys.ts"
import { regionIn, regionOfUrl } from "../../src/config/aws/region.ts"
import { readProjectFile } from "../../src/config/decode.ts"
import { decodeUserFile, examineConfiguration, listModels, loadUserSettings } from "../../src/config/index.ts"
import { headersFor } from "../../src/config/credentials/credential.ts"
import type { ProviderKey } from "../../src/config/settings.ts"
import { wires } from "@holdfast/llm/wires"

const id = "AKIDEXAMPLE"
const secret = "canary/secret+9d41"
const token = "canary/token+77=="
const keys = { accessKeyId: id, secretAccessKey: secret, sessionToken: null }
const file = "/config/holdfast.jsonc"
const models = { agent: { limit: { context: 100_000, output: 4_096 } } }
const mine = { wire: "bedrock-converse", baseUrl: "http://127.0.0.1:1", models }

const decode = (provider: object, environment: Record<string, string> = {}, name = "mine") =>
  decodeUserFile(file, JSON.stringify({ providers: { [name]: provider } }), environment)
const decoded = (...asked: Parameters<typeof decode>) =>
  Result.getOrThrow(decode(...asked)).providers.get(asked[2] ?? "mine")
const faultOf = (provider: object) => {
  const found = decode(provider)
  if (Result.isSuccess(found)) throw new Error("It was accepted.")
  expect(found.failure.message).not.toContain("canary")
  return found.failure.message
}
const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runSync(Effect.result(effect))
const codeOf = <A>(effect: Effect.Effect<A, { readonly code: string; readonly message: string }>) => {
  const found = run(effect)
  if (Result.isSuccess(found)) return "read"
  expect(found.failure.message).not.toMatch(/canary|AKID/)
  return found.failure.code
}

describe("a provider of Bedrock", () => {
  const home = { HOME: "/mine" }
  const shared = "/mine/.aws/credentials"

  test.each<readonly [object, Record<string, string>, ProviderKey]>([
    [{ region: "eu-west-3" }, {}, { kind: "aws", from: { kind: "environment" }, region: "eu-west-3" }],
    [{}, { AWS_REGION: "eu-west-3" }, { kind: "aws", from: { kind: "environment" }, region: "eu-west-3" }],
    [{}, {}, { kind: "aws", from: { kind: "environment" }, region: null }],
    [
      { profile: "work" },
      home,
      { kind: "aws", from: { kind: "profile", file: shared, profile: "work" }, region: null },
    ],
    [
      { profile: "work" },
      { ...home, AWS_SHARED_CREDENTIALS_FILE: "/else" },
      { kind: "aws", from: { kind: "profile", file: "/else", profile: "work" }, region: null },
    ],
    [
      { file: "keys" },
      home,
      { kind: "aws", from: { kind: "profile", file: "/config/keys", profile: "default" }, region: null },
    ],
    [
      { command: ["aws", "x"] },
      {},
      { kind: "aws", from: { kind: "command", argv: ["aws", "x"] }, region: null },
    ],
  ])("[CA1] with aws %j says where its keys are", (aws, environment, key) => {
    expect(decoded({ ...mine, aws }, environment)?.key).toEqual(key)
  })

  test.each<readonly [string, object, string, string | null]>([
    ["the settings, also for the address", { aws: { region: "eu-west-3" } }, "eu-west-3", null],
    [
      "the address",
      { aws: {}, baseUrl: "https://bedrock-runtime.ap-south-1.amazonaws.com" },
      "ap-south-1",
      "",
    ],
    ["the variable", { aws: {} }, "ca-central-1", null],
  ])("[CA1] known by name takes its region from %s", (_, provider, region, url) => {
    const found = decoded(provider, { AWS_REGION: "ca-central-1" }, "bedrock")
    expect(found?.key).toMatchObject({ kind: "aws", region })
    if (url === null) expect(found?.baseUrl).toBe(`https://bedrock-runtime.${region}.amazonaws.com`)
  })

  test.each<readonly [object, string]>([
    [{ aws: { region: "evil.example/" } }, "aws.region must be the name of a region"],
    [{ aws: { command: ["a"], profile: "b" } }, "aws.profile stands beside command."],
    [{ aws: { secretAccessKey: secret } }, "aws.secretAccessKey is not a setting."],
    [{ aws: {}, apiKeyEnv: "X" }, "aws stands beside apiKeyEnv."],
    [{ aws: {}, wire: "anthropic-messages" }, "aws is for the wire bedrock-converse."],
    [{ aws: "keys" }, "aws must be an object"],
  ])("[AU1] %j is a fault", (more, message) => expect(faultOf({ ...mine, ...more })).toContain(message))

  test("[CF1 AU1] cannot be given keys by a project", () => {
    const text = JSON.stringify({ providers: { bedrock: { aws: { profile: "work" } } } })
    const { document } = readProjectFile("/p/holdfast.jsonc", text).fields
    expect(document.faults[0]?.message).toContain("aws cannot stand in a project's file")
  })
})

describe("the variables of AWS", () => {
  const both = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret }
  const load = (environment: Record<string, string>) =>
    Effect.runSync(loadUserSettings("/config", environment, () => Effect.succeed({ kind: "missing" })))
      .settings

  test.each<readonly [Record<string, string>, object | string]>([
    [both, keys],
    [
      { ...both, AWS_SESSION_TOKEN: ` ${token} ` },
      { ...keys, sessionToken: token },
    ],
    [{ AWS_ACCESS_KEY_ID: id }, "variable_unset"],
    [{ ...both, AWS_SECRET_ACCESS_KEY: " " }, "variable_unset"],
    [{ ...both, AWS_ACCESS_KEY_ID: "AKID/x, y" }, "key_malformed"],
    [{ ...both, AWS_SESSION_TOKEN: "canary\nx: y" }, "key_malformed"],
  ])("[AU1] %j", (environment, wanted) => {
    const found = keysInEnvironment(environment)
    if (typeof wanted === "string") expect(codeOf(found)).toBe(wanted)
    else expect(run(found)).toEqual(Result.succeed(wanted))
  })

  test("[CA1] sign for the region of an address that a file gives, and not for another wire", () => {
    const url = "https://bedrock-runtime.ap-south-1.amazonaws.com"
    expect(decoded({ baseUrl: url }, both, "bedrock")?.key).toMatchObject({ region: "ap-south-1" })
    expect(decoded({}, both, "bedrock")?.key).toMatchObject({ region: "us-east-1" })
    expect(decoded({ baseUrl: "http://127.0.0.1:1" }, both, "bedrock")?.key).toMatchObject({ region: null })
    expect(decoded({ wire: "openai-chat", baseUrl: url }, both, "bedrock")?.key).toEqual({ kind: "none" })
  })

  test("[CA1] are enough for bedrock; a bearer token goes first", () => {
    const region = { AWS_REGION: "eu-west-3" }
    expect(load({ ...both, ...region }).providers.get("bedrock")).toMatchObject({
      baseUrl: "https://bedrock-runtime.eu-west-3.amazonaws.com",
      key: { kind: "aws", from: { kind: "environment" }, region: "eu-west-3" },
    })
    const bearer = { ...both, ...region, AWS_BEARER_TOKEN_BEDROCK: "b" }
    expect(load(bearer).providers.get("bedrock")?.key).toEqual({
      kind: "variable",
      name: "AWS_BEARER_TOKEN_BEDROCK",
    })
    expect(load(region).providers.has("bedrock")).toBe(false)
  })
})

describe("a profile", () => {
  const text = [
    "\uFEFF# of the AWS tools",
    "[default]",
    `aws_access_key_id = ${id}`,
    `aws_secret_access_key=${secret} ; a comment`,
    "[ work ]\r",
    `AWS_ACCESS_KEY_ID = ${id}\r`,
    `aws_secret_access_key = ${secret}\r`,
    `aws_session_token = ${token}\r`,
    "[role]",
    "role_arn = arn:aws:iam::1:role/x",
    "[odd]",
    `aws_access_key_id = ${id} ${id}`,
    `aws_secret_access_key = ${secret}`,
  ].join("\n")

  test.each<readonly [string, object | string]>([
    ["default", keys],
    ["work", { ...keys, sessionToken: token }],
    ["role", "profile_keyless"],
    ["odd", "key_malformed"],
    ["nobody", "profile_missing"],
  ])("[AU1] %s", (profile, wanted) => {
    const found = keysInProfile(text, "/file", profile)
    if (typeof wanted === "string") expect(codeOf(found)).toBe(wanted)
    else expect(run(found)).toEqual(Result.succeed(wanted))
  })
})

describe("the output of a command", () => {
  const nowMs = Date.parse("2026-11-15T12:00:00Z")
  const output = { Version: 1, AccessKeyId: id, SecretAccessKey: secret }

  test.each<readonly [object | string, number | null | string]>([
    [output, null],
    [{ ...output, Expiration: "2026-11-15T13:00:00Z" }, nowMs + 3_600_000],
    [{ ...output, Expiration: "2026-11-15T14:00:00+01:00" }, nowMs + 3_600_000],
    [{ ...output, Expiration: "2026-11-15T12:00:00Z" }, "key_expired"],
    [{ ...output, Expiration: "tomorrow, canary" }, "key_malformed"],
    [{ ...output, Version: 2 }, "key_malformed"],
    [{ ...output, SecretAccessKey: 7 }, "key_malformed"],
    ["null", "key_malformed"],
    [secret, "key_malformed"],
  ])("[AU1] %j", (written, wanted) => {
    const text = typeof written === "string" ? written : JSON.stringify(written)
    const found = keysInOutput(text, "aws", nowMs)
    if (typeof wanted === "string") expect(codeOf(found)).toBe(wanted)
    else expect(run(found)).toEqual(Result.succeed({ keys, expiresAtMs: wanted }))
  })
})

test.each([
  ["https://bedrock-runtime.us-east-1.amazonaws.com", "us-east-1"],
  ["https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com/", "us-gov-west-1"],
  ["https://vpce-1a-2b.bedrock-runtime.eu-west-1.vpce.amazonaws.com", "eu-west-1"],
  ["https://bedrock-runtime.us-east-1.amazonaws.com.evil.example", null],
  ["http://127.0.0.1:8080", null],
])("[CA1] the address %s names the region %s", (url, region) => expect(regionOfUrl(url)).toBe(region))

test.each([
  [{ AWS_REGION: "eu-west-1", AWS_DEFAULT_REGION: "us-east-1" }, "eu-west-1"],
  [{ AWS_REGION: "", AWS_DEFAULT_REGION: "us-east-1" }, "us-east-1"],
  [{ AWS_REGION: "evil.example/" }, null],
])("[CA1] the variables %j name the region %s", (environment, region) =>
  expect(regionIn(environment)).toBe(region),
)

describe("what is told of them", () => {
  const bedrock = { ...mine, aws: {} }
  const tell = (environment: Record<string, string>, provider: object = bedrock) => {
    const text = JSON.stringify({ providers: { mine: provider } })
    const readFile = (path: string) =>
      Effect.succeed(path === file ? ({ kind: "text", text } as const) : ({ kind: "missing" } as const))
    const place = { configDirectory: "/config", projectRoot: null, disableProject: false, readFile }
    const settings = Result.getOrThrow(decodeUserFile(file, text, environment))
    const told = {
      examined: Effect.runSync(examineConfiguration({ ...place, environment })),
      listed: Effect.runSync(listModels({ settings, environment, catalog: new Map() })),
    }
    expect(JSON.stringify([told, settings])).not.toContain("canary")
    const examined = told.examined.providers.find(({ name }) => name === "mine")
    return { examined, listed: told.listed.providers[0], problem: told.examined.modelProblem }
  }
  const both = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: "eu-west-3" }

  test("[AU1] names the place and the region, and no key", () => {
    const { examined, listed, problem } = tell(both)
    expect(examined).toMatchObject({ key: "given", keyFrom: "the variables of AWS, region eu-west-3" })
    expect([listed?.key, problem]).toEqual(["given", null])
  })

  test("[AU1] says which variable is missing", () => {
    const { examined, listed, problem } = tell({ ...both, AWS_SECRET_ACCESS_KEY: "" })
    expect(examined).toMatchObject({ key: "missing", keyVariable: null })
    expect(examined?.keyProblem).toContain("AWS_SECRET_ACCESS_KEY is not set")
    expect(listed).toMatchObject({ key: "missing", keyProblem: expect.stringContaining("The provider mine") })
    expect(problem).toContain("AWS_SECRET_ACCESS_KEY")
  })

  test("[AU1] says what to do where nothing names the region", () => {
    const { examined, problem } = tell({ ...both, AWS_REGION: "" })
    expect(examined).toMatchObject({ key: "missing" })
    expect(problem).toContain('Set "region" in "aws" of the provider, or the variable AWS_REGION.')
  })

  test("[AU1] runs no command", () => {
    const command = ["no-such-command-here"]
    const { examined } = tell(both, { ...mine, aws: { command } })
    expect(examined).toMatchObject({
      key: "given",
      keyFrom: "the command no-such-command-here, region eu-west-3",
    })
  })
})

test("a wire that signs nothing is never given AWS keys", () => {
  const wire = wires["anthropic-messages"]
  if (wire === undefined) throw new Error("It is there.")
  const credential = { ...keys, region: "eu-west-3" }
  expect(() => headersFor(wire, credential, { url: "http://h/", body: [] }, 0)).toThrow("signs nothing")
})
