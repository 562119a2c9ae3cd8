/** Who answers where little is configured: a key, one model of a file, or a name that leads nowhere. */
import { expect, test } from "vitest"
import { catalogModels, findModel } from "@holdfast/llm"
import { describeOffline } from "../src/offline/offline.ts"
import { makePlace, type Place } from "./place.ts"

interface Result {
  readonly session: string
  readonly provider: string | null
  readonly model: string | null
  readonly reason: { readonly code: string; readonly message: string } | null
}

const running = async (place: Place, args: readonly string[], env: Readonly<Record<string, string>>) => {
  const { code, record } = await place.call(["run", "--json", ...args], { env })
  return { code, ...(record() as Result) }
}

/** The stand-in of a real provider, as `provider-sim` serves it. */
async function standIn(place: Place, model: string): Promise<string> {
  const sim = place.start(["provider-sim", "--model", model])
  await sim.prints("\n}\n")
  return /http:\/\/127\.0\.0\.1:\d+/.exec(sim.printed())?.[0] ?? ""
}

test("[CA1] a key alone keeps its default model in a later run, in resume and on a server", async () => {
  await using place = await makePlace()
  const url = await standIn(place, "claude-sonnet-4-6")
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url }
  const expected = { code: 0, provider: "anthropic", model: "claude-sonnet-4-6" }
  const first = await running(place, ["Hello."], env)
  expect(first).toMatchObject(expected)
  expect(await running(place, ["--session", first.session, "Again."], env)).toMatchObject(expected)
  const turns = await place.call(["turns", first.session], { env })
  expect(turns.out).not.toContain("model_changed")
  const server = place.start(["serve", "--json"], { env })
  await server.prints("}\n")
  expect(await running(place, ["Hello."], {})).toMatchObject(expected)
  server.kill("SIGTERM")
  await server.ended
})

test("[CA1] the only model of a file answers, goes on and is shown in the window", async () => {
  await using place = await makePlace()
  const baseUrl = await standIn(place, "agent")
  const limit = { context: 200_000, output: 8_192 }
  const local = { wire: "anthropic-messages", baseUrl, models: { agent: { limit } } }
  await place.write("config/holdfast.jsonc", JSON.stringify({ providers: { local } }))
  const expected = { code: 0, provider: "local", model: "agent" }
  const first = await running(place, ["Hello."], {})
  expect(first).toMatchObject(expected)
  expect(await running(place, ["--session", first.session, "Again."], {})).toMatchObject(expected)
  expect((await place.call(["window", first.session])).out).toContain("local/agent")
  const offline = await running(place, ["--model", "offline/agent", "Hello."], {})
  expect(offline).toMatchObject({ code: 0, provider: "offline" })
})

test.each([
  [
    '{"model":"anthropic/claude-sonnet-4-6"}',
    "credential",
    "the variable ANTHROPIC_API_KEY, which is not set",
  ],
  ['{"model":"nope/x"}', "model_not_found", "There is no provider nope."],
  ['{"fallback":["nope/x"]}', "model_not_found", '"fallback" names nope/x. There is no provider nope.'],
])("[CA1] nobody answers in place of what the file names: %s", async (file, code, said) => {
  await using place = await makePlace()
  await place.write("config/holdfast.jsonc", file)
  const ended = await running(place, ["Hello."], {})
  expect(ended).toMatchObject({ code: 2, reason: { code, message: expect.stringContaining(said) as string } })
  const doctor = await place.call(["doctor", "--offline"])
  expect(doctor.out).toContain(file.includes("fallback") ? "fallback: There is no provider nope." : said)
})

test("[SU1] a key file that others may read has a code of its own", async () => {
  await using place = await makePlace()
  await place.write("config/key", "k")
  await place.write("config/holdfast.jsonc", '{"providers":{"anthropic":{"apiKeyFile":"key"}}}')
  const open = await running(place, ["Hello."], {})
  expect(open).toMatchObject({ code: 2, reason: { code: "credential" } })
  await place.write(
    "config/holdfast.jsonc",
    '{"providers":{"anthropic":{"apiKeyCommand":["no-such-thing"]}}}',
  )
  expect((await place.call(["models"])).out).toContain("anthropic · key missing")
})

test("a simulated model of another name takes what any known model may be asked for", () => {
  const provider = describeOffline("anthropic-messages", "http://127.0.0.1", ["stand-in"])
  const { context = 0, output = 0 } = provider.models?.["stand-in"]?.limit ?? {}
  for (const name of ["anthropic", "openai", "google", "deepseek", "xai", "mistral", "groq", "bedrock"]) {
    for (const ref of catalogModels(name)) {
      const { contextTokensMax, outputTokensMax } = findModel(ref)
      expect([ref, contextTokensMax <= context, outputTokensMax <= output]).toEqual([ref, true, true])
    }
  }
})
