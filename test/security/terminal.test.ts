/**
 * What reaches a person's terminal, whoever wrote it: models, tools, file names, titles, asks, settings and
 * messages. Nothing of it moves the cursor, speaks to the terminal or turns a line around.
 */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { createProviderSim, type Reply, scripted, textReply } from "@holdfast/provider-sim"
import { beforeAll, afterAll, expect, test } from "vitest"
import { runCommand } from "../../packages/cli/test/terminal.ts"
import { type Loopback, openLoopback } from "../stage/loopback.ts"

/** A title for the window, a clipboard, a cleared screen, one byte for two, a line turned around, words nobody sees. */
const hostile =
  "evil\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u001b\\\u001b[2J\u001b[8m\u009b31m\u0090q\u0008\rok\u202Etxt\u2066\u2028\u{E0041}\u007f"
/** The same as far as a file may be called so. */
const hostileName = "evil\u001b[2J\u009b31m\u0008\u202Etxt.md"
const obeyed =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu

let loopback: Loopback
let session = ""
const replies: Reply[] = []

const holdfast = async (args: readonly string[], interactive = true) => {
  const drawn: string[] = []
  const { root, project } = loopback
  const environment = {
    HOLDFAST_CONFIG_DIR: join(root, "config"),
    HOLDFAST_DATA_DIR: join(root, "data"),
    HOME: root,
  }
  const said = await runCommand(args, {
    directory: project,
    environment,
    interactive,
    columns: 400,
    draw: (sequence) => void drawn.push(sequence),
  })
  return { ...said, drawn: drawn.join("") }
}

const call = (name: string, input: Readonly<Record<string, unknown>>): Reply => ({
  blocks: [{ type: "tool_use", name, input }],
})

beforeAll(async () => {
  const sim = createProviderSim({
    models: { agent: scripted(() => replies.shift() ?? textReply(`Done, ${hostile}.`)) },
  })
  loopback = await openLoopback("terminal", { sim: () => sim })
  await loopback.write("config/holdfast.jsonc", JSON.stringify(loopback.settings))
  await loopback.write(`project/${hostileName}`, `${hostile}\n`)
  await loopback.write("project/AGENTS.md", `Be kind, ${hostile}.\n`)
  await mkdir(join(loopback.project, ".git"))
  const agents = "project/.holdfast/agents"
  await loopback.write(
    `${agents}/helper.md`,
    `---\ndescription: Helps ${JSON.stringify(hostile)}.\n---\nHelp.\n`,
  )
  await loopback.write(`${agents}/${hostileName}`, "---\ndescription: [\n---\n")
  await loopback.write(`project/.holdfast/skills/${hostileName}/SKILL.md`, "---\nname: other\n---\n")
  replies.push(
    call("read", { path: hostileName }),
    call("list", { path: "." }),
    call("grep", { pattern: "evil" }),
    call(`evil${hostile}`, { [hostile]: hostile }),
    call("write", { path: hostileName, content: hostile }),
  )
  const { out, code } = await holdfast(["run", "--on-ask", "wait", `Look at ${hostile}.`], false)
  session = /ses_\w+/.exec(out)?.[0] ?? ""
  expect([code, session]).toEqual([3, expect.stringMatching(/^ses_/)])
})
afterAll(() => loopback[Symbol.asyncDispose]())

/** Each with whether it has to show the words, and not only to be harmless. */
const commands: readonly (readonly [args: readonly string[], shows: boolean])[] = [
  [["show", "SESSION"], true],
  [["show", "SESSION", "--json"], true],
  [["sessions"], true],
  [["sessions", "--json"], true],
  [["asks"], true],
  [["asks", "--json"], true],
  [["rename", "SESSION", `Called ${hostile}`], true],
  [["set", "SESSION", "--title", `Called ${hostile}`], true],
  [["turns", "SESSION"], false],
  [["window", "SESSION"], true],
  [["window", "SESSION", "--json"], false],
  [["agents"], true],
  [["skills"], true],
  [["permissions", "explain", `write(${hostile})`], true],
  [["config"], false],
  [["doctor"], false],
  [["show", `ses_${hostile}`], true],
  [["run", `/evil${hostile}`], false],
  [["run", "--model", hostile, "Hello."], true],
  [["run", "--agent", hostile, "Hello."], true],
  [["run", "--allow", hostile, "Hello."], true],
  [[hostile], true],
  [["run", `--${hostile}`], true],
  [["config", "set", hostile, "1"], true],
  [["answer", hostile, "allow"], true],
]

test.each(commands)(
  "[SU1 PE5] holdfast %j shows nothing that a terminal would obey",
  async (given, shows) => {
    const { out, err } = await holdfast(given.map((word) => (word === "SESSION" ? session : word)))
    expect((out + err).match(obeyed) ?? []).toEqual([])
    if (shows) expect(out + err).toContain("evil")
  },
)

test("[SU1] a run shows tools, their output and the answer, and only its own sequences draw", async () => {
  replies.push(
    call("read", { path: hostileName }),
    call("bash", { command: `echo ${hostile}` }),
    call("todo", { todos: [{ content: hostile, status: "pending" }] }),
  )
  const { out, err, drawn } = await holdfast(["run", `Look at ${hostile}.`])
  expect((out + err).match(obeyed) ?? []).toEqual([])
  expect(out).toContain("evil")
  // oxlint-disable-next-line no-control-regex
  expect(drawn.replaceAll(/\u001b\[\d+A\r\u001b\[J/g, "")).toBe("")
})

test("[SU1] what a program reads is as it was", async () => {
  const shown = await holdfast(["rename", session, "Called \u202Ea\u009b", "--json"], false)
  expect((JSON.parse(shown.out) as { title: string }).title).toBe("Called \u202Ea\u009b")
  const typed = await holdfast(["rename", session, "Called \u202Ea\u009b", "--json"])
  expect(JSON.parse(typed.out)).toMatchObject({ title: "Called \u202Ea\u009b" })
})
