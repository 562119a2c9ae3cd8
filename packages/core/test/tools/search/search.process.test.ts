/** What `grep` and `glob` find, in which order, and what they refuse. */
import { execFileSync } from "node:child_process"
import { chmod, mkdir, open, symlink, writeFile } from "node:fs/promises"
import { constants } from "node:fs"
import { dirname, join } from "node:path"
import { Effect, Fiber } from "effect"
import { rgPath } from "@vscode/ripgrep"
import type { Json } from "@holdfast/schema/json"
import { describe, expect, test } from "vitest"
import { callProcesses } from "../../../src/tools/call-processes.ts"
import { createGlobTool } from "../../../src/tools/search/glob.ts"
import { createGrepTool } from "../../../src/tools/search/grep.ts"
import { findRipgrep, runRipgrep } from "../../../src/tools/search/ripgrep.ts"
import { mayTouchWith } from "../../../src/permission/authorise.ts"
import { permissions } from "../../permission/permissions.ts"
import { runTool, temporaryDirectory, uniqueCallId, until } from "../workspace.ts"

const grep = createGrepTool()
const glob = createGlobTool()

async function makeTree(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const directory = await temporaryDirectory()
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), content)
  }
  return directory
}

const textOf = async (tool: typeof grep, input: Json, directory: string) => {
  const { result, failure } = await runTool(tool, input, directory)
  return result?.text.split("\n") ?? failure?.code
}

const tree = {
  ".gitignore": "*.log\nbuild/\n",
  ".git/config": "needle",
  ".hidden/a.ts": "needle",
  ".b.ts": "needle",
  "build/out.ts": "needle",
  "a.log": "needle",
  "src/a.ts": "one\nneedle one\nthree\nfour\nfive\nsix\nneedle two\r\n",
  "src-b.ts": "a Needle",
  "src/b/c.md": "needle",
  binary: "needle\0\n",
}

describe("grep", () => {
  test("[TL1] finds lines below their paths, in the order of paths", async () => {
    const directory = await makeTree(tree)
    expect(await textOf(grep, { pattern: "needle" }, directory)).toEqual([
      "src/a.ts",
      "2: needle one",
      "7: needle two",
      "",
      "src/b/c.md",
      "1: needle",
    ])
    expect(await textOf(grep, { pattern: "two$", path: "src", context: 1 }, directory)).toEqual([
      "src/a.ts",
      "6- six",
      "7: needle two",
    ])
    expect(await textOf(grep, { pattern: "needle", path: "src/a.ts", context: 1 }, directory)).toEqual([
      "src/a.ts",
      "1- one",
      "2: needle one",
      "3- three",
      "--",
      "6- six",
      "7: needle two",
    ])
    const { result } = await runTool(grep, { pattern: "needle" }, directory)
    expect(result?.structured).toEqual({ files: 2, lines: 3, complete: true })
  })

  test.each<readonly [Record<string, Json>, readonly string[]]>([
    [{ output: "files" }, ["src/a.ts", "src/b/c.md"]],
    [{ output: "counts" }, ["src/a.ts: 2", "src/b/c.md: 1"]],
    [{ output: "counts", path: "src/a.ts" }, ["src/a.ts: 2"]],
    [{ output: "files", ignoreCase: true }, ["src/a.ts", "src/b/c.md", "src-b.ts"]],
    [{ output: "files", glob: "*.ts" }, ["src/a.ts"]],
    [{ output: "files", glob: "src/b/*.{md,ts}" }, ["src/b/c.md"]],
    [{ output: "files", glob: "!*.md" }, ["src/a.ts"]],
    [{ output: "files", glob: "*.log" }, ["[no line matches (ignored and hidden files were left out)]"]],
    [{ output: "files", glob: "*.log", ignored: true }, ["a.log"]],
    [{ output: "files", hidden: true, glob: "*.ts" }, [".b.ts", ".hidden/a.ts", "src/a.ts"]],
    [{ output: "files", limit: 1 }, ["src/a.ts", "[1 more file left out; narrow the search or raise limit]"]],
    [{ pattern: "needle(?= two)", output: "counts" }, ["src/a.ts: 1"]],
    [{ pattern: "six.needle", multiline: true, output: "files" }, ["src/a.ts"]],
    [{ pattern: "-e", output: "files" }, ["[no line matches (ignored and hidden files were left out)]"]],
    [{ path: "binary" }, ["[it is a binary file, of which no line is shown]"]],
    [{ pattern: "absent", path: "src/a.ts" }, ["[no line matches]"]],
    [
      { limit: 1 },
      [
        "src/a.ts",
        "2: needle one",
        "[1 of 3 matching lines in 2 files shown; narrow the search or raise limit]",
      ],
    ],
  ])("[TL1] %j", async (input, expected) => {
    const directory = await makeTree(tree)
    expect(await textOf(grep, { pattern: "needle", ...input }, directory)).toEqual(expected)
  })

  test.each([
    ["(", /^The pattern cannot be used: regex parse error:[^]*unclosed group$/],
    ["a\\nb", /Set multiline to true to match across lines\.$/],
    ["(?<=a+)b(", /missing closing parenthesis$/],
    ["a{999999999}", /exceeds size limit/],
    ["a\0", /^A pattern cannot hold a NUL character/],
  ])("says what is wrong with the pattern %j", async (pattern, message) => {
    const { failure } = await runTool(grep, { pattern }, await makeTree({ a: "a" }))
    expect(failure?.code).toBe("invalid_pattern")
    expect(failure?.message).toMatch(message)
  })

  test("names every wrong field of an input", async () => {
    const inputs = [
      {},
      { pattern: "" },
      { pattern: "a", output: "x" },
      { pattern: "a", limit: 0 },
      { pattern: "a", x: 1 },
    ]
    for (const input of inputs) {
      expect((await runTool(grep, input, ".")).failure?.code).toBe("invalid_input")
    }
  })
})

