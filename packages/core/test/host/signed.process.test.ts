/** Whole turns over Bedrock with AWS keys: each attempt is signed, and a provider apart verifies it (AU1, LL1). */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  type AwsKey,
  createProviderSim,
  faulty,
  listen,
  offlineAgent,
  type ProviderSim,
  type SimModel,
  type SimRequest,
} from "../../../provider-sim/src/index.ts"
import { tell } from "./tell.ts"

const secret = "canary/secret+1c9f0d3e"
const token = "canary/token+77b1a9e2=="
const right: AwsKey = { accessKeyId: "AKIDCANARYRIGHT", secretAccessKey: secret, sessionToken: token }
const model = "us.amazon.nova-micro-v1:0"
let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "holdfast-signed-"))
  await writeFile(join(root, "README.md"), "# Greeter\n\nPrints a greeting.\n")
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** A strict Bedrock on loopback that remembers the signatures it was shown. */
async function serveBedrock(awsKeys: readonly AwsKey[], agent: SimModel = offlineAgent()) {
  const sim = createProviderSim({ models: { [model]: agent }, awsKeys })
  const shown: string[] = []
  const watched: ProviderSim = {
    log: sim.log,
    respond: (request: SimRequest, nowMs: number) => {
      shown.push(`${request.headers["x-amz-date"]} ${request.headers["authorization"]}`)
      return sim.respond(request, nowMs)
    },
  }
  const { url, close } = await listen(watched)
  return { url, shown, log: sim.log, [Symbol.asyncDispose]: close }
}

const tellWith = (url: string, aws: object, more: Record<string, string> = {}) => {
  const file = { providers: { bedrock: { baseUrl: url, aws } }, model: `bedrock/${model}` }
  const environment = { PATH: process.env["PATH"], AWS_REGION: "eu-west-3", ...more }
  return tell(root, file, environment, "Read README.md.")
}

const variables = (key: AwsKey): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: key.accessKeyId,
  AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
  AWS_SESSION_TOKEN: key.sessionToken ?? "",
})

/** What a `credential_process` writes. */
const outputOf = ({ accessKeyId, secretAccessKey, sessionToken }: AwsKey, expiration: string): string =>
  JSON.stringify({
    Version: 1,
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration: expiration,
  })

const isSilent = (everything: string): void => {
  for (const word of ["canary", "CANARY", "AWS4-HMAC"]) expect(everything).not.toContain(word)
}

async function profile(): Promise<object> {
  const file = join(root, "credentials")
  const lines = [
    `aws_access_key_id=${right.accessKeyId}`,
    `aws_secret_access_key=${secret}`,
    `aws_session_token=${token}`,
  ]
  await writeFile(file, `[work]\n${lines.join("\n")}\n`)
  await chmod(file, 0o600)
  return { file, profile: "work", region: "us-west-2" }
}

async function command(): Promise<object> {
  const file = join(root, "output.json")
  await writeFile(file, outputOf(right, "2999-01-01T00:00:00Z"))
  return { command: ["cat", file] }
}

test.each<readonly [string, () => Promise<object>, Record<string, string>, string]>([
  ["the variables of AWS", async () => ({}), variables(right), "eu-west-3"],
  ["a profile", profile, {}, "us-west-2"],
  ["a command", command, {}, "eu-west-3"],
])("[AU1 LL1] a turn is signed with keys from %s, and verified", async (_, aws, more, region) => {
  await using bedrock = await serveBedrock([right])
  const { result, verified, everything } = await tellWith(bedrock.url, await aws(), more)
  expect(result).toMatchObject({ status: "done", reason: null, text: expect.stringContaining("Greeter") })
  expect(result.turns).toBeGreaterThan(1)
  expect(new Set(verified.map(({ verdict }) => verdict.kind))).toEqual(new Set(["same"]))
  expect(new Set(bedrock.log.map(({ status }) => status))).toEqual(new Set([200]))
  expect(bedrock.shown.every((shown) => shown.includes(`/${region}/bedrock/aws4_request`))).toBe(true)
  isSilent(everything)
})

test("[AU1] a wrong secret is a lasting authentication failure, and nothing of the keys is told", async () => {
  await using bedrock = await serveBedrock([right])
  const wrong = { ...right, secretAccessKey: "canary/wrong-secret" }
  const { result, turns, everything } = await tellWith(bedrock.url, {}, variables(wrong))
  expect(result).toMatchObject({ status: "failed", reason: { code: "authentication" } })
  expect(result.reason?.message).toContain("The request signature we calculated does not match")
  // The provider quotes what was signed, and so the token.
  expect(JSON.stringify(bedrock.log)).toContain(token)
  expect(result.reason?.message).toContain("x-amz-security-token:[hidden]")
  expect(turns[0]?.settled?.ledger.attempts).toMatchObject([{ failure: { code: "authentication" } }])
  expect(bedrock.shown).toHaveLength(1)
  isSilent(everything)
})

test("[AU1 TU4] keys of a command that have expired are asked for once more", async () => {
  const expired = { ...right, accessKeyId: "AKIDCANARYEXPIRED", expiresAtMs: 0 }
  await using bedrock = await serveBedrock([expired, right])
  const [first, second, counter] = ["first.json", "second.json", "asked"].map((name) => join(root, name))
  await writeFile(first ?? "", outputOf(expired, "2999-01-01T00:00:00Z"))
  await writeFile(second ?? "", outputOf(right, "2999-01-01T00:00:00Z"))
  const script = `if [ -e ${counter} ]; then cat ${second}; else cat ${first}; fi; echo x >> ${counter}`
  const { result, turns, everything } = await tellWith(bedrock.url, { command: ["sh", "-c", script] })
  expect(result.status).toBe("done")
  expect(turns[0]?.settled?.ledger.attempts).toMatchObject([
    { failure: { code: "authentication", message: expect.stringContaining("is expired") } },
    { failure: null },
  ])
  expect(await readFile(counter ?? "", "utf8")).toBe("x\nx\n")
  expect(bedrock.log.map(({ status }) => status).slice(0, 2)).toEqual([403, 200])
  isSilent(everything)
})

test("[AU1] keys that a command gives again after they expired are tried no second time", async () => {
  const expired = { ...right, expiresAtMs: 0 }
  await using bedrock = await serveBedrock([expired])
  const { result } = await tellWith(bedrock.url, await command())
  expect(result).toMatchObject({ status: "failed", reason: { code: "authentication" } })
  expect(bedrock.shown).toHaveLength(1)
})

test("[TU4 AU1] every attempt is signed anew", async () => {
  const agent = offlineAgent()
  const limited = faulty({ kind: "rate-limited", retryAfter: 1 })
  await using bedrock = await serveBedrock([right], {
    ...agent,
    reply: (view) => (view.callIndex === 0 ? limited : agent.reply(view)),
  })
  const { result, turns } = await tellWith(bedrock.url, {}, variables(right))
  expect(result.status).toBe("done")
  expect(turns[0]?.settled?.ledger.attempts).toHaveLength(2)
  expect(new Set(bedrock.shown).size).toBe(bedrock.shown.length)
})
