/** The pages for users say what the real command says: its commands, options, settings and faults. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { RunStatus } from "@holdfast/schema/run-result"
import { makePlace } from "../place.ts"

const read = (name: string) => readFileSync(join(import.meta.dirname, "../../../../docs", name), "utf8")

test("docs/commands.md has every command and option of the help, and no other", async () => {
  await using place = await makePlace()
  const { out: help } = await place.call(["--help"])
  const commands = [...help.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map(([, name = ""]) => name)
  const page = sectionsOf(read("commands.md"))
  const common = optionsIn(page.get("Options that many commands have") ?? "")
  const documented = [...page.keys()].flatMap((title) => /^holdfast (\S+)$/.exec(title)?.[1] ?? [])
  expect(documented.sort(), "Each command has its section in docs/commands.md.").toEqual(commands.sort())
  for (const command of commands) {
    const { out } = await place.call([command, "--help"])
    const section = page.get(`holdfast ${command}`) ?? ""
    const declared = [...out.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = ""]) => option)
    const own = declared.filter((option) => !common.includes(option))
    expect(optionsIn(section).sort(), `Options of ${command} in docs/commands.md.`).toEqual(own.sort())
    expect(section).toContain(/^Usage: (.*)$/m.exec(out)?.[1])
  }
  for (const [, code, meaning] of /Exit codes: (.*)\./.exec(help)?.[1]?.matchAll(/(\d+) ([^,]+)/g) ?? []) {
    expect(page.get("Exit codes")).toContain(`| ${code} | ${meaning}`)
  }
})

test("docs/commands.md has every status of a result, and no other", () => {
  const row = /^\| `status` \| (.*); the exit code/m.exec(read("commands.md"))?.[1] ?? ""
  const named = [...row.matchAll(/`([a-z]+)`/g)].map(([, status]) => status)
  expect(named).toEqual([...RunStatus.literals])
})

test("docs/configuration.md shows files that are accepted, and the fault of one that is not", async () => {
  const page = read("configuration.md")
  const blocks = [...page.matchAll(/```(jsonc|json|)\n(\S[\s\S]*?)```/g)]
  const shown = (kind: string) => blocks.flatMap(([, found, text]) => (found === kind ? [text ?? ""] : []))
  const [[refused = ""], [fault = ""]] = [shown("json"), shown("")]
  await using place = await makePlace()
  expect(shown("jsonc").length).toBeGreaterThan(1)
  for (const accepted of shown("jsonc")) {
    await place.write("config/holdfast.jsonc", accepted)
    expect(await place.call(["sessions"])).toMatchObject({ code: 0, err: "" })
  }
  await place.write("config/holdfast.jsonc", refused)
  const { code, err } = await place.call(["models"])
  expect(code).toBe(2)
  expect(fault).toContain("baseUrl")
  expect(err).toContain(fault.trim())
})

/** Sections of the second level, by title. */
const sectionsOf = (page: string): ReadonlyMap<string, string> =>
  new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf("\n")), text]),
  )

/** Options that have a row in a table. */
const optionsIn = (section: string): string[] =>
  [...section.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, option = ""]) => option)
