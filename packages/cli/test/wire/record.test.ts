/** `holdfast wire record` before anything is sent, and with a request of one's own. */
import { existsSync, readFileSync } from "node:fs"
import { scripted, textReply } from "@holdfast/provider-sim"
import { describe, expect, test } from "vitest"
import { canary, makePlace } from "./place.ts"

const record = (to: string, ...more: readonly string[]) => [
  "wire",
  "record",
  "--provider",
  "sim",
  "--model",
  "agent",
  "--to",
  to,
  ...more,
]

/** A second turn with a tool's result: no prompt could ask for it. */
const request = {
  model: "agent",
  max_tokens: 100,
  stream: true,
  tools: [{ name: "read", input_schema: { type: "object" } }],
  messages: [
    { role: "user", content: "Read a.md." },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Empty." }] },
  ],
}

describe("[LL1] a request of one's own", () => {
  test("is sent and recorded byte by byte, and replays", async () => {
    await using place = await makePlace(scripted(() => textReply("It is empty.")))
    const written = `${JSON.stringify(request, null, 3)}\n`
    await place.write("body.json", written)
    const recorded = await place.run(...record("turn.json", "--body", "body.json"))
    expect(recorded).toMatchObject({ code: 0, err: "" })
    const { interactions } = JSON.parse(readFileSync(place.file("turn.json"), "utf8")) as {
      interactions: { request: { body: string } }[]
    }
    expect(interactions.map(({ request: sent }) => sent.body)).toEqual([written])
    expect(place.sim.log).toHaveLength(1)
    expect(await place.run("wire", "replay", "turn.json")).toMatchObject({ code: 0 })
  })

  test("[AU1] with a secret in it is not even sent", async () => {
    await using place = await makePlace()
    await place.write("body.json", { ...request, system: `My key is ${canary}.` })
    expect(await place.run(...record("leak.json", "--body", "body.json"))).toEqual({
      code: 1,
      out: "",
      err: "Nothing was written: the exchange holds the key that was used.\n",
    })
    expect(existsSync(place.file("leak.json"))).toBe(false)
    expect(place.sim.log).toEqual([])
  })
})

describe("what cannot be recorded is told before a request is paid for", () => {
  test.each([
    ["no/where.json cannot be written (ENOENT)", "no/where.json", ["Say hello."]],
    ["Give a prompt, or a request with --body, and not both.", "x.json", []],
    ["Give a prompt, or a request with --body, and not both.", "x.json", ["Hi.", "--body", "body.json"]],
    ["none.json cannot be read (ENOENT)", "x.json", ["--body", "none.json"]],
    ["body.json: It is not a JSON object.", "x.json", ["--body", "body.json"]],
  ])("%s (%s %j)", async (said, to, more) => {
    await using place = await makePlace()
    await place.write("body.json", "[]")
    const { code, err } = await place.run(...record(to, ...more))
    expect(code).toBe(2)
    expect(err).toContain(said)
    expect(place.sim.log).toEqual([])
    expect(existsSync(place.file(to))).toBe(false)
  })
})

test.each(["", "\u0000\u0001 no text", "[]"])(
  "[LL3] lint says of %j that it is no JSON object",
  async (text) => {
    await using place = await makePlace()
    await place.write("a.json", text)
    const { code, err } = await place.run("wire", "lint", "--wire", "gemini", "a.json")
    expect([code, err]).toEqual([2, "holdfast: a.json: It is not a JSON object.\n"])
  },
)

test.each([
  [["wire", "lint", "a.json"], "See holdfast wire lint --help."],
  [["wire", "replay", "a.json", "b.json"], "See holdfast wire replay --help."],
  [["wire", "frob"], "See holdfast wire --help."],
])("%j points to the help of its own command", async (argv, said) => {
  await using place = await makePlace()
  const { code, err } = await place.run(...argv)
  expect(code).toBe(2)
  expect(err).toContain(said)
})
