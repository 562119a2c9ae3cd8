/**
 * An agent at work in a real repository, with every tool: it mends a failing test, renames across files,
 * adds a feature and reviews. Afterwards everything is looked at from outside: files, Git, processes, the
 * ledger, and what was asked.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import {
  type Reply,
  type ReplyBlock,
  type RequestView,
  scripted,
  textReply,
} from "../../../provider-sim/src/index.ts"
import { everyItem, type Fact, readTypedPrompt, settled } from "../../src/index.ts"
import { makePlace, type OpenClient, type Place } from "../place.ts"

const files: Readonly<Record<string, string>> = {
  "package.json": '{ "type": "module" }\n',
  "AGENTS.md": "Keep functions small.\n",
  "src/AGENTS.md": "Name functions by verbs.\n",
  "src/sum.js": "export const sum = (a, b) => a - b\n",
  "src/total.js": 'import { sum } from "./sum.js"\nexport const total = (list) => list.reduce(sum, 0)\n',
  "test/check.js":
    'import { total } from "../src/total.js"\nif (total([1, 2, 3]) !== 6) throw new Error(`total is ${total([1, 2, 3])}`)\n',
  ".holdfast/skills/feature/SKILL.md": "---\ndescription: How a feature is added.\n---\nOne file each.\n",
  ".holdfast/commands/review.md": "Review what !`git log --oneline` tells of $1.\n",
}

const patch = `*** Begin Patch
*** Update File: src/sum.js
*** Move to: src/add.js
@@
-export const sum = (a, b) => a + b
+export const add = (a, b) => a + b
*** Update File: src/total.js
@@
-import { sum } from "./sum.js"
-export const total = (list) => list.reduce(sum, 0)
+import { add } from "./add.js"
+export const total = (list) => list.reduce(add, 0)
*** End Patch
`

const check = "node test/check.js"
const sleeping = "sleep 2971"
const use = (name: string, input: object): ReplyBlock => ({ type: "tool_use", name, input }) as ReplyBlock
const calls = (...blocks: readonly ReplyBlock[]): Reply => ({ blocks })
const lastText = ({ messages }: RequestView): string => JSON.stringify(messages.at(-1))

const script = (url: string): readonly (Reply | ((view: RequestView) => Reply))[] => [
  // It mends a failing test.
  calls(
    use("bash", { command: check }),
    use("todo", { todos: [{ content: "Mend sum", status: "pending" }] }),
  ),
  calls(use("grep", { pattern: "sum" }), use("read", { path: "src/sum.js" })),
  calls(use("edit", { path: "src/sum.js", oldText: "a - b", newText: "a + b" })),
  calls(use("bash", { command: check }), use("todo", { todos: [] })),
  textReply("Mended."),
  // It renames across files.
  calls(use("glob", { pattern: "**/*.js" }), use("read", { path: "src/total.js" })),
  calls(use("apply_patch", { patch })),
  calls(use("bash", { command: check })),
  textReply("Renamed."),
  // It adds a feature.
  calls(use("skill", { name: "feature" }), use("webfetch", { url }), use("list", { path: "src" })),
  calls(use("question", { question: "What is it to be called?", options: ["mean", "average"] })),
  (view) => {
    const name = /mean/.exec(lastText(view))?.[0] ?? "unnamed"
    const content = `import { total } from "./total.js"\nexport const ${name} = (list) => total(list) / list.length\n`
    return calls(use("write", { path: `src/${name}.js`, content }))
  },
  calls(use("bash", { command: sleeping, background: true })),
  (view) => calls(use("bash_output", { id: idIn(view) }), use("bash_kill", { id: idIn(view) })),
  calls(use("bash", { command: "git add -A && git commit -qm 'Add a mean'" })),
  textReply("Added."),
  // It reviews, and may change nothing.
  calls(use("bash", { command: "git show --stat HEAD" }), use("bash", { command: "touch reviewed" })),
  textReply("Reviewed."),
]

const idIn = (view: RequestView): string => /cmd_\w+/.exec(lastText(view))?.[0] ?? "none"

function play(url: string) {
  const replies = script(url)
  let at = 0
  return scripted((view) => {
    const reply = replies[at++] ?? textReply("The script has no more replies.")
    return typeof reply === "function" ? reply(view) : reply
  })
}

async function makeRepository({ directory }: Place): Promise<(...argv: readonly string[]) => string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), text)
  }
  const git = (...argv: readonly string[]) =>
    execFileSync("git", [...argv], { cwd: directory, encoding: "utf8" }).trim()
  git("init", "-q")
  git("config", "user.email", "tester@example.com")
  git("config", "user.name", "Tester")
  git("add", "-A")
  git("commit", "-qm", "Begin")
  return git
}

/** Sends what is typed and answers what is asked, as a person would; tells what it was. */
async function converse(place: Place, { sessions, asks }: OpenClient, sessionID: string, typed: string) {
  const { configDir = "", environment = {} } = place.options
  const prompt = await readTypedPrompt(typed, { directory: place.directory, configDir, environment })
  if (prompt.kind === "refused") throw new Error(prompt.message)
  await sessions.prompt({ sessionID, text: prompt.text, calls: prompt.calls })
  const asked: string[] = []
  for (;;) {
    const end = await settled({ sessions }, { sessionID })
    if (end.status !== "asking") return { end, asked }
    for (const { id: askID, kind, question, resources } of (await asks.list({ sessionID })).items) {
      asked.push(kind === "question" ? question : resources.map(({ action }) => action).join("+"))
      await asks.answer(
        kind === "question" ? { askID, decision: "answer", text: "mean" } : { askID, decision: "allow" },
      )
    }
  }
}

