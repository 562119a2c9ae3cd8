/** Help, completion and messages come from the declared commands: nothing can be forgotten. */
import type { Command } from "commander"
import { describe, expect, test } from "vitest"
import { buildProgram } from "../src/commands.ts"
import { completionShells } from "../src/completion/commands.ts"
import { printCompletion } from "../src/completion/completion.ts"
import { describeProgram } from "../src/completion/shape.ts"
import { runHoldfast } from "../src/program.ts"
import { columnsOf } from "../src/text-width.ts"
import { keptTerminal } from "./terminal.ts"

const { terminal, said } = keptTerminal()
const program = buildProgram(terminal, () => {})
const commands: readonly (readonly [string, Command])[] = program.commands.map((each) => [each.name(), each])

function helpOf(command: Command): string {
  said.out = ""
  command.outputHelp()
  return said.out
}

describe("[SU1] the help of every command", () => {
  test.each(commands)("%s has a description, examples, and words for each option", (name, command) => {
    const help = helpOf(command)
    expect(command.description()).toMatch(/^[a-z].{20,}[^.]$/)
    expect(help).toMatch(new RegExp(`\\nExamples:\\n(  \\$ .*\\bholdfast ${name}\\b.*\\n)+`))
    for (const option of command.createHelp().visibleOptions(command)) {
      expect([option.flags, option.description.length > 5]).toEqual([option.flags, true])
      expect(help).toContain(option.long)
    }
    for (const argument of command.registeredArguments) expect(argument.description.length).toBeGreaterThan(5)
  })

  test.each(commands)("%s is the same where it is declared alone", (name, command) => {
    const alone = buildProgram(terminal, () => {}, name)
    if (name !== "help" && name !== "completion") expect(alone.commands.length).toBeLessThan(8)
    const found = alone.commands.find((each) => each.name() === name)
    expect(found && helpOf(found)).toBe(helpOf(command))
  })

  test("names every command, and the exit codes", () => {
    const help = helpOf(program)
    for (const [name] of commands) expect(help).toMatch(new RegExp(`\\n {2}${name} `))
    expect(help).toContain("Exit codes: 0 done, 1 failed, 2 wrong arguments or configuration")
  })

  test.each<readonly string[]>([["-h"], ["help", "-h"], ["run", "-h"], ["help", "wire", "lint"], ["-v"]])(
    "%s %s %s is taken too",
    async (...argv) => {
      const given = argv.filter((word) => word !== undefined)
      const [short, long] = [keptTerminal(), keptTerminal()]
      const words = given[0] === "help" && given.length === 3 ? [...given.slice(1), "--help"] : given
      const whole = words.map((word) => ({ "-h": "--help", "-v": "--version" })[word] ?? word)
      expect(await runHoldfast(given, short.terminal)).toBe(0)
      expect(await runHoldfast(whole, long.terminal)).toBe(0)
      expect(short.said).toEqual(long.said)
      expect(short.said.out).not.toBe("")
    },
  )

  test.each(commands)("holdfast help %s is the same as --help", async (name, command) => {
    const asked = keptTerminal()
    expect(await runHoldfast(["help", name], asked.terminal)).toBe(0)
    expect(asked.said).toEqual({ out: helpOf(command), err: "" })
  })
})

test.each([[[]], ...commands.map(([name]) => [[name]] as const)] as const)(
  "[SU1] on a terminal of 80 columns the help of holdfast %s breaks no word",
  async (words) => {
    const asked = keptTerminal({ interactive: true })
    const piped = keptTerminal()
    expect(await runHoldfast([...words, "--help"], asked.terminal)).toBe(0)
    expect(await runHoldfast([...words, "--help"], piped.terminal)).toBe(0)
    expect(asked.said.out.split("\n").filter((line) => columnsOf(line) > 80)).toEqual([])
    const wordsOf = (text: string) => text.split(/\s+/)
    expect(wordsOf(asked.said.out)).toEqual(wordsOf(piped.said.out))
  },
)

describe("a slip is told with what was probably meant", () => {
  test.each<readonly [readonly string[], string]>([
    [["rum", "x"], "unknown command 'rum'. Did you mean run? See holdfast --help."],
    [["help", "docter"], "unknown command 'docter'. Did you mean doctor? See holdfast --help."],
    [["help", "wire", "lind"], "unknown command 'lind'. Did you mean lint? See holdfast wire --help."],
    [["version"], "unknown command 'version'. Did you mean --version? See holdfast --help."],
    [
      ["run", "--sesion", "x", "y"],
      "unknown option '--sesion'. Did you mean --session? See holdfast run --help.",
    ],
    [["frobnicate"], "unknown command 'frobnicate'. See holdfast --help."],
    [["completion", "tcsh"], "Allowed choices are bash, zsh, fish. See holdfast completion --help."],
    ...commands.map(([name]) => [[name, "--nothing-like-it"], `See holdfast ${name} --help.`] as const),
  ])("%j", async (argv, message) => {
    const asked = keptTerminal()
    expect(await runHoldfast(argv, asked.terminal)).toBe(2)
    expect(asked.said.out).toBe("")
    expect(asked.said.err).toContain(message)
  })
})

describe("completion", () => {
  const shape = describeProgram(program)

  test("knows the kind of every value", () => {
    const values = shape.commands.flatMap(({ name, options }) =>
      options.flatMap(({ flag, value }) => (value === null ? [] : [`${name} ${flag} ${value.kind}`])),
    )
    expect(values).toEqual(expect.arrayContaining(["run --session session", "run --delivery words"]))
    const free = values.filter((value) => value.endsWith(" free"))
    expect(free).toEqual([
      "run --budget-tokens free",
      "run --budget-money free",
      "run --model free",
      "run --agent free",
      "run --deadline free",
      "resume --budget-tokens free",
      "resume --budget-money free",
      "resume --deadline free",
      "sessions --limit free",
      "show --around free",
      "search --limit free",
      "set --budget-tokens free",
      "set --budget-money free",
      "set --title free",
      "set --agent free",
      "fork --at free",
      "fork --title free",
      "fork --id free",
      "replay --window free",
      "audit --since free",
      "serve --port free",
      "serve --host free",
      "serve --allowed-host free",
      "serve --allowed-origin free",
      "provider-sim --port free",
      "provider-sim --model free",
    ])
  })

  test.each(completionShells)("for %s offers every command and every option", (shell) => {
    said.out = ""
    expect(printCompletion(terminal, program, shell)).toBe(0)
    for (const { name, options } of shape.commands) {
      expect(said.out).toContain(name)
      for (const { flag } of options) {
        expect(said.out).toContain(shell === "fish" ? `from ${name}' -l ${flag.slice(2)} ` : flag)
      }
    }
  })
})
