/** What the dreamer chose or noted, where it is enabled, in the requests of a Session (KF1, UP1, NT1). */
import { afterEach, expect, test } from "vitest"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import type { DreamTask } from "@holdfast/schema/memory/dream"
import { github } from "../../../packages/core/test/secrets/samples.ts"
import { projectDirectory } from "../../stage/virtual.ts"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
afterEach(() => stage.close())

const location = { directory: projectDirectory, projectRoot: projectDirectory }
const project = { root: projectDirectory, origin: null }
const open = (tasks: readonly DreamTask[]) => {
  stage = new Stage({
    contextTokens: 40_000,
    tools: [workTool(() => {}, { name: "read" })],
    dreamer: { tasks },
    historian: ["historian"],
  })
}
const says = (value: unknown): Reply => ({ blocks: [{ type: "text", text: JSON.stringify(value) }] })
const dream = () => stage.ask((runtime) => runtime.dreams.run({ location, by: "person" }))
const last = () => stage.sent.at(-1)?.raw ?? ""
const read = (path: string): Reply => ({
  blocks: [{ type: "tool_use", name: "read", input: { path } }],
})

/** A Session that reads a file often enough to be noticed. */
function readOften(path: string): void {
  const session = stage.create()
  stage.replies.push(read(path), read(path), read(path), read(path))
  stage.converse(session, "Look at it")
}

test("[KF1 DM1] a chosen file stands in the Delta from stored bytes, and an edit changes nothing before the next break", () => {
  open(["key-files"])
  readOften("src/names.ts")
  stage.projectFiles.set("src/names.ts", { text: "export const answer = 42\n" })
  stage.dreamerReply = () =>
    says({
      files: [
        { path: "src/names.ts", reason: "names" },
        { path: "../secret", reason: "" },
      ],
    })
  expect(dream().changes).toMatchObject([{ kind: "key-files", of: ["src/names.ts"] }])
  const session = stage.create()
  stage.converse(session, "Hello")
  expect(last()).toContain("export const answer = 42")
  const delta = stage.facts(session, "pass.applied").at(-1)?.slots?.delta
  expect(delta).toContain("--- src/names.ts\nexport const answer = 42")
  stage.projectFiles.set("src/names.ts", { text: "export const answer = 43\n" })
  dream()
  stage.converse(session, "And now?")
  expect(stage.turns(session).at(-1)?.started).toMatchObject({ pass: "hold", break: null })
  expect(last()).toContain("answer = 42")
  expect(last()).not.toContain("answer = 43")
  stage.ask((runtime) => runtime.flush(session))
  stage.converse(session, "And now?")
  expect(last()).toContain("answer = 43")
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[KF1] key files together take no more than their room, and a smaller one has what a larger one left", () => {
  open(["key-files"])
  readOften("src/a.ts")
  const sizes = { "src/a.ts": 15_000, "src/b.ts": 15_000, "src/c.ts": 15_000, "src/d.ts": 10_000 }
  for (const [path, bytes] of Object.entries(sizes))
    stage.projectFiles.set(path, { text: "é".repeat(bytes / 2) })
  stage.dreamerReply = () => says({ files: Object.keys(sizes).map((path) => ({ path, reason: "" })) })
  expect(dream().changes).toMatchObject([{ of: ["src/a.ts", "src/b.ts", "src/d.ts"] }])
})

test("[KF1] key files that would fill the window are left out of it, all of them", () => {
  open(["key-files"])
  readOften("src/a.ts")
  stage.dreamerReply = () => says({ files: ["src/a.ts", "src/b.ts"].map((path) => ({ path, reason: "" })) })
  for (const [bytes, shown] of [
    [6_900, true],
    [7_100, false],
  ] as const) {
    for (const path of ["src/a.ts", "src/b.ts"]) stage.projectFiles.set(path, { text: "a".repeat(bytes) })
    dream()
    stage.converse(stage.create(), "Hello")
    expect(last().includes("--- src/a.ts")).toBe(shown)
  }
})

test("[KF1] where key files are not enabled any more none is shown", () => {
  const tasks: DreamTask[] = ["key-files"]
  open(tasks)
  readOften("src/names.ts")
  stage.projectFiles.set("src/names.ts", { text: "export const answer = 42\n" })
  stage.dreamerReply = () => says({ files: [{ path: "src/names.ts", reason: "names" }] })
  dream()
  const rows = stage.ask((_, store) =>
    store.projectFacts(projectDirectory, { type: "keyfiles.chosen", limit: 1 }),
  )
  expect(rows).toHaveLength(1)
  tasks[0] = "verify"
  stage.restart()
  stage.converse(stage.create(), "Hello")
  expect(last()).not.toContain("answer = 42")
})

