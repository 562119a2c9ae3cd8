/** When the dreamer works, who does, and what a death leaves: schedule, two processes, a kill at every write. */
import { afterEach, describe, expect, test } from "vitest"
import { isWithin } from "@holdfast/core/dreamer/schedule"
import type { Reply } from "@holdfast/provider-sim"
import type { MemoryChange, MemorySource } from "@holdfast/schema/memory/memory"
import { type Booted, projectDirectory } from "../../stage/virtual.ts"
import { Stage } from "../harness.ts"

let stage: Stage
const booted: Booted[] = []
afterEach(() => {
  for (const { process } of booted.splice(0)) process.dead = true
  stage.close()
})
const open = (seed = 1) => (stage = new Stage({ seed, dreamer: { tasks: ["archive-stale"] } }))

const location = { directory: projectDirectory, projectRoot: projectDirectory }
const project = { root: projectDirectory, origin: null }
const agent: MemorySource = { by: "agent", session: null, messages: [] }
const minuteMs = 60_000
const hourMs = 60 * minuteMs

function remember(...texts: readonly string[]): void {
  const changes = texts.map((text): MemoryChange => ({
    change: "write",
    category: "PROJECT_RULES",
    text,
    source: agent,
    expiresAt: null,
    supersedes: [],
  }))
  stage.ask((_, store) => store.commit({ kind: "change-memory", project, time: stage.world.nowMs, changes }))
}
const active = () =>
  stage
    .ask((_, store) => store.memories(projectDirectory, { status: "active", limit: 1_000 }))
    .memories.map(({ id, text }) => `${id} ${text}`)
const runs = () => stage.ask((runtime) => runtime.dreams.list(location, 100))
const says = (value: unknown): Reply => ({ blocks: [{ type: "text", text: JSON.stringify(value) }] })
const run = () => stage.ask((runtime) => runtime.dreams.run({ location, by: "person" }))

test("[DM2] a project that is open is tended at a tick, again 12 hours later, and only where something is new", () => {
  open()
  remember("Rule 1 holds.", "Rule 2 holds.")
  stage.pass(20 * minuteMs)
  expect(runs()).toEqual([])
  stage.converse(stage.create(), "Hello")
  stage.pass(16 * minuteMs)
  expect(runs()).toMatchObject([{ by: "timer", outcome: "done" }])
  stage.pass(13 * hourMs)
  expect(runs()).toHaveLength(1)
  remember("Rule 3 holds.")
  stage.pass(16 * minuteMs)
  expect(runs()).toHaveLength(2)
  remember("Rule 4 holds.")
  stage.pass(11 * hourMs)
  expect(runs()).toHaveLength(2)
  stage.pass(hourMs + 16 * minuteMs)
  expect(runs()).toHaveLength(3)
})

test("[DM2] a process that only looks, and one in which nobody opened the project, leave it alone", () => {
  open()
  stage.converse(stage.create(), "Hello")
  remember("Rule 1 holds.")
  stage.restart()
  stage.pass(hourMs)
  expect(runs()).toEqual([])
})

const hours = { fromMinute: 22 * 60, toMinute: 6 * 60 }
test("[DM1] the hours of a schedule reach over midnight", () => {
  expect([21 * 60 + 59, 22 * 60, 0, 5 * 60 + 59, 6 * 60].map((at) => isWithin(hours, at))).toEqual([
    false,
    true,
    true,
    true,
    false,
  ])
  expect([isWithin("always", 0), isWithin("never", 0)]).toEqual([true, false])
})

test("[DM2] of two processes one dreams; the other is told so, and takes over when that one dies", () => {
  open()
  remember("Rule 1 holds.", "Rule 2 holds.", "Rule 3 holds.", "Rule 4 holds.", "Rule 5 holds.")
  remember("Use tabs", "Use the tabs", "Habit 1 holds.", "Habit 2 holds.", "Habit 3 holds.")
  const first = stage.current
  booted.push(first)
  stage.dreamerReply = () => ({ blocks: [], fault: { kind: "stall" } })
  stage.begin((runtime) => runtime.dreams.run({ location, by: "person" }))
  stage.until(() => stage.sent.some(({ model }) => model === "dreamer"))
  const second = stage.boot()
  expect(stage.ask((runtime) => runtime.dreams.run({ location, by: "person" }), second).outcome).toBe(
    "elsewhere",
  )
  stage.die(first)
  stage.dreamerReply = () => says({ archive: [{ id: "m1", reason: "old" }] })
  expect(run()).toMatchObject({ outcome: "done", memoriesAfter: 8 })
  expect(runs().map(({ outcome }) => outcome)).toEqual(["done", "interrupted"])
  expect(runs().map(({ changes }) => changes)).toEqual([1, 1])
  expect(stage.ask((_, store) => store.unsettled())).toEqual([])
})

