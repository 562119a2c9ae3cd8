/** What goes wrong beside a turn is told to a person in words, once, and by no line of a log. */
import { join } from "node:path"
import { expect, test } from "vitest"
import { createProviderSim, faulty, scripted, textReply } from "@holdfast/provider-sim"
import { openLoopback } from "../../../../test/stage/loopback.ts"
import { runCommand } from "../terminal.ts"

test("[FA1 NT2] a sidekick that fails is told once in words, and by no line of a log", async () => {
  const models = {
    agent: scripted(() => textReply("Done.")),
    sidekick: scripted(() => faulty({ kind: "unauthorized" })),
  }
  const sim = createProviderSim({ models })
  const limit = { context: 20_000, output: 2_000 }
  await using loopback = await openLoopback("plain", {
    sim: () => sim,
    models: { agent: { limit }, sidekick: {} },
  })
  const { root, project: directory, settings, write } = loopback
  await write(
    "config/holdfast.jsonc",
    JSON.stringify({ ...settings, sidekick: { model: "offline/sidekick" } }),
  )
  const environment = {
    HOME: root,
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: join(root, "data"),
  }
  const written: string[] = []
  const own = console.error
  console.error = (...parts: unknown[]) => void written.push(parts.map(String).join(" "))
  try {
    const { code, out, err } = await runCommand(["run", "Hello", "--sidekick"], { directory, environment })
    const said = `${out}${err}`
    expect(code, said).toBe(0)
    expect(said.match(/could not be made and was left out/g)).toHaveLength(1)
    expect(`${said}${written.join()}`).not.toMatch(/WARN|\(#\d+\)/)
  } finally {
    console.error = own
  }
})
