/** The dreamer in a whole runtime: without a model, with a good one, and with some that are not. */
import { afterEach, expect, test } from "vitest"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import type { DreamReport } from "@holdfast/schema/instance/dream"
import type { MemoryChange, MemoryId, MemorySource } from "@holdfast/schema/memory/memory"
import { projectDirectory } from "../../stage/virtual.ts"
import { Stage, type StageOptions } from "../harness.ts"

let stage: Stage
const price = { input: 1, output: 10, cacheRead: 1, cacheWrite: 1 }
const open = (options: StageOptions = {}) => (stage = new Stage({ price, ...options }))
afterEach(() => stage.close())

const location = { directory: projectDirectory, projectRoot: projectDirectory }
const project = { root: projectDirectory, origin: null }
const agent: MemorySource = { by: "agent", session: null, messages: [] }
const byPerson: MemorySource = { by: "person", session: null, messages: [] }

function remember(...texts: readonly (string | Partial<Extract<MemoryChange, { change: "write" }>>)[]): void {
  const changes = texts.map((given): MemoryChange => ({
    change: "write",
    category: "PROJECT_RULES",
    text: "",
    source: agent,
    expiresAt: null,
    supersedes: [],
    ...(typeof given === "string" ? { text: given } : given),
  }))
  stage.ask((_, store) => store.commit({ kind: "change-memory", project, time: stage.world.nowMs, changes }))
}

const active = () =>
  stage
    .ask((_, store) => store.memories(projectDirectory, { status: "active", limit: 1_000 }))
    .memories.map(({ id, text }) => `${id} ${text}`)
const dream = (more: { dryRun?: boolean } = {}): DreamReport =>
  stage.ask((runtime) => runtime.dreams.run({ location, by: "person", ...more }))
const revert = (run: string | null) => stage.ask((runtime) => runtime.dreams.revert(location, run ?? ""))
const runs = () => stage.ask((runtime) => runtime.dreams.list(location, 10))
const says = (value: unknown): Reply => ({ blocks: [{ type: "text", text: JSON.stringify(value) }] })
const rules = (count: number) => Array.from({ length: count }, (_, at) => `Rule number ${at} holds.`)
const asked = () => stage.sent.filter(({ model }) => model === "dreamer")
/** The task that a request is about. */
const isAbout = (view: RequestView, words: string) => JSON.stringify(view.messages).includes(words)

test("[DM1 SU4] without a model it merges, archives and ends, tells each difference, and asks nobody", () => {
  open()
  remember("Run the linter before a commit", "run the linters before the commit.")
  remember({ text: "The demo is on Friday", expiresAt: 1 }, "src/gone.ts owns retries", ...rules(8))
  stage.projectFiles.set("src/gone.ts", "deleted")
  const plan = dream({ dryRun: true })
  expect(plan.changes.map(({ kind, of }) => [kind, ...of])).toEqual([
    ["archive", "m3"],
    ["archive", "m4"],
    ["merge", "m1", "m2"],
  ])
  expect([plan.outcome, plan.run, active().length]).toEqual(["planned", null, 12])
  const done = dream()
  expect(done.changes).toEqual(plan.changes)
  expect(done).toMatchObject({ outcome: "done", memoriesBefore: 12, memoriesAfter: 9, cost: 0 })
  expect(stage.sent).toEqual([])
  expect(dream().changes).toEqual([])
})

test("[DM1 SU4] a plan tells how much more there is than one run may do", () => {
  open()
  remember("src/a.ts owns retries", "src/b.ts owns timers", "src/c.ts owns names")
  for (const name of ["a", "b", "c"]) stage.projectFiles.set(`src/${name}.ts`, "deleted")
  const plan = dream({ dryRun: true })
  expect([plan.changes.length, plan.tasks[0]?.refused]).toEqual([1, 2])
  expect(dream().tasks[0]).toMatchObject({ changes: 1, refused: 2 })
})

