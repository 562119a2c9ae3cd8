/** `holdfast wire`: recordings made and replayed, requests linted and shown, and no secret on the way. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Command } from "commander"
import { describe, expect, test } from "vitest"
import { offlineAgent, scripted, type SourceCount, sourceMarks, textReply } from "@holdfast/provider-sim"
import { openHoldfast, settled } from "@holdfast/sdk"
import { ownRecordings, realRecordings, recordingFiles } from "../../../../test/recordings/recordings.ts"
import { buildProgram } from "../../src/commands.ts"
import type { Terminal } from "../../src/terminal.ts"
import { canary, makePlace, type Place } from "./place.ts"

const record = (to: string) => [
  "wire",
  "record",
  "--provider",
  "sim",
  "--model",
  "agent",
  "--to",
  to,
  "Say hello.",
]
const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe.each(["anthropic-messages", "openai-responses", "openai-chat"])("[LL1] over %s", (wire) => {
  test("an exchange is recorded without a secret, replayed both ways, and linted", async () => {
    await using place = await makePlace(
      scripted(() => textReply("Hello!")),
      wire,
    )
    expect(await place.run(...record("hello.json"))).toMatchObject({ code: 0, err: "" })
    const text = readFileSync(place.file("hello.json"), "utf8")
    expect(text).not.toContain(canary)
    const { version, interactions } = JSON.parse(text) as {
      version: number
      interactions: { request: object }[]
    }
    expect([version, interactions.length]).toEqual([1, 1])
    expect(Object.keys(interactions[0] ?? {})).toEqual(["request", "response"])
    expect(text).not.toMatch(/api-key|authorization|cookie|request-id|organization/i)

    const replayed = await place.run("wire", "replay", "hello.json")
    expect(replayed).toMatchObject({
      code: 0,
      err: `0: ${wire}: the request is the same when it is read, encoded and read again\n`,
    })
    expect(linesOf(replayed.out).map(({ type }) => type)).toEqual(
      expect.arrayContaining(["start", "text-start", "text-end", "finish"]),
    )
    const asJson = await place.run("wire", "replay", "hello.json", "--json")
    expect(asJson).toMatchObject({ code: 0, err: "" })
    expect(linesOf(asJson.out).at(-1)).toMatchObject({
      type: "replayed",
      wire,
      readable: true,
      request: { kind: "same" },
    })
    expect(await place.run("wire", "lint", "--wire", wire, "hello.json")).toEqual({
      code: 0,
      out: "No fault.\n",
      err: "",
    })
  })
})

describe("holdfast wire record", () => {
  test.each([
    ["the key that was used", canary],
    ["an API key", "sk-live-0123456789abcdefgh"],
  ])("[AU1] writes nothing if an answer repeats %s", async (kind, words) => {
    await using place = await makePlace(scripted(() => textReply(`You said ${words}.`)))
    const { code, out, err } = await place.run(...record("leak.json"))
    expect([code, out, err]).toEqual([1, "", `Nothing was written: the exchange holds ${kind}.\n`])
    expect(existsSync(place.file("leak.json"))).toBe(false)
  })

  test("[AU1] signs with AWS keys, and keeps neither keys nor signature", async () => {
    const words = ["canary/secret-0a5e11", "canary-token-9922", "AKIDCANARY"] as const
    const [secretAccessKey, sessionToken, accessKeyId] = words
    const keys = [{ accessKeyId, secretAccessKey, sessionToken }]
    const model = scripted([textReply("Hello!"), textReply(`You sent ${sessionToken}.`)])
    await using place = await makePlace(model, "bedrock-converse", [], {
      settings: { aws: { region: "eu-west-3" } },
      awsKeys: keys,
      environment: {
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_SESSION_TOKEN: sessionToken,
      },
    })
    expect(await place.run(...record("signed.json"))).toMatchObject({ code: 0, err: "" })
    const text = readFileSync(place.file("signed.json"), "utf8")
    expect(text).not.toMatch(/canary|AKID|authorization|x-amz|signature/i)
    expect(await place.run("wire", "replay", "signed.json")).toMatchObject({ code: 0 })
    expect(await place.run(...record("leak.json"))).toMatchObject({
      code: 1,
      err: "Nothing was written: the exchange holds the key that was used.\n",
    })
    expect(existsSync(place.file("leak.json"))).toBe(false)
  })

  test("leaves a file that exists alone, and asks nobody", async () => {
    await using place = await makePlace()
    await place.write("there.json", "{}")
    expect(await place.run(...record("there.json"))).toMatchObject({ code: 2 })
    expect(readFileSync(place.file("there.json"), "utf8")).toBe("{}")
    expect(place.sim.log).toEqual([])
  })

  test("an unknown model is a wrong argument", async () => {
    await using place = await makePlace()
    const other = ["wire", "record", "--provider", "none", "--model", "m", "--to", "x.json", "Hi"]
    expect(await place.run(...other)).toMatchObject({ code: 2 })
    expect(existsSync(place.file("x.json"))).toBe(false)
  })

  test("a refusal is recorded, told, and replays as a failure", async () => {
    await using place = await makePlace(offlineAgent(), "anthropic-messages", ["another-key"])
    const { code, err } = await place.run(...record("refused.json"))
    expect([code, err]).toEqual([1, "The provider answered with status 401; that is what was recorded.\n"])
    const { out } = await place.run("wire", "replay", "refused.json")
    expect(linesOf(out)).toMatchObject([{ type: "failure", failure: { code: "authentication" } }])
  })
})

const ask = {
  model: "claude-test",
  max_tokens: 10,
  stream: true,
  messages: [{ role: "user", content: "Hi" }],
}
const answer = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
const recordingOf = (body: unknown, url = "https://api.anthropic.com/v1/messages") => ({
  version: 1,
  metadata: {},
  interactions: [
    {
      request: { method: "POST", url, headers: {}, body: JSON.stringify(body) },
      response: { status: 200, headers: { "content-type": "text/event-stream" }, body: answer },
    },
  ],
})

describe("holdfast wire replay", () => {
  test("names what a request holds and no canonical request says", async () => {
    await using place = await makePlace()
    const file = await place.write("other.json", recordingOf({ ...ask, stream: false }))
    const { code, err } = await place.run("wire", "replay", file)
    expect(code).toBe(1)
    expect(err).toContain("the answer cannot be read to its end")
    expect(err).toContain("the request holds what has no word in a canonical request: stream")
  })

  test("tells the first difference as a path with both values", async () => {
    await using place = await makePlace()
    const tools = [{ name: "a b", input_schema: { type: "object" } }]
    const call = { type: "tool_use", id: "c", name: "a b", input: {} }
    const messages = [
      ...ask.messages,
      { role: "assistant", content: [call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "x" }] },
    ]
    const file = await place.write("other.json", recordingOf({ ...ask, tools, messages }))
    const { err } = await place.run("wire", "replay", file)
    expect(err).toContain(
      "the request is illegal when it is encoded again: a tool's name has an illegal shape",
    )
    const named = await place.write(
      "named.json",
      recordingOf({ ...ask, tools: [{ ...tools[0], name: "b" }], messages }),
    )
    expect((await place.run("wire", "replay", named)).err).toContain(
      'the request differs at tail[1].parts[0].name: read as "a b", and as "a_b" when it is encoded again',
    )
  })

  test("a request that the provider refused, and the simulator too, is told as refused", async () => {
    await using place = await makePlace()
    const recording = recordingOf({ ...ask, messages: [{ role: "narrator", content: "Hi" }] })
    const [{ request, response }] = recording.interactions as [(typeof recording.interactions)[0]]
    const interactions = [{ request, response: { ...response, status: 400, body: "{}" } }]
    const file = await place.write("refused.json", { ...recording, interactions })
    const { code, err } = await place.run("wire", "replay", file)
    expect([code, err]).toEqual([
      0,
      expect.stringContaining("the provider refused the request, and so does the simulator: messages.0.role"),
    ])
  })

  test.each<readonly [message: string, name: string, value: unknown, more: readonly string[]]>([
    ["missing.json cannot be read (ENOENT)", "missing.json", null, []],
    ["It is not a JSON object.", "a.json", "[]", []],
    ["It has no interactions.", "a.json", { version: 1, interactions: [] }, []],
    [
      "No known wire has the address https://host/v1/embeddings.",
      "a.json",
      recordingOf(ask, "https://host/v1/embeddings"),
      [],
    ],
    [
      'There is no wire "morse". Known: anthropic-messages, ',
      "a.json",
      recordingOf(ask),
      ["--wire", "morse"],
    ],
  ])("exits with 2: %s", async (message, name, value, more) => {
    await using place = await makePlace()
    if (value !== null) await place.write(name, value)
    const { code, out, err } = await place.run("wire", "replay", name, ...more)
    expect([code, out]).toEqual([2, ""])
    expect(err).toContain(message)
  })

  test("--wire says what the address does not", async () => {
    await using place = await makePlace()
    const file = await place.write("a.json", recordingOf(ask, "https://proxy.example/llm"))
    const { err } = await place.run("wire", "replay", file, "--wire", "anthropic-messages")
    expect(err).toContain("anthropic-messages: the request is the same")
  })

  test("[LL1] every recording replays, ours and those at hand", async () => {
    const files = [ownRecordings, realRecordings].flatMap((root) =>
      recordingFiles(root).map((file) => join(root, file)),
    )
    expect(files.length).toBeGreaterThanOrEqual(8)
    await using place = await makePlace()
    for (const file of files) {
      const { code, err } = await place.run("wire", "replay", file)
      expect([file, code, err]).toEqual([file, 0, expect.stringContaining("the request is the same")])
    }
  })
})

describe("holdfast wire lint", () => {
  const lint = ["wire", "lint", "--wire", "anthropic-messages"]

  test("[LL3] tells what the provider would say of a body, and of a recording", async () => {
    await using place = await makePlace()
    const illegal = { ...ask, messages: [{ role: "narrator", content: "Hi" }] }
    await place.write("body.json", illegal)
    await place.write("recording.json", recordingOf(illegal))
    for (const file of ["body.json", "recording.json"]) {
      const { code, out } = await place.run(...lint, file)
      expect([code, out]).toEqual([1, expect.stringMatching(/^0: messages\.0\.role: /)])
    }
    const { out } = await place.run(...lint, "body.json", "--json")
    expect(linesOf(out)).toEqual([
      { interaction: 0, message: expect.stringContaining("messages.0.role") as string },
    ])
  })

  test("[LL3] takes what other clients write and this project does not", async () => {
    await using place = await makePlace()
    const content = [
      { type: "thinking", thinking: "hm", signature: "somebody's" },
      { type: "text", text: "Yes" },
    ]
    await place.write("body.json", { ...ask, messages: [...ask.messages, { role: "assistant", content }] })
    expect(await place.run(...lint, "body.json")).toMatchObject({ code: 0, out: "No fault.\n" })
  })

  test("what is no request exits with 2", async () => {
    await using place = await makePlace()
    await place.write("a.json", "[]")
    const { code, err } = await place.run(...lint, "a.json")
    expect([code, err]).toEqual([2, expect.stringContaining("It is not a JSON object.")])
    await place.write("b.json", { prompt: [] })
    expect(await place.run("wire", "lint", "--wire", "ai-sdk", "b.json")).toMatchObject({ code: 2 })
    expect(await place.run("wire", "lint", "b.json")).toMatchObject({ code: 2 })
  })
})

describe("holdfast wire show", () => {
  async function answered(place: Place): Promise<string> {
    const environment = { HOLDFAST_CONFIG_DIR: place.file("config"), SIM_KEY: canary }
    await using holdfast = await openHoldfast({
      environment,
      dataDir: place.file("data"),
      directory: place.root,
    })
    const { id: sessionID } = await holdfast.sessions.create()
    await holdfast.sessions.prompt({ sessionID, text: "Say hello." })
    await settled(holdfast, { sessionID })
    return sessionID
  }

  test("[TU1] prints the very bytes that were sent, here and by a server, and no key", async () => {
    await using place = await makePlace(scripted(() => textReply("Hello!")))
    const session = await answered(place)
    const here = await place.run("wire", "show", session, "1")
    expect(here).toMatchObject({ code: 0, err: "same\n" })
    expect(JSON.parse(here.out)).toEqual(place.sim.log[0]?.body)
    const [turn] = linesOf((await place.run("turns", session, "--json")).out)
    expect(turn).toMatchObject({ started: { request: { bytes: Buffer.byteLength(here.out) } } })
    const headed = await place.run("wire", "show", session, "1", "--headers")
    expect(headed.out).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/v1\/messages\nx-api-key: …\n/)
    expect(headed.out.endsWith(`\n\n${here.out}`)).toBe(true)
    expect(headed.out).not.toContain(canary)

    const server = place.start("serve")
    await server.prints("http://127.0.0.1:")
    const served = await place.run("wire", "show", session, "1", "--json")
    server.stop()
    expect((await server.ended).code).toBe(0)
    expect(linesOf(served.out)).toMatchObject([{ verdict: { kind: "same" }, body: here.out }])
  })

  test.each([
    ["7", "has 1 turn; there is no turn 7"],
    ["trn_none", "has no turn trn_none"],
  ])("turn %s is a wrong argument", async (turn, message) => {
    await using place = await makePlace(scripted(() => textReply("Hello!")))
    const { code, err } = await place.run("wire", "show", await answered(place), turn)
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})

test("docs/commands.md has every option of the commands below wire, and no other", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/commands.md"), "utf8")
  const wire = programOf().commands.find((command) => command.name() === "wire") as Command
  for (const command of wire.commands) {
    const title = `holdfast wire ${command.name()}`
    const [, section = ""] = page.split(`\n## ${title}\n`)
    const shown = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `(--[a-z-]+)/gm)].map(
      ([, option]) => option,
    )
    const own = command.options.map(({ long }) => long).filter((long) => !common.includes(long ?? ""))
    expect([title, shown.sort()]).toEqual([title, own.sort()])
    expect(command.description()).toMatch(/^[a-z].{20,}[^.]$/)
  }
})

test("docs/wires.md has every wire, and says where the simulator's claims come from", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/wires.md"), "utf8")
  const [, wires = "", , claims = ""] = page.split("\n## ")
  const counts = ({ recorded, documented, assumed }: SourceCount) => `${recorded}, ${documented}, ${assumed}`
  const rows = Object.entries(sourceMarks()).map(
    ([wire, { texts, rules }]) => `| \`${wire}\` | ${counts(texts)} | ${counts(rules)} |`,
  )
  expect(claims.match(/^\| `.*$/gm)).toEqual(rows)
  const named = [...wires.matchAll(/^\| `([a-z-]+)`/gm)].map(([, wire]) => wire)
  expect(named).toEqual([...Object.keys(sourceMarks()), "ai-sdk"])
})

const common = ["--json", "--data-dir", "--no-server", "--help"]
const programOf = (): Command => buildProgram({} as Terminal, () => {})
