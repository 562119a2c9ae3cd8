/** What is known of wires before they are loaded, beside the wires themselves. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { knownWires, wireNamed } from "../../src/known-wires.ts"
import { wires } from "../../src/wires.ts"

test("[LL1] every wire is known by its name, and is the one that is loaded", async () => {
  expect(Object.keys(knownWires)).toEqual(Object.keys(wires))
  for (const [name, { load, signs = false }] of Object.entries(knownWires)) {
    const wire = await load()
    expect([wire.name, wire, signs]).toEqual([name, wires[name], wire.sign !== undefined])
  }
})

test("[LL1] a wire in memory is found at once, and no other name is a wire's", () => {
  expect(Effect.runSync(wireNamed("gemini"))).toBe(wires["gemini"])
  expect(Effect.runSync(wireNamed("constructor"))).toBe(null)
})