test("[DM1 SU4] a plan names the tasks that a run would ask, and no other", () => {
  const tasks = ["consolidate", "verify", "smart-notes", "key-files", "profile"] as const
  open({ dreamer: { tasks: [...tasks] } })
  stage.dreamerReply = () => says({})
  const planned = () => dream({ dryRun: true }).tasks.map(({ task }) => task)
  const ran = () => dream().tasks.flatMap(({ task, outcome }) => (outcome === "skipped" ? [] : [task]))
  const agrees = (...wanted: readonly string[]) => {
    const plan = planned()
    const before = asked().length
    expect(plan).toEqual(["tidy", ...wanted])
    expect(ran()).toEqual(plan)
    expect(asked().length - before).toBe(wanted.length)
  }
  agrees()
  remember({ text: "The demo is on Friday", expiresAt: 1 })
  agrees()
  remember({ text: "What a person said.", source: byPerson })
  agrees()
  remember("Rule number 0 holds.")
  agrees("verify")
  remember(...rules(3))
  agrees("consolidate", "verify")
  remember("Use tabs", "Use the tabs")
  agrees()
})

test("[DM1 SU4] a plan counts what a merge leaves among what a model may change", () => {
  open({ dreamer: { tasks: ["archive-stale"] } })
  remember(...rules(8).map((text) => ({ text, source: byPerson })), "Use tabs", "Use the tabs")
  expect(dream({ dryRun: true }).tasks.map(({ task }) => task)).toEqual(["tidy", "archive-stale"])
})

test("[DM1] a memory of few statements is consolidated", () => {
  open({ dreamer: { tasks: ["consolidate"] } })
  remember("Use tabs", "Indent by tabs")
  stage.dreamerReply = () =>
    says({ merge: [{ ids: ["m1", "m2"], text: "Indent by tabs.", reason: "alike" }] })
  expect(dream().tasks[1]).toMatchObject({ outcome: "done", changes: 1, refused: 0 })
  expect(active()).toEqual([expect.stringMatching(/^m\d+ Indent by tabs\.$/)])
})

test("[DM1 AU1] what a model wrote, and why, is told as it is stored: without the secret", () => {
  open({ dreamer: { tasks: ["verify", "improve"] } })
  remember(...rules(20))
  const key = `sk-proj-${"aB3dE6".repeat(8)}`
  stage.dreamerReply = (view) =>
    isAbout(view, "Check statements")
      ? says({
          update: [{ id: "m1", text: `The key is ${key}`, reason: `It is ${key}` }],
          archive: [{ id: "m2", reason: "The password is hunter22." }],
        })
      : says({ split: [{ id: "m3", texts: [key, "The PIN is 4711."], reason: key }] })
  const done = dream()
  expect(done.changes).toHaveLength(3)
  expect(JSON.stringify(done)).not.toMatch(/aB3dE6|hunter22|4711/)
  const stored = stage.ask((runtime) => runtime.dreams.get(location, done.run ?? "")).differences
  expect(done.changes.map(({ after }) => after)).toEqual(stored.map(({ after }) => after))
})

test("[DM1] what was to be looked at is told no more once its words are others", () => {
  open({ dreamer: { tasks: ["verify"] } })
  remember("The lexer lives in src/lexer.ts.", ...rules(5))
  stage.projectFiles.set("src/lexer.ts", "unknown")
  expect(dream({ dryRun: true }).flags).toMatchObject([{ memory: "m1" }])
  stage.dreamerReply = () => says({ update: [{ id: "m1", text: "The lexer lives in src/lex.ts." }] })
  expect(dream()).toMatchObject({ flags: [], changes: [{ kind: "update" }] })
})

test("[DM1] a run is taken back whole, and what was taken back is not done again", () => {
  open()
  remember(
    "Run the linter before a commit",
    "run the linters before the commit.",
    "src/gone.ts owns retries",
    { text: "The demo is on Friday", expiresAt: 1 },
    { text: "Push a tag.", source: byPerson },
    "push the tags",
    ...rules(12),
  )
  stage.projectFiles.set("src/gone.ts", "deleted")
  const before = active()
  const { run, changes } = dream()
  expect(changes.map(({ kind, of }) => `${kind} ${of.join()}`)).toEqual([
    "archive m4",
    "archive m3",
    "merge m1,m2",
    "archive m6",
  ])
  const taken = revert(run)
  expect(runs().map(({ takenBack }) => takenBack)).toEqual([true])
  expect(stage.ask((runtime) => runtime.dreams.get(location, run ?? "")).run.takenBack).toBe(true)
  expect(taken).toMatchObject({ run, kept: [], expired: ["m4"] })
  expect(taken.reverted.toSorted()).toEqual(["m1", "m2", "m3", "m4", "m6"])
  expect(active()).toEqual(before)
  expect(dream().changes).toEqual([])
  expect(active()).toEqual(before)
  expect(revert(run).reverted).toEqual([])
  expect(stage.failure((runtime) => runtime.dreams.revert(location, "d99"))).toMatchObject({
    _tag: "DreamNotFound",
  })
})

