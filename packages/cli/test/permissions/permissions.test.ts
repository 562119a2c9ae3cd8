/** `holdfast permissions`: the rules of both files, in force and explained. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runCommand } from "../terminal.ts"

async function makePlace() {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-permissions-")))
  const [config, project] = [join(root, "config"), join(root, "app")]
  await mkdir(config)
  await mkdir(join(project, ".git"), { recursive: true })
  await mkdir(join(project, "src"))
  const environment = { HOLDFAST_CONFIG_DIR: config, HOLDFAST_DATA_DIR: join(root, "data") }
  return {
    root,
    project,
    user: (permissions: unknown) =>
      writeFile(join(config, "holdfast.jsonc"), JSON.stringify({ permissions }, null, 2)),
    team: (permissions: unknown) =>
      writeFile(join(project, "holdfast.jsonc"), JSON.stringify({ permissions })),
    run: (...argv: readonly string[]) =>
      runCommand(["permissions", ...argv], { directory: join(project, "src"), environment }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

test("[PE1] explains by which rule something is allowed, asked for or denied, and where it stands", async () => {
  await using place = await makePlace()
  await place.user(["allow bash(npm test)", "deny bash(git push)", "allow write(src/**)"])
  await place.team(["ask write(src/generated/)"])
  const said = async (...argv: readonly string[]) => (await place.run("explain", ...argv)).out
  const config = join(place.root, "config/holdfast.jsonc")
  expect(await said("bash(npm test)")).toBe(
    `It is allowed.\n  allow: bash(npm test): by "allow bash(npm test)" of the user's settings (${config}:3)\n`,
  )
  expect(await said("bash(ls; git push origin)")).toBe(
    `It is denied.\n  allow: bash(ls): by "allow bash(:read-only)" of the built-in rules\n  deny: bash(git push origin): by "deny bash(git push)" of the user's settings (${config}:4)\n`,
  )
  expect(await said("write", "generated/a.ts")).toBe(
    `It is asked for.\n  ask: write(${place.project}/src/generated/a.ts): by "ask write(src/generated/)" of the project's rules (${place.project}/holdfast.jsonc:1)\n`,
  )
  expect(await said("edit(a.ts)", "--agent", "plan")).toBe(
    `It is denied.\n  deny: write(${place.project}/src/a.ts): by "deny write" of the rules of the agent (plan)\n`,
  )
  expect(await said("webfetch(https://example.com/a)")).toBe(
    "It is asked for.\n  ask: webfetch(example.com): no rule fits, and the default asks\n",
  )
  expect(await said("write(../.git/config)")).toContain("of the built-in rules (it always asks)")
  expect(await said(`write(${place.root}/data/store.db)`)).toContain(`by "ask write(${place.root}/data)"`)
})

test("[PE1] explains as JSON, and lists the rules in force in their order", async () => {
  await using place = await makePlace()
  await place.user(["allow write"])
  await place.team(["deny write(vendor/)"])
  const explained = await place.run("explain", "write", "../vendor/a", "--json")
  expect(JSON.parse(explained.out)).toEqual({
    asked: "write(../vendor/a)",
    verdict: "deny",
    reasons: [
      {
        effect: "deny",
        touches: `write(${place.project}/vendor/a)`,
        rule: "deny write(vendor/)",
        from: `the project's rules (${place.project}/holdfast.jsonc:1)`,
      },
    ],
  })
  const listed = (await place.run("list", "--agent", "explore", "--json")).out.trim().split("\n")
  const rules = listed.map((line) => JSON.parse(line) as { readonly list: string; readonly rule: string })
  expect(rules[0]).toEqual({ list: "own", rule: "allow read", from: "the built-in rules" })
  const always = rules.filter(({ list }) => list === "always").map(({ rule }) => rule)
  expect(always.slice(0, 2)).toEqual(["ask write(.git)", "ask write(.holdfast)"])
  expect(always.slice(-2)).toEqual([
    expect.stringMatching(/^ask write\(\/.*config\)$/) as string,
    expect.stringMatching(/^ask write\(\/.*data\)$/) as string,
  ])
  expect(rules.slice(-4 - always.length, -always.length).map(({ list, rule }) => `${list}: ${rule}`)).toEqual(
    ["own: allow write", "own: deny write", "own: deny bash(!:read-only)", "project: deny write(vendor/)"],
  )
  expect((await place.run()).out).toContain("allow bash(:read-only)")
})

test.each([
  [["allow wirte src"], "cannot be read. Write allow, ask or deny, then an action"],
  [["allow edit"], `"edit" is covered by "write"`],
  ["allow write", `permissions must be a list of texts such as ["allow write(src/**)"]`],
  [[7], `permissions must be a list of texts such as ["allow write(src/**)"]`],
])("[CF1 PE1] a bad rule, %j, is an error with its line that stops turns", async (permissions, why) => {
  await using place = await makePlace()
  await place.user(permissions)
  const { code, err } = await place.run("list")
  expect(code).toBe(2)
  expect(err).toMatch(/holdfast\.jsonc:\d+: /)
  expect(err).toContain(why)
  await place.user([])
  await place.team(permissions)
  const project = await place.run("explain", "bash(ls)")
  expect([project.code, project.err]).toEqual([2, expect.stringContaining(why) as string])
})

test("[PE1 TL6] explains for any agent: rules of the user's come last, those of the project's can only narrow", async () => {
  await using place = await makePlace()
  const describe = async (folder: string, name: string, rules: string) => {
    await mkdir(join(place.root, folder), { recursive: true })
    const text = `---\ndescription: Helps.\npermissions: [${rules}]\n---\n\nHelp.\n`
    await writeFile(join(place.root, folder, `${name}.md`), text)
  }
  await describe("config/agents", "careful", "deny bash(npm *)")
  await describe("app/.holdfast/agents", "greedy", "allow *")
  await place.user(["allow bash(npm test)"])
  const said = async (...argv: readonly string[]) => (await place.run("explain", ...argv)).out
  expect(await said("bash(npm test)", "--agent", "careful")).toContain(
    `It is denied.\n  deny: bash(npm test): by "deny bash(npm *)" of the rules of the agent (${place.root}/config/agents/careful.md)`,
  )
  expect(await said("bash(npm test)", "--agent", "greedy")).toContain("It is allowed.")
  expect(await said("bash(rm a)", "--agent", "greedy")).toContain("It is asked for.")
  expect(await place.run("list", "--agent", "carful")).toMatchObject({
    code: 2,
    err: expect.stringContaining("Did you mean careful?") as string,
  })
})

test("[PE1] says what to write where it cannot tell what is asked", async () => {
  await using place = await makePlace()
  for (const asked of ["write", "bash()", "((", "webfetch()"])
    expect(await place.run("explain", asked)).toMatchObject({
      code: 2,
      err: expect.stringContaining("as in") as string,
    })
})
