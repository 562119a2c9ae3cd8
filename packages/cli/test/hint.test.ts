/** Hints can be pasted: they carry the options of the command line that gave them. */
import { describe, expect, test } from "vitest"
import { buildProgram } from "../src/commands.ts"
import { carried, carriedInParts, pasteable } from "../src/hint.ts"
import { keptTerminal } from "./terminal.ts"

const options = { dataDir: "/my data", allow: ["write", "bash"], server: false, dir: "../web" } as const
const looking = "--data-dir '/my data' --no-server"

describe("[SU1] a command in a text gets the options in force", () => {
  test.each([
    ["Go on with: holdfast resume ses_1", `Go on with: holdfast resume ${looking} ses_1`],
    ['holdfast run --session ses_1 "…"', `holdfast run ${looking} --session ses_1 "…"`],
    [
      "There is none. `holdfast sessions` lists them.",
      `There is none. \`holdfast sessions ${looking}\` lists them.`,
    ],
    [
      "Stop it with holdfast interrupt ses_1, then delete again.",
      `Stop it with holdfast interrupt ${looking} ses_1, then delete again.`,
    ],
    ["See holdfast doctor, or --data-dir.", "See holdfast doctor --data-dir '/my data', or --data-dir."],
    [
      "Start holdfast serve --port 1 --allow bash, or not.",
      "Start holdfast serve --data-dir '/my data' --port 1 --allow bash, or not.",
    ],
    [
      "holdfast resume --data-dir x --allow y --no-server s",
      "holdfast resume --data-dir x --allow y --no-server s",
    ],
    ["See holdfast run --help.", "See holdfast run --help."],
    ["See holdfast wire lint --help.", "See holdfast wire lint --help."],
    ["holdfast cannot start; set it in holdfast.jsonc.", "holdfast cannot start; set it in holdfast.jsonc."],
    ["run /opt/holdfast sessions", "run /opt/holdfast sessions"],
    ["holdfast memory list shows them.", `holdfast memory list ${looking} --dir ../web shows them.`],
    ["See holdfast memory.", `See holdfast memory ${looking} --dir ../web.`],
    ["holdfast memory show m1 --dir /x", `holdfast memory show ${looking} m1 --dir /x`],
    ["holdfast note list shows them.", `holdfast note list ${looking} --dir ../web shows them.`],
    ["holdfast workspace create NAME", `holdfast workspace create ${looking} NAME`],
  ])("%s", (text, said) => expect(pasteable(text, options)).toBe(said))

  test("and none where none were given", () =>
    expect(pasteable("holdfast resume ses_1", { server: true, allow: [] })).toBe("holdfast resume ses_1"))

  test("a quote in a name stays one word", () =>
    expect(pasteable("holdfast models", { dataDir: "it's" })).toBe(
      String.raw`holdfast models --data-dir 'it'\''s'`,
    ))
})

test("what is carried to a command is what it takes", () => {
  const { commands } = buildProgram(keptTerminal().terminal, () => {})
  const declared = commands.flatMap((command) => {
    const known = command.options.map(({ long }) => long ?? "")
    // What is allowed is kept with the Session; only a server has to be told again.
    const wanted = ["--data-dir", "--no-server", ...(command.name() === "serve" ? ["--allow"] : [])]
    const found = wanted.filter((option) => known.includes(option))
    return found.length === 0 ? [] : [[command.name(), found.sort()] as const]
  })
  expect(Object.fromEntries(declared)).toEqual(
    Object.fromEntries(Object.entries(carried).map(([name, found]) => [name, [...found].sort()])),
  )
})

test("what is carried to the parts of a command is what each of them takes", () => {
  const { commands } = buildProgram(keptTerminal().terminal, () => {})
  for (const [name, { parts, options: known }] of Object.entries(carriedInParts)) {
    const found = commands.find((command) => command.name() === name)?.commands ?? []
    expect(found.map((part) => part.name()).sort()).toEqual([...parts].sort())
    for (const part of found)
      expect(part.options.map(({ long }) => long ?? "")).toEqual(expect.arrayContaining([...known]))
  }
})
