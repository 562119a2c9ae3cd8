/**
 * The tour and `holdfast window` in a pseudo-terminal of 80×24, compared with the screens in
 * `screens/`. Ids are made equal, every digit is a #, and a bar counts as one mark, since the length
 * of a bar is a number too. After a change that is meant: `npx vitest run test/tour -u`.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { expect, test } from "vitest"
import { repositoryRoot } from "../../scripts/command.ts"
import { command, makeTourPlace, processesNaming, startScript } from "./place.ts"
import { watchProgram } from "./pseudo-terminal.ts"

const timeout = 60_000
/** Green, yellow and cyan as a terminal numbers them. */
const [green, yellow, cyan] = [2, 3, 6]
/** Long enough for a cache to take it. */
const readme = `# Corner bakery\n\n${"Bakes at night, sells in the morning.\n".repeat(200)}`

const normalise = (lines: readonly string[]): string =>
  `${lines
    .map((line) =>
      line
        .replaceAll(/ses_[0-9a-z]{20}/g, `ses_${"#".repeat(20)}`)
        .replaceAll(/\d/g, "#")
        .replaceAll(/([█▒·])\1+/g, "$1"),
    )
    .join("\n")}\n`

test("[SU2] window fills one screen, with colours and nothing that wraps", { timeout }, async () => {
  await using place = await makeTourPlace()
  const project = join(place.root, "project")
  const env = { ...place.env, HOLDFAST_CONFIG_DIR: join(place.root, "config"), ANTHROPIC_API_KEY: "" }
  await mkdir(project)
  await writeFile(join(project, "README.md"), readme)
  const data = ["--data-dir", join(place.root, "data")]
  const run = spawn(process.execPath, [command, "run", "--json", ...data, "Read README.md."], {
    cwd: project,
    env,
  })
  const [out] = await Promise.all([text(run.stdout), once(run, "close")])
  const session = /ses_[0-9a-z]{20}/.exec(out)?.[0] ?? out
  const watch = (more: Readonly<Record<string, string>>) =>
    watchProgram(process.execPath, [command, "window", session, ...data], {
      cwd: project,
      env: { ...env, ...more },
    })
  const screen = await watch({})
  expect({ code: screen.code, wrapped: screen.wrapped }).toEqual({ code: 0, wrapped: [] })
  // All of it is on the screen at once, and the gauge fills the line.
  expect(screen.all.filter((line) => line !== "")).toEqual(screen.lines.filter((line) => line !== ""))
  expect(screen.lines.find((line) => /^[█▒·]+$/.test(line))).toHaveLength(80)
  expect(screen.colours).toEqual(new Set([green, yellow]))
  await expect(normalise(screen.lines)).toMatchFileSnapshot("screens/window.txt")
  expect(await watch({ NO_COLOR: "1" })).toEqual({ ...screen, colours: new Set() })
})

test(
  "the tour ends with its books on one screen, with colours and nothing that wraps",
  { timeout },
  async () => {
    await using place = await makeTourPlace()
    const args = [startScript, "--fast", "--seed", "7"]
    const tour = await watchProgram(process.execPath, args, { cwd: repositoryRoot, env: place.env })
    expect({ code: tour.code, wrapped: tour.wrapped }, tour.all.join("\n")).toEqual({ code: 0, wrapped: [] })
    expect(tour.colours).toEqual(new Set([green]))
    await expect(normalise(tour.lines)).toMatchFileSnapshot("screens/tour-books.txt")
  },
)

test(
  "Ctrl-C ends the tour and leaves nothing; its prompts stand out only where colours may",
  { timeout },
  async () => {
    await using place = await makeTourPlace()
    const begin = (more: Readonly<Record<string, string>>) =>
      watchProgram(
        process.execPath,
        [startScript, "--fast"],
        { cwd: repositoryRoot, env: { ...place.env, ...more } },
        "Let me read",
      )
    const [coloured, plain] = await Promise.all([begin({}), begin({ NO_COLOR: "1" })])
    expect([coloured.code, plain.code]).toEqual([130, 130])
    expect(coloured.colours).toContain(cyan)
    expect(plain.colours).toEqual(new Set())
    expect([place.folders(), processesNaming(place.root)]).toEqual([[], []])
  },
)
