/** The command against a real server: what it prints, for whom, and how it ends. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makePlace, token } from "../../sdk/test/place.ts"
import { exitCodes, runConformance } from "../src/command.ts"

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

async function run(args: readonly string[], isTerminal = false, environment = {}): Promise<Ended> {
  let out = ""
  let err = ""
  const code = await runConformance(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal,
    environment,
  })
  return { code, out, err }
}

describe("against a server", () => {
  let url = ""
  let close = async () => {}
  beforeAll(async () => {
    const place = await makePlace()
    const served = await place.serve()
    url = served.url
    close = async () => {
      await served.close()
      await place[Symbol.asyncDispose]()
    }
  })
  afterAll(() => close())

  test("it tells passed and failed by rule, and exits with 0 where all passed", async () => {
    const { code, out, err } = await run(["--server", `${url}/`, "--token", token, "--only", "CO4"])
    expect([code, err]).toEqual([exitCodes.conforms, ""])
    expect(out).toBe(
      [
        `Conformance of ${url}`,
        "",
        "  rule     passed   failed  skipped",
        "  CO4           6        -        -",
        "",
        "It conforms: 6 passed, 0 failed, 0 skipped.",
        "",
      ].join("\n"),
    )
  })

  test("it tells machines the same as JSON, and takes the token from the environment", async () => {
    const environment = { HOLDFAST_TOKEN: token }
    const { code, out } = await run(["--server", url, "--only", "ep11", "--json"], false, environment)
    expect(code).toBe(exitCodes.conforms)
    expect(JSON.parse(out)).toEqual({
      target: url,
      passed: 2,
      failed: 0,
      skipped: 0,
      rules: [{ rule: "EP11", passed: 2, failed: 0, skipped: 0 }],
      results: [1, 2].map(() => ({
        rule: "EP11",
        title: expect.any(String),
        outcome: "passed",
        detail: null,
        durationMs: expect.any(Number),
      })),
    })
  })

  test("a terminal sees how far it is", async () => {
    const { err } = await run(["--server", url, "--token", token, "--only", "CO4"], true)
    expect(err).toMatch(/^\r1 of 6\r2 of 6\r3 of 6\r4 of 6\r5 of 6\r +\r$/)
  })

  test("a wrong token means that it cannot run", async () => {
    const { code, err } = await run(["--server", url, "--token", "wrong"])
    expect([code, err]).toEqual([
      exitCodes.cannotRun,
      `${url} does not answer as Holdfast: Unauthorized: A valid token is required. Send it as \`Authorization: Bearer …\`.\n`,
    ])
  })

  test("a rule without a case means that it cannot run", async () => {
    const { code, err } = await run(["--server", url, "--token", token, "--only", "XX9"])
    expect([code, err]).toEqual([exitCodes.cannotRun, "There is no case of the rule XX9.\n"])
  })
})

test("a server that is no Holdfast means that it cannot run", async () => {
  const server = createServer((_, response) => response.end("<h1>Hello</h1>"))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const { code, err } = await run(["--server", `http://127.0.0.1:${port}`, "--token", "t"])
  expect(code).toBe(exitCodes.cannotRun)
  expect(err).toMatch(/does not answer as Holdfast: ClientError: The answer is of no type/)
  server.closeAllConnections()
  server.close()
})

test.each([
  [[], "Say which server is meant, with --server URL."],
  [["--server", "nowhere"], "nowhere is no address. Give one like http://127.0.0.1:4096."],
  [["--server", "ftp://a"], "ftp://a is no address. Give one like http://127.0.0.1:4096."],
  [["--server", "http://a"], "Give the token of the server, with --token or in HOLDFAST_TOKEN."],
  [
    ["--server", "http://a", "--token", "t", "--inputs", "many"],
    "--inputs takes a whole number up to 1000000000, not many.",
  ],
  [["--sever", "http://a"], "Unknown option '--sever'"],
])("%j is not understood, and said why", async (args, words) => {
  const { code, err } = await run(args)
  expect(code).toBe(exitCodes.cannotRun)
  expect(err.startsWith(words)).toBe(true)
  expect(err).toContain("See holdfast-conformance --help.\n")
})

test("--help tells every option and exit code", async () => {
  const { code, out } = await run(["--help"])
  expect(code).toBe(0)
  for (const word of [
    "--server",
    "--token",
    "--only",
    "--paid",
    "--inputs",
    "--seed",
    "--json",
    "Exit codes",
  ])
    expect(out).toContain(word)
})