test("[DM1] documents are written where that is enabled, protected regions stay byte for byte, and a revert brings them back", () => {
  open(["maintain-docs"])
  const region = "<!-- holdfast:protected -->\r\nBy hand.  \n<!-- holdfast:end -->"
  const before = `# Old\n\n${region}\n`
  stage.projectFiles.set("ARCHITECTURE.md", { text: before })
  const write = (text: string) => says({ documents: [{ path: "ARCHITECTURE.md", text }] })
  stage.dreamerReply = () => write(`# New\n\n${region.replace("\r\n", "\n")}\n`)
  expect(dream()).toMatchObject({ outcome: "failed", changes: [] })
  expect(stage.projectFiles.get("ARCHITECTURE.md")).toEqual({ text: before })
  const after = `# New\n\n${region}\n`
  stage.dreamerReply = () => write(after)
  const { run, changes } = dream()
  expect(changes).toMatchObject([{ kind: "document", of: ["ARCHITECTURE.md"] }])
  expect(stage.projectFiles.get("ARCHITECTURE.md")).toEqual({ text: after })
  const revert = () => stage.ask((runtime) => runtime.dreams.revert(location, run ?? ""))
  expect(revert()).toMatchObject({ documents: ["ARCHITECTURE.md"], kept: [] })
  expect(stage.projectFiles.get("ARCHITECTURE.md")).toEqual({ text: before })
  expect(revert()).toMatchObject({ documents: [], kept: [] })
  stage.projectFiles.set("ARCHITECTURE.md", { text: "# By hand" })
  expect(revert().kept).toEqual([{ of: "ARCHITECTURE.md", reason: "It was changed since." }])
})

test("[DM1] a document that somebody wrote while the model thought, or that cannot be read whole, stays as it is", () => {
  open(["maintain-docs"])
  const write = says({
    documents: [
      { path: "ARCHITECTURE.md", text: "# Of the model" },
      { path: "STRUCTURE.md", text: "# Of the model" },
    ],
  })
  stage.projectFiles.set("ARCHITECTURE.md", { text: "# Old" })
  stage.dreamerReply = () => {
    stage.projectFiles.set("ARCHITECTURE.md", { text: "# By hand" })
    return write
  }
  expect(dream().changes).toMatchObject([{ of: ["STRUCTURE.md"] }])
  expect(stage.projectFiles.get("ARCHITECTURE.md")).toEqual({ text: "# By hand" })
  // There, and nothing that could be read: too long, or no text.
  for (const path of ["ARCHITECTURE.md", "STRUCTURE.md"]) stage.projectFiles.set(path, "there")
  stage.dreamerReply = () => write
  expect(dream().tasks[1]).toMatchObject({ task: "maintain-docs", outcome: "skipped" })
  expect(stage.projectFiles.get("STRUCTURE.md")).toBe("there")
})

test("[DM1] a document that is a link is left alone, and the model is told so", () => {
  open(["maintain-docs"])
  stage.projectFiles.set("ARCHITECTURE.md", "link")
  stage.dreamerReply = () => says({ documents: [{ path: "ARCHITECTURE.md", text: "# New" }] })
  const [, task] = dream().tasks
  expect(task).toMatchObject({ outcome: "failed" })
  expect(task?.reason).toContain("ARCHITECTURE.md is a link, and is left alone.")
  expect(stage.projectFiles.get("ARCHITECTURE.md")).toBe("link")
})

test("[DM1 AU1] a document whose protected region holds a secret is left alone", () => {
  open(["maintain-docs"])
  const region = `<!-- holdfast:protected -->\n${github}\n<!-- holdfast:end -->`
  const before = `# Old\n${region}\n`
  stage.projectFiles.set("ARCHITECTURE.md", { text: before })
  stage.dreamerReply = () => says({ documents: [{ path: "ARCHITECTURE.md", text: `# New\n${region}\n` }] })
  expect(dream().changes).toEqual([])
  expect(stage.projectFiles.get("ARCHITECTURE.md")).toEqual({ text: before })
})

const history = (view: RequestView): Reply => {
  const end = Number(/ordinals 1 to (\d+)/.exec(JSON.stringify(view.messages))?.[1])
  const text = `<history><part from="1" to="${end}" title="All" importance="60" kind="change"><p1>Done.</p1></part><next>${end + 1}</next></history><observation>wants short answers</observation>`
  return { blocks: [{ type: "text", text }] }
}
const talk = (session: SessionId) => {
  for (let turn = 0; turn < 12 && stage.facts(session, "history.published").length === 0; turn++) {
    stage.converse(session, `Rule r${turn}. ${"word ".repeat(2_500)}`)
    stage.pass(10)
  }
}
const observed = () =>
  stage.ask((_, store) => store.projectFacts(projectDirectory, { type: "profile.observed", limit: 9 })).length