test("[DM1] of what a person brought back twice the last time counts: after its end it stays", () => {
  open()
  const now = stage.world.nowMs
  remember({ text: "The API is frozen", expiresAt: now - 10 }, ...rules(4))
  const person = { memory: "m1" as MemoryId, source: byPerson } as const
  const change = (time: number, one: MemoryChange) =>
    stage.ask((_, store) => store.commit({ kind: "change-memory", project, time, changes: [one] }))
  for (const time of [now - 20, now]) {
    change(time, { change: "archive", reason: null, ...person })
    change(time, { change: "restore", ...person })
  }
  expect(dream().changes).toEqual([])
})

test("[DM1 DM2] each task is one hidden Session with the whole memory, and what it cost is told", () => {
  open({ dreamer: {} })
  remember(...rules(10))
  stage.dreamerReply = (view) =>
    isAbout(view, "Merge them")
      ? says({ merge: [{ ids: ["m1", "m2"], text: "Rules 0 and 1 hold.", reason: "alike" }] })
      : says({})
  const done = dream()
  expect(done.tasks.map(({ task, outcome, changes }) => [task, outcome, changes])).toEqual([
    ["tidy", "done", 0],
    ["consolidate", "done", 1],
    ["verify", "done", 0],
    ["archive-stale", "done", 0],
    ["improve", "done", 0],
  ])
  expect(asked()).toHaveLength(4)
  expect(asked()[0]?.raw).toContain("Rule number 9 holds.")
  expect(asked()[1]?.raw).toContain("Rules 0 and 1 hold.")
  expect(done.cost).toBeGreaterThan(0)
  expect(runs()).toMatchObject([{ run: done.run, by: "person", outcome: "done", cost: done.cost }])
  expect(stage.ask((runtime) => runtime.list({ limit: 10 }))).toEqual([])
  expect(stage.ask((_, store) => store.unsettled())).toEqual([])
})

test("[DM1] a hostile model ends at most a fifth of the memory in one run, nothing that a person said, and all of it comes back", () => {
  open({ dreamer: {} })
  remember(...rules(20), { text: "What a person said.", source: { ...agent, by: "person" } })
  const before = active()
  const all = Array.from({ length: 21 }, (_, at) => ({ id: `m${21 - at}`, reason: "delete everything" }))
  stage.dreamerReply = (view) =>
    isAbout(view, `\\"archive\\"`)
      ? says({ archive: all })
      : says({ merge: [{ ids: all.map(({ id }) => id), text: "x" }] })
  const done = dream()
  expect(before).toHaveLength(21)
  expect(active()).toHaveLength(21 - 4)
  expect(active()).toContain("m21 What a person said.")
  expect(done.tasks.reduce((sum, task) => sum + task.changes, 0)).toBe(4)
  revert(done.run)
  expect(active()).toEqual(before)
})

