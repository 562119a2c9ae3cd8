/** What a clone is told of its memory, the answers to it, and how a memory says where it came from (MM1). */
import { execFileSync } from "node:child_process"
import { realpathSync, renameSync } from "node:fs"
import { devNull } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Place } from "../place.ts"
import { makeServedPlace } from "./served.ts"

let place: Place
beforeAll(async () => {
  place = await makeServedPlace()
})
afterAll(() => place[Symbol.asyncDispose]())

const said = async (...args: readonly string[]) => {
  const { code, out, err } = await place.call(["memory", ...args])
  return { code, text: `${out}${err}`.trimEnd() }
}

function git(...words: readonly string[]): void {
  const identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
  const env = { PATH: process.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_SYSTEM: devNull }
  execFileSync("git", ["-C", place.root, ...identity, ...words], { stdio: "ignore", env })
}

test("[MM1] a clone is asked whose memory it has, shares it, says so, and parts again", async () => {
  await place.write("first/README.md", "# First\n")
  git("init", "-q", "first")
  git("-C", "first", "commit", "-q", "--allow-empty", "-m", "One.")
  git("clone", "-q", "first", "second")
  const [first, second] = ["first", "second"].map((name) => join(realpathSync(place.root), name))
  const there = (...args: readonly string[]) => said(...args, "--dir", "../second")
  await said("add", "Use tabs.", "--dir", "../first")
  const { code, text } = await there()
  expect(code).toBe(0)
  expect(text).toContain(
    `${second} may be a copy of ${first}, or what became of it. To share that memory: holdfast memory adopt --dir ../second; to keep its own: holdfast memory separate --dir ../second`,
  )
  expect((await there("adopt")).text).toBe(`${second} shares the memory of ${first}: 1 known.`)
  expect((await there()).text).toMatch(/Use tabs\.$/)
  expect(await there("adopt")).toEqual({
    code: 2,
    text: `holdfast: ${second} shares the memory of ${first} already. To share another, name its directory with --from; to part: holdfast memory separate --dir ../second`,
  })
  await there("add", "Only the second is slow.")
  expect((await there("separate")).text).toBe(
    `${second} has a memory of its own: 2 known.\nIt took 2 along from ${first}. There 1 said from here alone is archived.`,
  )
  expect((await said("list", "--dir", "../first")).text).not.toContain("slow")
  expect((await there()).text).toMatch(/Use tabs\.\n.*Only the second is slow\.$/)
  expect((await there("separate")).text).toBe(`${second} has a memory of its own: 2 known.`)
  await there("adopt", "--from", "../first")
  expect((await there("separate")).text).toContain(
    `along from ${first}. There 1 said from here alone is archived.`,
  )
  await there("adopt", "--from", "../first")
  await said("add", "Only the second is slow.", "--dir", "../first")
  expect((await there("separate")).text).toContain(`along from ${first}. Nothing had to be archived there.`)
  expect(await there("adopt", "--from", "../nowhere")).toMatchObject({
    code: 2,
    text: expect.stringContaining("There is no directory "),
  })
})

test("[MM1] a clone is asked about directories that stand somewhere, and about none that gave its place to another", async () => {
  const at = (name: string) => join(realpathSync(place.root), name)
  const looked = async (name: string) => (await said("--dir", `../${name}`)).text
  await place.write("shop/README.md", "# Shop\n")
  git("init", "-q", "shop")
  git("-C", "shop", "commit", "-q", "--allow-empty", "-m", "The shop.")
  await said("add", "Use tabs.", "--dir", "../shop")
  renameSync(at("shop"), at("shop2"))
  git("clone", "-q", "shop2", "clone")
  git("init", "-q", "shop")
  git("-C", "shop", "commit", "-q", "--allow-empty", "-m", "Another.")
  expect(await looked("shop")).not.toMatch(/tabs|may be a copy/)
  expect(await looked("clone")).not.toContain("may be a copy")
  expect(await looked("shop2")).toMatch(/Use tabs\.$/)
  expect(await looked("clone")).toContain(`${at("clone")} may be a copy of ${at("shop2")}, or`)
})

test("[MM1] what is added says what it ended, and an export where each came from", async () => {
  const dir = ["--category", "CONFIG_VALUES", "--dir", "."]
  expect((await said("add", "The port is 3000.", ...dir)).text).toMatch(/^Known as m1 \(CONFIG_VALUES\): /)
  expect((await said("add", "The port is 4000.", ...dir)).text).toMatch(
    / m2 \(CONFIG_VALUES, in place of m1\): /,
  )
  expect((await said("add", "the port is 4000", ...dir)).text).toMatch(
    / m2 \(CONFIG_VALUES, in place of m1, said 2 times\): /,
  )
  const ended = await said("add", "The demo is on Friday.", "--expires", "2020-01-01")
  expect(ended.text).toMatch(/^Known as m4 \(PROJECT_RULES, expired\): /)
  await said("archive", "m4", "--reason", "It --> is over.")
  const day = new Date().toISOString().slice(0, 8)
  const { text } = await said("export", "--all")
  expect(text.replaceAll(new RegExp(`${day}\\d\\d`, "g"), "TODAY")).toBe(`# Memory (3)

## PROJECT_RULES

- The demo is on Friday. <!-- m4; a person, TODAY; expired 2020-01-01; archived; It -> is over. -->

## CONFIG_VALUES

- The port is 3000. <!-- m1; a person, TODAY; superseded by m2 -->
- The port is 4000. <!-- m2; a person, TODAY; said 2 times; in place of m1 -->`)
  expect(await said("show", "m9")).toEqual({
    code: 2,
    text: "holdfast: This project has no memory m9. holdfast memory list shows them.",
  })
})
