/** The programs that a newcomer runs first do run, and are the ones that the README shows. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makePlace } from "./place.ts"

const root = join(import.meta.dirname, "../../..")
const example = join(root, "examples/01-first-session.ts")

test("the README shows the first example as it is", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8")
  const shown = /```ts\n([\s\S]*?)```/.exec(readme)?.[1]
  expect(shown).toBe(readFileSync(example, "utf8"))
})

test("the first example runs", async () => {
  await using place = await makePlace()
  const { code, out, err } = await place.run([], { program: example })
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(out).toMatch(/^done: .*Greeter/)
})

test("npm start shows a conversation, its window and its ledger, and touches no configuration", async () => {
  await using place = await makePlace()
  await place.write("config/holdfast.jsonc", "this is no configuration")
  const { code, out, err } = await place.run([], { program: join(root, "scripts/start.ts") })
  expect({ code, err }).toEqual({ code: 0, err: "" })
  for (const shown of [
    "✓ bash node greet.js · Hello, world!",
    "system (Baseline)",
    "The instruction files have changed.",
    "REBUILT",
    "Try next",
  ]) {
    expect(out).toContain(shown)
  }
  expect(out).not.toContain("different")
})