test("[DM1 DM2] what fails three times alike is left alone for 12 hours, and then tried again", () => {
  open()
  remember("Rule 1 holds.")
  stage.converse(stage.create(), "Hello")
  let tries = 0
  stage.refuses = (command) => command.kind === "acquire-named" && ++tries > 0
  stage.pass(46 * minuteMs)
  expect(tries).toBe(3)
  stage.pass(11 * hourMs)
  expect(tries).toBe(3)
  stage.pass(hourMs + 16 * minuteMs)
  expect(tries).toBeGreaterThan(3)
  stage.refuses = () => false
  stage.pass(13 * hourMs)
  expect(runs()).toMatchObject([{ by: "timer", outcome: "done" }])
})

test("[DM2] a run that lost its name to another process ends, changes nothing more, and the next one can begin", () => {
  open()
  remember("Rule 1 holds.", "Rule 2 holds.")
  stage.dreamerReply = () => ({ blocks: [], fault: { kind: "stall" } })
  const ended = stage.begin((runtime) => runtime.dreams.run({ location, by: "person" }))
  stage.until(() => stage.sent.some(({ model }) => model === "dreamer"))
  const held = stage.ask((_, store) => store.namedLease("dreamer"))
  if (held === null) throw new Error("nobody holds it")
  const { name, owner, token, beat } = held
  const taken = stage.ask((_, store) =>
    store.commit({
      kind: "acquire-named",
      name,
      owner: { ...owner, instance: "other" },
      dead: { token, beat },
    }),
  )
  stage.until(() => ended() !== null)
  expect(ended()).toMatchObject({ value: { outcome: "elsewhere" } })
  stage.ask((_, store) => store.commit({ kind: "release-named", name, token: taken.lease.token }))
  stage.dreamerReply = () => says({})
  expect(run().outcome).toBe("done")
  expect(runs().map(({ outcome }) => outcome)).toEqual(["done", "interrupted"])
})

test("[DM1 DM2] a run that ends with its process in good order says so, with a cost that is not known", () => {
  open()
  remember("Rule 1 holds.", "Rule 2 holds.")
  stage.dreamerReply = () => ({ blocks: [], fault: { kind: "stall" } })
  stage.begin((runtime) => runtime.dreams.run({ location, by: "person" }))
  stage.until(() => stage.sent.some(({ model }) => model === "dreamer"))
  stage.restart()
  expect(runs()).toMatchObject([{ outcome: "interrupted", cost: null }])
  expect(stage.ask((_, store) => store.unsettled())).toEqual([])
  expect(stage.ask((_, store) => store.namedLease("dreamer"))).toBeNull()
})

test("[DM1 DM2] a run that was cut off after others that were done says so, too", () => {
  open()
  remember("Rule 1 holds.", "Rule 2 holds.")
  stage.dreamerReply = () => says({})
  run()
  stage.dreamerReply = () => ({ blocks: [], fault: { kind: "stall" } })
  stage.begin((runtime) => runtime.dreams.run({ location, by: "person" }))
  stage.until(() => stage.sent.filter(({ model }) => model === "dreamer").length > 1)
  stage.restart()
  expect(runs().map(({ outcome }) => outcome)).toEqual(["interrupted", "done"])
})

describe("a kill at every write of a run", () => {
  const kills = Number(process.env["HOLDFAST_DREAM_KILLS"] ?? 18)
  for (let kill = 1; kill <= kills; kill++) {
    const write = 1 + ((kill - 1) % writesOfRun)
    test(`[DM1 DM2] kill ${kill}, at write ${write}: nothing is lost or half done, another takes over, and every run can be taken back`, () => {
      open(kill)
      remember("Run the linter before a commit", "run the linters before the commit.")
      remember("Rule 1 holds.", "Rule 2 holds.", "Rule 3 holds.", "Rule 4 holds.", "src/gone.ts owns retries")
      remember(...Array.from({ length: 8 }, (_, at) => `Habit ${at} holds.`))
      stage.projectFiles.set("src/gone.ts", "deleted")
      stage.dreamerReply = () => says({ archive: [{ id: "m3", reason: "old" }] })
      const before = active()
      const crash = kill % 2 === 0 ? "power-cut" : "kill"
      stage.restart({ death: { moment: kill % 3 === 0 ? "before" : "after", write, crash } })
      stage.begin((runtime) => runtime.dreams.run({ location, by: "person" }))
      stage.until(() => stage.current.process.dead || stage.world.nowMs > 30 * hourMs || settled())
      stage.kill()
      stage.boot()
      remember("Said meanwhile.")
      const meanwhile = active().filter((line) => line.endsWith("Said meanwhile."))
      expect(run().outcome).toBe("done")
      expect(active()).toEqual(expect.arrayContaining(meanwhile))
      expect(active()).toHaveLength(13)
      for (const { run: id } of runs()) stage.ask((runtime) => runtime.dreams.revert(location, id))
      expect(active()).toEqual([...before, ...meanwhile])
      expect(stage.ask((_, store) => store.unsettled())).toEqual([])
      expect(stage.database?.prepare("SELECT id FROM session WHERE kind = 'job'").all()).toEqual([])
    })
  }
})

/** Of the stage's run, from taking the name to giving it back, with some to spare. */
const writesOfRun = 22

const settled = () => stage.journal.filter((line) => line === "release-named").length > 0
