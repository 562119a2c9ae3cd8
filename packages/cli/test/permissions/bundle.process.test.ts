/** The real command takes a command line apart with the grammar that lies beside it. */
import { expect, test } from "vitest"
import { makePlace } from "../place.ts"

test("[PE1] the bundle has the grammar of commands", async () => {
  await using place = await makePlace()
  const { code, out } = await place.run(["permissions", "explain", "bash(ls | xargs rm)", "--json"])
  const { verdict, reasons } = JSON.parse(out) as {
    readonly verdict: string
    readonly reasons: readonly { readonly effect: string; readonly touches: string }[]
  }
  expect([code, verdict, reasons.map(({ effect, touches }) => `${effect} ${touches}`)]).toEqual([
    0,
    "ask",
    ["allow bash(ls)", 'ask bash(rm "$@")'],
  ])
})
