/** What going on with a session of another agent costs is asked for before it is sent: no cache of ours holds any of it. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createProviderSim, listen, scripted, textReply } from "@holdfast/provider-sim"
import { assert, expect, test } from "vitest"
import type { FinalRecord } from "../../src/outcome/outcome.ts"
import { runCommand } from "../terminal.ts"
import { claudeLines } from "./claude-lines.ts"

/** A model of the test, and how many requests it has got. */
async function listening(model: string) {
  const got = { requests: 0 }
  const reply = () => {
    got.requests += 1
    return textReply("Done.")
  }
  const sim = await listen(createProviderSim({ models: { [model]: scripted(reply) } }))
  return { ...sim, got, [Symbol.asyncDispose]: () => sim.close() }
}

/** A home with this configuration and a session of Claude Code. */
async function makeHome(settings: object, rounds: number) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-price-ask-")))
  const [config, file] = [join(root, "config"), join(root, "session.jsonl")]
  await mkdir(config)
  await writeFile(join(config, "holdfast.jsonc"), JSON.stringify(settings))
  await writeFile(file, `${claudeLines({ rounds }).join("\n")}\n`)
  const environment = { HOME: root, HOLDFAST_DATA_DIR: join(root, "data"), HOLDFAST_CONFIG_DIR: config }
  const call = async (...argv: readonly string[]) => {
    const { code, out } = await runCommand([...argv, "--json"], { directory: root, environment })
    return { code, result: JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as FinalRecord }
  }
  const remove = () => rm(root, { recursive: true, force: true, maxRetries: 5 })
  return { file, call, [Symbol.asyncDispose]: remove }
}

const price = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }
/** Many commands, one after another. */
const timeoutMs = 90_000

test.each([
  ["by the model that it had", "anthropic", "claude-opus-4-5-20251101", 200_000, 8],
  ["by another one, into whose window it does not fit", "other", "small", 32_000, 30],
] as const)(
  "[PE3 PE5 IM1] an imported Session that goes on %s asks for its price, and sends nothing before the answer",
  { timeout: timeoutMs },
  async (_, provider, model, context, rounds) => {
    await using sim = await listening(model)
    const models = { [model]: { limit: { context, output: 8_192 }, price } }
    const providers = {
      [provider]: { wire: "anthropic-messages", baseUrl: sim.url, apiKey: "test", models },
    }
    const settings = { providers, model: `${provider}/${model}`, cost: { askAbove: 0.01 } }
    await using home = await makeHome(settings, rounds)
    const { call } = home
    const { session } = (await call("import", home.file)).result
    assert(session !== null)

    const sentNothing = { turns: 0, text: "", cost: 0, usage: { input: 0, cacheRead: 0 } }
    const ran = await call("run", "--session", session, "Go on.")
    expect([ran.code, ran.result, sim.got.requests]).toMatchObject([
      3,
      { status: "asking", ...sentNothing },
      0,
    ])
    const [ask] = ran.result.asks ?? []
    expect(ask).toMatchObject({ kind: "other", rule: "cost.askAbove 0.01" })
    const [, asked = "0"] =
      /^Send a request whose input costs about \$(0\.\d+)\? .* tokens are paid for again/.exec(
        ask?.question ?? "",
      ) ?? []

    const declined = await call("answer", ask?.id ?? "", "decline")
    expect([declined.code, declined.result]).toMatchObject([
      3,
      { status: "blocked", reason: { code: "price_declined" }, prompt: ran.result.prompt, ...sentNothing },
    ])
    const resumed = await call("resume", session)
    expect([resumed.code, resumed.result, sim.got.requests]).toMatchObject([
      3,
      { status: "asking", ...sentNothing },
      0,
    ])
    const allowed = await call("answer", resumed.result.asks?.[0]?.id ?? "", "allow")
    expect([allowed.code, allowed.result, sim.got.requests]).toMatchObject([
      0,
      { status: "done", turns: 1, text: "Done.", usage: { cacheRead: 0 } },
      1,
    ])
    // An estimate: what the provider counted is not far off.
    expect(allowed.result.cost).toBeGreaterThan(Number(asked) * 0.7)
    expect(allowed.result.cost).toBeLessThan(Number(asked) * 1.3)
    const warm = await call("run", "--session", session, "And now?")
    expect([warm.code, warm.result, sim.got.requests]).toMatchObject([0, { status: "done", turns: 1 }, 2])
  },
)