const isRunning = (command: string): boolean =>
  readdirSync("/proc").some((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(command.replace(" ", "\0"))
      )
    } catch {
      return false // it ended meanwhile
    }
  })

test(
  "[TL1 TL3 TL6 PE1 PE5 TU1 TU2 IN3 SK1] an agent does real work in a real repository with every tool, and the books are right",
  { timeout: 120_000 },
  async () => {
    const server = createServer((_, response) => response.end("A mean is a total by a count."))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/spec`
    try {
      await using place = await makePlace(play(url))
      const git = await makeRepository(place)
      await mkdir(place.options.configDir ?? "", { recursive: true })
      await writeFile(
        join(place.options.configDir ?? "", "holdfast.jsonc"),
        '{ "webfetchPrivateHosts": ["127.0.0.1"] }',
      )
      await using holdfast = await place.open()
      const { sessions } = holdfast
      const { id: sessionID } = await sessions.create({ allow: ["write", `bash(${check})`] })
      const say = (typed: string) => converse(place, holdfast, sessionID, typed)

      const mended = await say("Mend the failing test @test/check.js")
      expect([mended.end.status, mended.end.text, mended.asked]).toEqual(["done", "Mended.", []])
      const renamed = await say("Rename sum to add")
      expect([renamed.end.status, renamed.asked]).toEqual(["done", []])
      const added = await say("Add a mean")
      expect(added.end.text).toBe("Added.")
      expect(added.asked).toEqual(["webfetch", "What is it to be called?", "bash", "bash+bash"])
      await sessions.switchAgent({ sessionID, agent: "plan" })
      const reviewed = await say("/review src/")
      expect([reviewed.end.text, reviewed.asked]).toEqual(["Reviewed.", []])

      // Files, Git and processes.
      const read = (path: string) => readFileSync(join(place.directory, path), "utf8")
      expect(read("src/add.js")).toBe("export const add = (a, b) => a + b\n")
      expect(read("src/total.js")).toContain("list.reduce(add, 0)")
      expect(read("src/mean.js")).toContain("export const mean")
      expect(git("status", "--porcelain")).toBe("")
      expect(git("log", "--format=%s")).toBe("Add a mean\nBegin")
      expect(git("show", "--stat", "--format=", "HEAD", "--name-only").split("\n")).toEqual([
        "src/add.js",
        "src/mean.js",
        "src/sum.js",
        "src/total.js",
      ])
      execFileSync("node", ["test/check.js"], { cwd: place.directory })
      expect(isRunning(sleeping)).toBe(false)

      // The log: every call started once and settled once, and what was refused never started.
      const events: Fact[] = []
      for await (const { fact } of everyItem((page) => sessions.history({ sessionID, ...page })))
        events.push(fact)
      const idsOf = (type: "call.started" | "call.settled") =>
        events.flatMap((fact) => (fact.type === type ? [fact.call] : []))
      const made = events.flatMap((fact) =>
        fact.type === "part.recorded" && fact.part.type === "call" ? [fact.part] : [],
      )
      expect(idsOf("call.settled").sort()).toEqual(made.map(({ call }) => call).sort())
      expect(new Set(idsOf("call.started")).size).toBe(idsOf("call.started").length)
      const neverStarted = made.filter(({ call }) => !idsOf("call.started").includes(call))
      expect(neverStarted.map(({ name, input }) => [name, input])).toEqual([
        ["read", { path: join(place.directory, "test/check.js") }], // read when the prompt was sent
        ["question", expect.anything()],
        ["bash", { command: "touch reviewed" }],
      ])
      expect([...new Set(made.map(({ name }) => name))].sort()).toEqual(
        "apply_patch bash bash_kill bash_output edit glob grep list question read skill todo webfetch write".split(
          " ",
        ),
      )
      const failed = events.flatMap((fact) =>
        fact.type === "call.settled" && fact.outcome.state !== "done" ? [fact.outcome.state] : [],
      )
      expect(failed).toEqual(["declined"])

      // The ledger: every request is rebuilt from the log, and the sums agree.
      const turns = []
      for await (const turn of everyItem((page) => sessions.turns({ sessionID, ...page }))) turns.push(turn)
      const verified = await sessions.verify({ sessionID })
      expect(verified.items.every(({ verdict }) => verdict.kind === "same")).toBe(true)
      const spent = turns.reduce((sum, { settled: end }) => sum + (end?.ledger.usage.output ?? 0), 0)
      expect((await sessions.get({ sessionID })).usage.output).toBe(spent)
      expect(turns.filter(({ settled: end }) => end?.ledger.attempts.length === 0)).toHaveLength(2)
      const { items } = await sessions.messages({ sessionID, system: true })
      expect(JSON.stringify(items.filter(({ kind }) => kind === "system"))).toContain(
        "Name functions by verbs.",
      )
    } finally {
      server.close()
    }
  },
)