describe("glob", () => {
  test.each<readonly [Record<string, Json>, readonly string[]]>([
    [{ pattern: "*.ts" }, ["src/a.ts", "src-b.ts"]],
    [{ pattern: "**/*" }, ["binary", "src/a.ts", "src/b/c.md", "src-b.ts"]],
    [{ pattern: "src/**" }, ["src/a.ts", "src/b/c.md"]],
    [{ pattern: "*.md", path: "src" }, ["src/b/c.md"]],
    [{ pattern: "b/*", path: "src" }, ["src/b/c.md"]],
    [{ pattern: "*.{log,md}", ignored: true }, ["a.log", "src/b/c.md"]],
    [
      { pattern: "*", hidden: true, limit: 3 },
      [".b.ts", ".gitignore", ".hidden/a.ts", "[4 more files left out; narrow the search or raise limit]"],
    ],
    [{ pattern: "*.log" }, ["[no file fits (ignored and hidden files were left out)]"]],
    [{ pattern: "x", ignored: true, hidden: true }, ["[no file fits]"]],
  ])("[TL1] %j", async (input, expected) => {
    expect(await textOf(glob, input, await makeTree(tree))).toEqual(expected)
  })

  test("refuses patterns that lead out, and files to search in", async () => {
    const directory = await makeTree(tree)
    const codes = [{ pattern: "../*" }, { pattern: "/etc/*" }, { pattern: "*", path: "src/a.ts" }]
    expect(await Promise.all(codes.map((input) => textOf(glob, input, directory)))).toEqual([
      "invalid_pattern",
      "invalid_pattern",
      "not_a_directory",
    ])
  })
})