test("[UP1 HI5] where the profile is enabled an observation is stored, reviewed, and shown from the Delta to the Baseline", () => {
  open(["profile"])
  stage.historianReply = history
  const session = stage.create()
  talk(session)
  expect(stage.sent.find(({ model }) => model === "historian")?.raw).toContain("<observation>")
  expect(observed()).toBeGreaterThan(0)
  stage.dreamerReply = () => says({ profile: ["Wants short answers."] })
  expect(dream().changes).toMatchObject([{ kind: "profile", after: ["Wants short answers."] }])
  const next = stage.create()
  stage.converse(next, "Hello")
  expect(last()).toContain("- Wants short answers.")
  stage.ask((runtime) => runtime.flush(session))
  stage.converse(session, "And now?")
  const slots = stage.facts(session, "pass.applied").at(-1)?.slots
  expect(`${slots?.baseline}${slots?.delta}`.match(/Wants short answers/g)).toHaveLength(1)
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[UP1] where it is not enabled nothing is asked for, stored, reviewed or shown", () => {
  open(["verify"])
  stage.historianReply = history
  const session = stage.create()
  talk(session)
  expect(stage.facts(session, "history.published")[0]?.observations).toEqual([])
  expect(stage.sent.find(({ model }) => model === "historian")?.raw).not.toContain("<observation>")
  expect(observed()).toBe(0)
  expect(dream().tasks.map(({ task }) => task)).toEqual(["tidy", "verify"])
})

test("[NT1 DM1] a note whose condition the dreamer finds to be true surfaces, and one that nobody named stays", () => {
  open(["smart-notes"])
  const source = { by: "person", session: null, messages: [] } as const
  const changes = ["Renew the certificate.", "Drop the old flag."].map(
    (text) => ({ change: "write", text, condition: "the release is out", source }) as const,
  )
  const time = stage.world.nowMs
  const made = stage.ask((_, store) => store.commit({ kind: "change-notes", project, time, changes }))
  const [note] = made.kind === "changed" ? made.notes : []
  stage.dreamerReply = () => says({ met: [{ id: note?.id, reason: "It is tagged." }] })
  expect(dream().changes).toMatchObject([{ kind: "note", of: [note?.id], reason: "It is tagged." }])
  stage.converse(stage.create(), "Hello")
  expect(last()).toContain("Renew the certificate.")
  expect(last()).not.toContain("Drop the old flag.")
})

const revert = (run: string | null, only?: readonly string[]) =>
  stage.ask((runtime) => runtime.dreams.revert(location, run ?? "", only))

test("[KF1 DM1] key files that a run chose are taken back: those before it are shown again, and a repeat finds nothing", () => {
  open(["key-files"])
  for (const name of ["a", "b"]) {
    readOften(`src/${name}.ts`)
    stage.projectFiles.set(`src/${name}.ts`, { text: `export const ${name} = "key ${name}"\n` })
  }
  const choose = (name: string) => {
    stage.dreamerReply = () => says({ files: [{ path: `src/${name}.ts`, reason: "" }] })
    return dream().run
  }
  choose("a")
  const run = choose("b")
  expect(revert(run, ["src/b.ts"])).toEqual({
    run,
    reverted: [],
    documents: [],
    others: ["key-files"],
    kept: [],
  })
  stage.converse(stage.create(), "Hello")
  expect(last()).toContain(`key a`)
  expect(last()).not.toContain(`key b`)
  expect(revert(run)).toMatchObject({ kept: [], already: ["key-files"] })
})

test("[UP1 DM1] the profile that a run wrote is taken back", () => {
  open(["profile"])
  stage.historianReply = history
  talk(stage.create())
  stage.dreamerReply = () => says({ profile: ["Wants short answers."] })
  const { run } = dream()
  expect(revert(run).others).toEqual(["profile"])
  stage.converse(stage.create(), "Hello")
  expect(last()).not.toContain("Wants short answers.")
})

test("[NT1 DM1] a note that a run found to be due waits again, unless somebody was told", () => {
  open(["smart-notes"])
  const source = { by: "person", session: null, messages: [] } as const
  const write = { change: "write", text: "Renew it.", condition: "the release is out", source } as const
  stage.ask((_, store) => store.commit({ kind: "change-notes", project, time: 1, changes: [write] }))
  stage.dreamerReply = () => says({ met: [{ id: "s1", reason: "It is tagged." }] })
  const first = dream()
  expect(revert(first.run).others).toEqual(["s1"])
  stage.converse(stage.create(), "Hello")
  expect(last()).not.toContain("Renew it.")
  const { run } = dream()
  stage.converse(stage.create(), "Hello")
  expect(last()).toContain("Renew it.")
  expect(revert(run)).toMatchObject({ kept: [{ of: "s1", reason: "It was shown since." }] })
})

test("[KF1] key files are chosen from Sessions of the project, however many others came later", () => {
  open(["key-files"])
  readOften("src/names.ts")
  stage.projectFiles.set("src/names.ts", { text: "export const answer = 42\n" })
  for (let other = 0; other < 31; other++) stage.ask((runtime) => runtime.create({ directory: "/sim/other" }))
  stage.dreamerReply = () => says({ files: [{ path: "src/names.ts", reason: "names" }] })
  expect(dream().changes).toMatchObject([{ kind: "key-files", of: ["src/names.ts"] }])
})
