/** A real kill between two files of a patch. */
import { execFile } from "node:child_process"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { scripted, textReply } from "../../../packages/provider-sim/src/index.ts"
import { openHoldfast, settled } from "../../../packages/sdk/src/index.ts"
import { makePlace } from "../../../packages/sdk/test/place.ts"

const names = ["a.txt", "b.txt", "c.txt"]
const update = (name: string) => [`*** Update File: ${name}`, "-old", "+new"]
const patch = ["*** Begin Patch", ...names.flatMap(update), "*** End Patch"].join("\n")

/** What the program wrote before it was killed. */
const runToDeath = (options: object): Promise<string> =>
  new Promise((resolve) => {
    const program = fileURLToPath(new URL("program.ts", import.meta.url))
    execFile(process.execPath, [program, JSON.stringify(options)], (_error, out) => resolve(out))
  })

test("[DR4 TL5] a program that is killed between two files of a patch leaves word of which it changed", async () => {
  const model = scripted(({ callIndex }) =>
    callIndex === 0
      ? { blocks: [{ type: "tool_use", name: "apply_patch", input: { patch } }] }
      : textReply("Seen."),
  )
  await using place = await makePlace(model)
  const options = { ...place.options, allow: ["write"] } as const
  for (const name of names) await writeFile(join(place.directory, name), "old\n")
  const sessionID = await runToDeath(options)

  await using holdfast = await openHoldfast(options)
  await settled(holdfast, { sessionID })
  const { items } = await holdfast.sessions.history({ sessionID })
  const [call] = items.flatMap(({ fact }) => (fact.type === "call.settled" ? [fact] : []))
  expect(call?.outcome.output).toBe(
    "Outcome unknown; check before repeating. The process that ran this call ended before the call did. By the files as they are now: changed: a.txt. not changed: b.txt, c.txt.",
  )
  expect(call?.effects.map(({ path }) => path)).toEqual([expect.stringMatching(/\/a\.txt$/)])
  const texts = names.map((name) => readFile(join(place.directory, name), "utf8"))
  expect(await Promise.all(texts)).toEqual(["new\n", "old\n", "old\n"])
  expect((await readdir(place.directory)).filter((name) => name.startsWith(".holdfast-"))).toEqual([])
})