test("[PE2] searches nothing outside the Location, links included", async () => {
  const outside = await makeTree({ "secret.ts": "needle" })
  const directory = await makeTree({ "a.ts": "needle" })
  await symlink(outside, join(directory, "link"))
  await symlink(join(outside, "secret.ts"), join(directory, "file.ts"))
  execFileSync("mkfifo", [join(directory, "pipe")])
  for (const path of ["..", outside, "link", "file.ts", "link/secret.ts", "a/../../x"]) {
    const found = [
      await textOf(grep, { pattern: "needle", path }, directory),
      await textOf(glob, { pattern: "*", path }, directory),
    ]
    expect([path, ...found]).toEqual([path, "outside_location", "outside_location"])
  }
  expect(await textOf(grep, { pattern: "needle", output: "files", ignored: true }, directory)).toEqual([
    "a.ts",
  ])
  expect(await textOf(grep, { pattern: "needle", path: "pipe" }, directory)).toBe("not_a_file")
  expect(await textOf(grep, { pattern: "needle", path: "b.ts" }, directory)).toBe("not_found")
})

test("[TL1] heeds the ignore files of the repository above, and its own outside of one", async () => {
  const directory = await makeTree({ ".gitignore": "*.log", "sub/a.log": "x", "sub/b.ts": "x" })
  expect(await textOf(glob, { pattern: "*" }, join(directory, "sub"))).toEqual(["b.ts"])
  expect(await textOf(grep, { pattern: "x", output: "files" }, directory)).toEqual(["sub/b.ts"])
})

test("[TL1] says how many places could not be searched", async () => {
  const directory = await makeTree({ "closed/a.ts": "needle", "b.ts": "needle" })
  await chmod(directory, 0o755)
  await chmod(join(directory, "closed"), 0o000)
  // Root may read everything, so it searches as somebody else.
  const other = join(await temporaryDirectory(), "rg")
  await chmod(dirname(other), 0o755)
  await writeFile(other, `#!/bin/sh\nexec setpriv --reuid=65534 --clear-groups ${rgPath} "$@"\n`, {
    mode: 0o755,
  })
  const find = () => Promise.resolve(process.getuid?.() === 0 ? other : rgPath)
  const { result } = await runTool(createGrepTool(find), { pattern: "needle", output: "files" }, directory)
  expect(result?.text).toBe("b.ts\n[1 file or directory could not be searched]")
  expect(result?.structured).toEqual({ files: 1, complete: false })
})

test("[TL1] says where the program is missing and what to do", async () => {
  const directory = await makeTree({ a: "a" })
  const missing = [
    () => Promise.reject(new Error("Could not find @vscode/ripgrep-linux-x64.")),
    () => Promise.resolve(join(directory, "rg")),
  ]
  for (const find of missing) {
    for (const tool of [createGrepTool(find), createGlobTool(find)]) {
      const { failure } = await runTool(tool, { pattern: "a" }, directory)
      expect(failure?.code).toBe("search_unavailable")
      expect(failure?.message).toContain("npm install @vscode/ripgrep")
    }
  }
})

describe("a search that does not end", () => {
  /** A search of a pipe in which nothing comes. */
  const waiting = async (timeoutMs: number) => {
    const directory = await temporaryDirectory()
    const pipe = join(directory, "pipe")
    execFileSync("mkfifo", [pipe])
    const file = await open(pipe, constants.O_RDWR)
    const callId = uniqueCallId()
    const place = { kind: "file", directory, shown: "pipe", fd: file.fd, managed: false } as const
    const run = runRipgrep(findRipgrep, { callId, place, args: ["needle"], timeoutMs, onOutput: () => {} })
    return { callId, run, file }
  }
  const processesOf = (callId: string) => Effect.runPromise(callProcesses(callId))

  test("[TL1] is ended at its time limit", async () => {
    const { callId, run, file } = await waiting(50)
    expect(await Effect.runPromise(run)).toMatchObject({ exitCode: null })
    expect(await processesOf(callId)).toEqual([])
    await file.close()
  })

  test("[DR3] is ended by an interrupt, and found by its call until then", async () => {
    const { callId, run, file } = await waiting(60_000)
    const fiber = Effect.runFork(run)
    await until("the search runs", 10_000, async () => (await processesOf(callId)).length === 1)
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(await processesOf(callId)).toEqual([])
    await file.close()
  })
})

