/** What allowed commands leave behind and put out: unpacked archives, and the environment that they were given. */
import { existsSync } from "node:fs"
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tarOf, unpackedAttacks, zipOf } from "./attacks/archives.ts"
import { harmless, inherited, secretVariables, showingCalls } from "./attacks/environment.ts"
import { openPlace, secret } from "./place.ts"
import { slipOf } from "./slip.ts"

const archives = {
  tar: {
    name: "a.tar",
    bytes: tarOf([{ name: "unpacked/hard", hard: "../beside/secret.txt" }]),
    command: "tar -xf a.tar",
  },
  zip: { name: "a.zip", bytes: zipOf(), command: "unzip -qo a.zip" },
}
const hasUnzip = ["/usr/bin/unzip", "/bin/unzip"].some((path) => existsSync(path))

test.each(hasUnzip ? Object.values(archives) : [archives.tar])(
  "[PE2] links that an allowed $command leaves lead no tool out",
  async ({ name, bytes, command }) => {
    await using place = await openPlace({
      files: { [name]: bytes },
      allow: ["write", "bash(echo *)", `bash(${command})`],
    })
    const [unpacked] = await place.attack([["bash", { command }]])
    expect([
      unpacked?.state,
      (await lstat(join(place.project, "unpacked/settings.ts"))).isSymbolicLink(),
    ]).toEqual(["done", true])
    const ends = await place.attack([
      ...unpackedAttacks.map(({ call }) => call),
      ["grep", { pattern: "canary" }],
      ["glob", { pattern: "**/*.txt" }],
      ["read", { path: "unpacked/harmless.txt" }],
    ])
    expect(unpackedAttacks.flatMap((attack, at) => slipOf(attack, ends[at]))).toEqual([])
    expect(ends.at(-1)?.output).toContain("owned")
    expect(await place.harm()).toEqual([])
    expect(place.sent().includes(secret)).toBe(false)
  },
)

test("[TL3 AU1] no way to show an environment shows a secret of the inherited one, nor its name", async () => {
  await using place = await openPlace({ allow: ["*"], environment: inherited(secret) })
  const ends = await place.attack(showingCalls)
  expect(ends[0]?.output).toContain(harmless.GREETING)
  const shown = ends.map(({ output }) => output).join("\n")
  const told = [...shown.matchAll(/[A-Za-z0-9+/=]{40,}/g)].map(([text]) =>
    Buffer.from(text, "base64").toString(),
  )
  const everything = [shown, ...told, [...shown].toReversed().join("")].join("\n")
  expect(
    secretVariables.filter((name) => everything.includes(`${name}=`) || everything.includes(`${name} `)),
  ).toEqual([])
  for (const piece of [secret, secret.replaceAll("-", "")]) expect(everything.includes(piece)).toBe(false)
  expect(place.sent().includes(secret)).toBe(false)
})