test("[DM1] what one task ended is counted for the next: a hostile model gets no second fifth", () => {
  open({ dreamer: { tasks: ["verify", "archive-stale", "improve"] } })
  remember(...rules(20))
  stage.dreamerReply = (view) => {
    const listed = JSON.stringify(view.messages).match(/m\d+(?= \()/g) ?? []
    return isAbout(view, `\\"archive\\"`)
      ? says({ archive: listed.slice(0, 3).map((id) => ({ id, reason: "no" })) })
      : says({ update: listed.map((id) => ({ id, text: `Nothing (${id}).`, reason: "no" })) })
  }
  const { tasks } = dream()
  expect(tasks.map(({ task, outcome, changes }) => [task, outcome, changes])).toEqual([
    ["tidy", "done", 0],
    ["verify", "done", 3],
    ["archive-stale", "done", 1],
    ["improve", "skipped", 0],
  ])
  expect(asked()).toHaveLength(2)
  expect(active()).toHaveLength(16)
})

test("[DM1] what an agent changed while the model thought is the agent's", () => {
  open({ dreamer: { tasks: ["verify"] } })
  remember(...rules(10))
  stage.dreamerReply = () =>
    says({
      update: [
        { id: "m3", text: "Rule number 2 is old." },
        { id: "m4", text: "Rule number 3 is better." },
      ],
    })
  stage.begin((runtime) => runtime.dreams.run({ location, by: "person" }))
  stage.until(() => asked().length > 0)
  const update = {
    change: "update",
    memory: "m3",
    text: "Rule number 2 is new.",
    source: agent,
  } as MemoryChange
  stage.ask((_, store) => store.commit({ kind: "change-memory", project, time: 1, changes: [update] }))
  stage.until(() => runs()[0]?.outcome === "done")
  expect(active()).toContain("m3 Rule number 2 is new.")
  expect(active()).toContain("m4 Rule number 3 is better.")
})

test("[DM1 MM1] what a model rewrote is an agent's again once it is taken back, and later runs leave it alone", () => {
  open({ dreamer: { tasks: ["verify"] } })
  remember(...rules(5))
  stage.dreamerReply = () => says({ update: [{ id: "m1", text: "Rule zero holds.", reason: "shorter" }] })
  const { run } = dream()
  const part = stage.ask((runtime) => runtime.dreams.revert(location, run ?? "", ["m1"]))
  expect(part).toMatchObject({ reverted: ["m1"], kept: [] })
  expect(part.remaining).toBeUndefined()
  const { memories } = stage.ask((_, store) =>
    store.memories(projectDirectory, { status: "active", limit: 1 }),
  )
  expect(memories[0]?.source).toEqual({ ...byPerson, wordsOf: "agent" })
  expect(dream().changes).toEqual([])
})

test("[DM1 SU4] of a run that is taken back in part the rest is named, and what is back already too", () => {
  open({ dreamer: { tasks: ["verify"] } })
  remember(...rules(10))
  stage.dreamerReply = () =>
    says({
      update: [
        { id: "m1", text: "Rule zero holds." },
        { id: "m2", text: "Rule one holds." },
      ],
    })
  const run = dream().run ?? ""
  const part = (...only: readonly string[]) =>
    stage.ask((runtime) => runtime.dreams.revert(location, run, only))
  expect(part("m1")).toMatchObject({ reverted: ["m1"], remaining: ["m2"] })
  expect(runs()[0]?.takenBack).toBeUndefined()
  expect(part("m1")).toMatchObject({ reverted: [], kept: [], already: ["m1"], remaining: ["m2"] })
  expect(revert(run)).toMatchObject({ reverted: ["m2"], kept: [], already: ["m1"] })
  expect(revert(run)).toMatchObject({ reverted: [], kept: [], already: ["m2", "m1"] })
})

test("[DM1] what the rules changed is not left to the model of the run", () => {
  open({ dreamer: { tasks: ["archive-stale"] } })
  remember("Use tabs", "Use the tabs", ...rules(4))
  stage.dreamerReply = () => says({ archive: [{ id: "m3", reason: "stale" }] })
  const done = dream()
  expect(done.changes.map(({ kind }) => kind)).toEqual(["merge"])
  expect(done.tasks[1]).toMatchObject({ outcome: "skipped", reason: expect.stringContaining("one run may") })
  expect(asked()).toEqual([])
})

test("[DM1 SU4] a run that nobody watched is read afterwards, each difference with what was there before", () => {
  open({ dreamer: { tasks: ["archive-stale", "improve"] } })
  remember("Use tabs", "Use the tabs", ...rules(18))
  stage.dreamerReply = (view) =>
    isAbout(view, "Archive what no later")
      ? says({ archive: [{ id: "m3", reason: "stale" }] })
      : says({ split: [{ id: "m4", texts: ["Rule one holds.", "Always."], reason: "two" }] })
  const done = dream()
  const { run, differences } = stage.ask((runtime) => runtime.dreams.get(location, done.run ?? ""))
  expect(run).toMatchObject({ run: done.run, changes: 3, outcome: "done" })
  expect(differences).toMatchObject([
    {
      kind: "merge",
      of: ["m1", "m2"],
      before: ["Use tabs", "Use the tabs"],
      after: ["Use the tabs"],
      made: ["m22"],
      task: "tidy",
      reason: "They say the same.",
    },
    {
      kind: "archive",
      task: "archive-stale",
      of: ["m3"],
      before: ["Rule number 0 holds."],
      after: [],
      reason: "stale",
    },
    {
      kind: "split",
      task: "improve",
      of: ["m4"],
      before: ["Rule number 1 holds."],
      after: ["Rule one holds.", "Always."],
      reason: "two",
    },
  ])
  expect(runs()).toMatchObject([{ run: done.run, changes: 3 }])
  expect(stage.failure((runtime) => runtime.dreams.get(location, "d1"))).toMatchObject({
    _tag: "DreamNotFound",
  })
})

test("[DM1 MM3] of a large memory each run reads the next part, until all of it was read", () => {
  open({ dreamer: { tasks: ["verify"] } })
  remember(...rules(801))
  const shown = () => asked().map(({ raw }) => [1, 400, 800].filter((at) => raw.includes(`m${at} (`)))
  stage.dreamerReply = () => says({})
  for (let run = 0; run < 4; run++) dream()
  expect(shown()).toEqual([[800], [400], [1], [800]])
})

test("[DM1] a wrong model changes nothing: unknown ids, other tasks' words and no JSON are asked for once more, then fail", () => {
  open({ dreamer: { tasks: ["consolidate", "verify"] } })
  remember(...rules(5))
  stage.dreamerReply = (view) =>
    isAbout(view, "Merge them")
      ? says({ archive: [{ id: "m1" }] })
      : { blocks: [{ type: "text", text: "Sure!" }] }
  const done = dream()
  expect(done.outcome).toBe("failed")
  expect(done.tasks.map(({ outcome }) => outcome)).toEqual(["done", "failed", "failed"])
  expect(active()).toHaveLength(5)
  expect(asked().map(({ lines }) => lines.length)).toEqual([1, 3, 1, 3])
  expect(stage.ask((runtime) => runtime.health())).toMatchObject([
    { part: "dreamer", cause: expect.stringContaining("consolidate") },
  ])
  stage.dreamerReply = () => says({})
  dream()
  expect(stage.ask((runtime) => runtime.health())).toEqual([])
})

test("[FA1 DM1] what failed in a process that has ended is told by the next, since when, until a run is done", () => {
  open({ dreamer: { tasks: ["consolidate", "verify"] } })
  const health = () => stage.ask((runtime) => runtime.health())
  remember(...rules(5))
  stage.dreamerReply = () => ({ blocks: [{ type: "text", text: "Sure!" }] })
  dream()
  const [first] = health()
  stage.restart()
  expect(health()).toEqual([first])
  expect(first).toMatchObject({
    part: "dreamer",
    cause: `consolidate and 1 more in ${projectDirectory}: The answer of the model cannot be used. It is no JSON object.`,
  })
  dream()
  expect(health()).toMatchObject([{ part: "dreamer", since: first?.since }])
  stage.locationThere = false
  expect(health()).toEqual([])
  stage.locationThere = true
  stage.dreamerReply = () => says({})
  dream()
  stage.restart()
  expect(health()).toEqual([])
})

test("[DM1] after three equal failures the rest of a run is left alone", () => {
  open({ dreamer: {} })
  remember(...rules(5))
  stage.dreamerReply = () => ({ blocks: [], fault: { kind: "unauthorized" } })
  const done = dream()
  expect(done.tasks.map(({ outcome }) => outcome)).toEqual(["done", "failed", "failed", "failed", "skipped"])
  expect(JSON.stringify(done.tasks)).not.toContain("Resume")
  expect(asked()).toHaveLength(3)
})

test("[DM1] a task that is left out between them leaves equal failures in a row", () => {
  open({ dreamer: { tasks: ["verify", "key-files", "archive-stale", "improve", "maintain-docs"] } })
  remember(...rules(5))
  stage.dreamerReply = () => ({ blocks: [], fault: { kind: "unauthorized" } })
  const outcomes = dream().tasks.map(({ outcome }) => outcome)
  expect(outcomes).toEqual(["done", "failed", "skipped", "failed", "failed", "skipped"])
  expect(asked()).toHaveLength(3)
})

test("[DM1] a silent model is given up after its time, and the memory is as it was", () => {
  open({ dreamer: { tasks: ["verify"] } })
  remember(...rules(5))
  stage.dreamerReply = () => ({ blocks: [], fault: { kind: "stall" } })
  const began = stage.world.nowMs
  expect(dream().tasks[1]).toMatchObject({ task: "verify", outcome: "failed" })
  expect(stage.world.nowMs - began).toBeLessThanOrEqual(21 * 60_000)
  expect(active()).toHaveLength(5)
})