test("a search sees nothing of the environment but the mark of its call", async () => {
  const directory = await makeTree({ a: "a" })
  const program = join(directory, "program")
  const written = join(directory, "environment")
  await writeFile(program, `#!/bin/sh\ncat /proc/$$/environ >${written}\n`, { mode: 0o755 })
  process.env["HOLDFAST_TEST_TOKEN"] = "secret"
  try {
    await runTool(
      createGlobTool(() => Promise.resolve(program)),
      { pattern: "a" },
      directory,
    )
  } finally {
    delete process.env["HOLDFAST_TEST_TOKEN"]
  }
  const environment = execFileSync("cat", [written], { encoding: "utf8" })
  expect(environment).toMatch(/^HOLDFAST_CALL=call-[\w-]+\0$/)
})

describe("files that may be read only after asking", () => {
  const files = { ".env": "needle=1", "a.ts": "needle", "keys/b.pem": "needle", "keys/c.pem": "other" }
  const found = async (tool: typeof grep, input: Json) => {
    const directory = await makeTree(files)
    const { mayRead } = mayTouchWith(permissions(), { projectRoot: directory })
    const { result } = await runTool(tool, input, directory, { mayRead })
    return result?.text.split("\n")
  }
  const note = "[files that may be read only after asking are left out]"

  test("[PE1] are left out by glob, which says how many", async () => {
    expect(await found(glob, { pattern: "*", hidden: true })).toEqual([
      "a.ts",
      "[3 files left out, to be read only after asking]",
    ])
    expect(await found(glob, { pattern: "*.ts" })).toEqual(["a.ts"])
  })

  test("[PE1] are left out by grep, which does not tell whether they match", async () => {
    expect(await found(grep, { pattern: "needle", hidden: true })).toEqual(["a.ts", "1: needle", note])
    expect(await found(grep, { pattern: "needle", output: "files" })).toEqual(["a.ts", note])
    expect(await found(grep, { pattern: "needle", output: "counts" })).toEqual(["a.ts: 1", note])
    const matching = await found(grep, { pattern: "needle=1", hidden: true })
    expect(matching).toEqual(await found(grep, { pattern: "needle=2", hidden: true }))
    expect(matching).toEqual(["[no line matches (ignored files were left out)]", note])
  })

  test("[PE1] are searched where one is named, because that was asked for", async () => {
    expect(await found(grep, { pattern: "needle", path: "keys/b.pem" })).toEqual(["keys/b.pem", "1: needle"])
  })
})

describe.each([
  ["grep", grep, { pattern: "needle", output: "files" }],
  ["glob", glob, { pattern: "*.ts" }],
] as const)("%s", (_, tool, input) => {
  test("[TL1 PE2] reaches the whole project from a folder in it, and nothing above", async () => {
    const root = await makeTree({ "here/a.ts": "needle", "there/b.ts": "needle" })
    const directory = join(root, "here")
    const found = async (path: string, more = {}) =>
      await runTool(tool, { ...input, path }, directory, { projectRoot: root, ...more })
    expect((await found("../there")).result?.text).toBe("../there/b.ts")
    expect((await found("../..")).failure?.code).toBe("outside_location")
  })

  test("[PE1 PE2] judges each file of an allowed place outside by its own path", async () => {
    const directory = await temporaryDirectory()
    const outside = await makeTree({ "a.ts": "needle", "b.ts": "needle" })
    const judged: string[] = []
    const mayRead = (path: string) => {
      judged.push(path)
      return path !== join(outside, "b.ts")
    }
    const { result } = await runTool(tool, { ...input, path: outside }, directory, {
      judged: [outside],
      mayRead,
    })
    expect(new Set(judged)).toEqual(new Set([join(outside, "a.ts"), join(outside, "b.ts")]))
    expect(result?.text.split("\n")[0]).toBe(join(outside, "a.ts"))
    expect(result?.text).not.toContain("b.ts")
  })
})
