/**
 * Interop: what the newest kits of the providers do against the simulator: a text, a stream, a tool
 * loop, an image, reasoning that is given back, and an error. They are installed apart; where one is
 * not there, that is said.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createProviderSim, listen, offlineAgent, traitsOf } from "@holdfast/provider-sim"
import type { ListeningSim, ProviderSim } from "@holdfast/provider-sim"
import { base64, png } from "../../packages/provider-sim/test/pictures.ts"
import { aiSdkKits } from "./ai-sdk.ts"
import { officialKits } from "./official.ts"
import { loadKit, missing, versionOf } from "./sdks.ts"

const kits = Object.entries({ ...officialKits, ...aiSdkKits })
const timeout = 30_000

/** Under the names that the kits know: one that reasons and one that does not, of each provider. */
const names = {
  anthropic: ["claude-sonnet-4-5", "claude-3-5-haiku-latest"],
  openai: ["gpt-5.4", "gpt-4o"],
  google: ["gemini-3-pro-preview", "gemini-2.0-flash"],
  bedrock: ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon.nova-lite-v1:0"],
} as const

function namesFor(kit: string): readonly [thinker: string, plain: string] {
  if (kit.includes("openai")) return names.openai
  if (kit.includes("google")) return names.google
  return kit.includes("bedrock") ? names.bedrock : names.anthropic
}

let sim: ProviderSim
let server: ListeningSim
beforeAll(async () => {
  const models = Object.values(names)
    .flat()
    .map((name) => [name, offlineAgent(traitsOf(name))] as const)
  sim = createProviderSim({ models: Object.fromEntries(models) })
  server = await listen(sim)
})
afterAll(() => server.close())

describe.each(kits)("[LL1] %s", (name, kit) => {
  const why = missing(kit)
  const [thinker, plain] = namesFor(name)
  const connect = () => kit.connect(loadKit, server.url)
  const read = (): string => "# Greeter\n\nPrints a greeting.\n"
  const asked = (scenario: string, run: () => Promise<void>) =>
    test(scenario, { timeout }, async ({ skip }) => {
      if (why !== undefined) skip(why)
      const before = sim.log.length
      await run()
      expect(sim.log.slice(before).flatMap(({ defect }) => defect ?? [])).toEqual([])
    })

  if (why === undefined)
    console.log(`figure: ${kit.packages.map((one) => `${one} ${versionOf(one)}`).join(", ")}`)

  asked("gets a text of either kind of model", async () => {
    expect(await connect().text(thinker)).toMatch(/^I am Holdfast's offline model/)
    expect(await connect().text(plain)).toMatch(/^I am Holdfast's offline model/)
  })
  asked("gets a stream", async () => {
    expect(await connect().streamed(plain)).toMatch(/^I am Holdfast's offline model/)
  })
  asked("runs a tool and gives its result back", async () => {
    expect(await connect().toolLoop(plain, read)).toContain("under the heading “Greeter”")
  })
  asked("shows an image", async () => {
    expect(await connect().image(plain, base64(png(8, 8)))).toBe("I see an image: image/png, 8 × 8.")
  })
  asked("gives reasoning back to whom it belongs", async () => {
    expect(await connect().reasoning(thinker, read)).toContain("under the heading “Greeter”")
  })
  asked("is told that a model is not there", async () => {
    expect([400, 404]).toContain(await connect().failure())
  })
})
