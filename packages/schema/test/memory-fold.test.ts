import { describe, expect, test } from "vitest"
import { contradicts, type Statement } from "../src/memory/contradiction.ts"
import { bumpsEpoch, judgeChange } from "../src/memory/fold.ts"
import type { Memory, MemoryCategory, MemoryId, MemorySource } from "../src/memory/memory.ts"
import { from, project } from "./memory-project.ts"

const memory = "m1" as MemoryId

const written = (by: MemorySource["by"], supersedes: readonly MemoryId[]) =>
  bumpsEpoch({
    type: "memory.written",
    category: "CONFIG_VALUES",
    text: "The port is 1",
    expiresAt: null,
    supersedes,
    source: from(by),
  })

describe("the epoch of a project", () => {
  test("[HB3 MM1] what a person only adds waits; what takes the place of something does not", () => {
    expect(written("person", [])).toBe(false)
    expect(written("person", [memory])).toBe(true)
    expect(written("agent", [memory])).toBe(false)
  })
  test("[HB3 MM1] what a person changes moves it, what anybody else does, or says again, does not", () => {
    expect(bumpsEpoch({ type: "memory.archived", memory, reason: null, source: from("person") })).toBe(true)
    expect(bumpsEpoch({ type: "memory.archived", memory, reason: null, source: from("dreamer") })).toBe(false)
    expect(bumpsEpoch({ type: "memory.seen", memory, source: from("person") })).toBe(false)
  })
})

describe("a value that takes the place of another", () => {
  const older = { id: memory, status: "active", category: "CONFIG_VALUES", text: "The port is 1" } as Memory
  const known = { byId: () => older, byContent: () => null, bySubject: () => [older] }
  const write = (by: MemorySource["by"], supersedes: readonly MemoryId[]) =>
    judgeChange(
      {
        change: "write",
        category: "CONFIG_VALUES",
        text: "The port is 2",
        source: from(by),
        expiresAt: null,
        supersedes,
      },
      known,
      1,
    )
  test("[MM1] an agent's new value supersedes the older one", () => {
    expect(write("agent", [])).toMatchObject({ kind: "facts", facts: [{ supersedes: [memory] }] })
  })
  test("[DM1] the dreamer ends only what it names: nothing by the way of another's value", () => {
    expect(write("dreamer", [])).toEqual({ kind: "refused", problem: "duplicate", ids: [memory] })
    expect(write("dreamer", [memory])).toMatchObject({ kind: "facts", facts: [{ supersedes: [memory] }] })
  })
})

describe("what contradicts", () => {
  for (const by of ["agent", "historian", "person"] as const)
    test(`[MM1] a setting that goes back to an earlier value has it, whoever says so: ${by}`, () => {
      const { say, active, get } = project()
      for (const value of [10, 20, 10]) say(`The queue size is ${value}.`, { source: from(by) })
      expect(active()).toEqual(["The queue size is 10."])
      expect([get("m1").supersededBy, get("m2").supersededBy, get("m3").supersedes]).toEqual([
        "m2",
        "m3",
        ["m2"],
      ])
    })
  test("[MM1] what is said without a category has that of what it takes the place of", () => {
    const { say, get } = project()
    say("The log level is info.")
    say("The log level is debug.", { category: null })
    say("Logs are kept.", { category: null, supersedes: ["m2" as MemoryId] })
    say("Use tabs.", { category: null })
    expect(["m2", "m3", "m4"].map((id) => get(id).category)).toEqual([
      "CONFIG_VALUES",
      "CONFIG_VALUES",
      "PROJECT_RULES",
    ])
  })
  test("[MM1] what was archived holds again when a person says it again, as a new memory", () => {
    const { say, change, active, get } = project()
    say("Use tabs.", { category: "PROJECT_RULES" })
    change({ change: "archive", memory, reason: null, source: from("person") })
    for (const by of ["agent", "historian"] as const) say("Use tabs.", { source: from(by) })
    expect(active()).toEqual([])
    say("Use tabs.", { source: from("person") })
    expect([active(), get("m1").status]).toEqual([["Use tabs."], "archived"])
  })
  test("[MM1] what was archived or merged is not revived by an agent that says it again", () => {
    const { say, change, active } = project()
    say("Use tabs", { category: "PROJECT_RULES" })
    say("Tabs it is", { category: "PROJECT_RULES" })
    change({
      change: "merge",
      from: [memory, "m2" as MemoryId],
      category: null,
      text: "Tabs",
      source: from("dreamer"),
    })
    say("Use tabs", { category: "PROJECT_RULES" })
    expect(active()).toEqual(["Tabs"])
  })
  test("[MM1] what history tells late does not take the place of what was said meanwhile", () => {
    const { say, active } = project()
    say("The dev port is 1.", {}, 5)
    say("The dev port is 2.", {}, 20)
    say("The dev port is 1.", { source: from("historian"), saidAt: 10 }, 30)
    expect(active()).toEqual(["The dev port is 2."])
    say("The dev port is 1.", { source: from("historian"), saidAt: 25 }, 31)
    expect(active()).toEqual(["The dev port is 1."])
  })
  test("[MM1] an edit takes the place of what it contradicts, with a link", () => {
    const { say, change, active, get } = project()
    say("The dev port is 1.")
    say("The old port is 2.")
    const edit = { change: "update", memory: "m2" as MemoryId, text: "The dev port is 2." } as const
    change({ ...edit, source: from("person") })
    expect(active()).toEqual(["The dev port is 2."])
    expect([get("m1").supersededBy, get("m2").supersedes]).toEqual(["m2", ["m1"]])
  })
  test("[MM1] an edit of a value takes the place of nothing: the statement stays the same one", () => {
    const { say, change, get } = project()
    say("The dev port is 1.")
    change({ change: "update", memory, text: "The dev port is 2.", source: from("person") })
    expect(get("m1")).toMatchObject({ text: "The dev port is 2.", status: "active", supersedes: [] })
  })
  test("[MM1 DM1] a merge takes the place of what it contradicts, too, and one of the dreamer of what it names", () => {
    for (const [by, standing] of [
      ["agent", ["The dev port is 4000."]],
      ["dreamer", ["The dev port is 3000.", "The dev port is 4000."]],
    ] as const) {
      const { say, change, active, get } = project()
      for (const text of ["The dev port is 3000.", "Dev listens on 4000.", "The port of dev: see 4000."])
        say(text)
      const parts = { from: ["m2" as MemoryId, "m3" as MemoryId], category: null, source: from(by) }
      change({ change: "merge", text: "The dev port is 4000.", ...parts })
      expect(active()).toEqual(standing)
      expect(get("m1").supersededBy).toBe(by === "agent" ? "m4" : null)
    }
  })
  test("[MM1] what is brought back takes the place of what contradicts it, with a link", () => {
    const { say, change, active, get } = project()
    const rule = { category: "PROJECT_RULES" } as const
    say("Use tabs.", rule)
    say("Do not use tabs.", rule)
    const restore = { change: "restore", memory, source: from("person") } as const
    change(restore)
    expect(active()).toEqual(["Use tabs."])
    expect([get("m1").supersedes, get("m2").supersededBy]).toEqual([["m2"], "m1"])
    // As they were: a run of the dreamer that is taken back, and two that part.
    change({ ...restore, memory: "m2" as MemoryId, beside: true })
    expect(active()).toEqual(["Use tabs.", "Do not use tabs."])
  })
  test("[MM1] a value takes the place of another, of whatever category each is", () => {
    const { say, active, get } = project()
    say("The dev port is 4000.", { category: "PROJECT_RULES" })
    say("The dev port is 5000.")
    say("The dev port is 6000.", { category: "ARCHITECTURE" })
    expect(active()).toEqual(["The dev port is 6000."])
    expect([get("m1").supersededBy, get("m2").supersededBy]).toEqual(["m2", "m3"])
  })
  test("[MM1] a version and a limit take the place of others, of whatever category each is", () => {
    const { say, active } = project()
    say("Node 20 is needed.", { category: "PROJECT_RULES" })
    say("Node 22 is needed.")
    say("Max 3 retries and 5 workers.", { category: "CONSTRAINTS" })
    say("Max 4 retries and 5 workers.", { category: "ARCHITECTURE" })
    expect(active()).toEqual(["Node 22 is needed.", "Max 4 retries and 5 workers."])
  })
  test("[MM1] a value that an agent or the historian states takes the place of a person's, whatever its category", () => {
    for (const by of ["agent", "historian"] as const) {
      const { say, active, get } = project()
      say("The dev port is 4000.", { category: null, source: from("person") })
      say("The dev port is 5000.", { source: from(by) })
      say("Node 20 is needed.", { category: "CONSTRAINTS", source: from("person") })
      say("Node 22 is needed.", { category: "PROJECT_RULES", source: from(by) })
      expect(active()).toEqual(["The dev port is 5000.", "Node 22 is needed."])
      expect([get("m1").supersededBy, get("m2").supersedes]).toEqual(["m2", ["m1"]])
    }
  })
  const bothWays = (a: Statement, b: Statement) => [contradicts(a, b), contradicts(b, a)]
  const pairs: readonly (readonly [boolean, MemoryCategory, string, string])[] = [
    [true, "CONFIG_VALUES", "The cache TTL is 5 minutes.", "The cache TTL is 10 minutes."],
    [true, "CONFIG_VALUES", "The cache TTL is 5 minutes.", "The cache TTL is one hour."],
    [true, "CONFIG_VALUES", "The cache TTL is 5 minutes.", "The cache TTL is off."],
    [true, "CONFIG_VALUES", "test command: `npm test`", "Test command: `npm run unit`"],
    [
      true,
      "CONFIG_VALUES",
      "The rate limit is 5 requests per second",
      "The rate limit is 9 requests per second",
    ],
    [
      false,
      "CONFIG_VALUES",
      "The rate limit is 5 requests per second",
      "The rate limit is 9 requests per day",
    ],
    [false, "CONFIG_VALUES", "The budget is 5 seconds per request.", "The budget is 9 minutes per day."],
    [false, "CONFIG_VALUES", "The limit is 5 requests.", "The limit is 10 minutes."],
    [false, "CONFIG_VALUES", "The port is 4000 on macOS.", "The port is 5000 on Linux."],
    [false, "CONFIG_VALUES", "The target is staging for branches", "The target is production for main"],
    [true, "NAMING", "The HTTP class is called Server.", "The HTTP class is called Listener."],
    [false, "NAMING", "A helper is called makeA.", "A helper is called makeB."],
    [true, "PROJECT_RULES", "Use tabs for indentation.", "Never use tabs for indentation."],
    [true, "CONSTRAINTS", "Releases are made on Friday.", "Releases are never made on Friday."],
    [true, "PROJECT_RULES", "Always run the linter.", "Do not run the linter."],
    [false, "PROJECT_RULES", "Always run the linter.", "Run the linter."],
    [false, "PROJECT_RULES", "Never use tabs.", "Never use spaces."],
    [false, "PROJECT_RULES", "Use tabs in Go.", "Never use tabs in C."],
    [true, "PROJECT_RULES", "The dev port is 4000.", "The dev port is 5000."],
    [true, "ARCHITECTURE", "The dev port is 4000.", "The dev port is not 4000."],
    [true, "CONFIG_VALUES", "The cache is on.", "The cache is not on."],
    [false, "CONFIG_VALUES", "The dev port is 5000.", "The dev port is not 4000."],
    [false, "CONFIG_VALUES", "The dev port is not 5000.", "The dev port is not 4000."],
    [false, "ARCHITECTURE", "The server is stateless.", "The server is fast."],
    [false, "PROJECT_RULES", "Run: `npm test`", "Run: `npm run lint`"],
    [true, "CONSTRAINTS", "Node 20 is needed.", "Node 22 is needed."],
    [true, "CONSTRAINTS", "Node 20 is needed.", "Node 20 is not needed."],
    [false, "CONSTRAINTS", "Node 22 is needed.", "Node 20 is not needed."],
    [true, "ARCHITECTURE", "Version 1.2.3 is current.", "Version 1.2.3 is not current."],
    [true, "CONFIG_VALUES", "Node 20 is needed.", "Node 22 is needed."],
    [true, "CONSTRAINTS", "The build needs Node.js 20.", "The build needs Node.js 22."],
    [true, "CONSTRAINTS", "Python 3.11 is required for the tools.", "Python 3.12 is required for the tools."],
    [false, "CONSTRAINTS", "Python 3.11 is required for the tools.", "Python 3.12 is required for the docs."],
    [false, "CONSTRAINTS", "Node 20 is supported.", "Node 22 is supported."],
    [false, "CONSTRAINTS", "Port 3000 is needed.", "Port 3001 is needed."],
    [false, "CONSTRAINTS", "Node 20 is needed.", "Python 3 is needed."],
    [true, "ARCHITECTURE", "Version 1.2.3 is current.", "Version 1.2.4 is current."],
    [true, "ARCHITECTURE", "Release v7 is the latest one.", "Release v8 is the latest one."],
    [false, "ARCHITECTURE", "Version 1.2.3 is broken.", "Version 1.2.4 is broken."],
    [false, "ARCHITECTURE", "Version 1.2.3 is current.", "Version 1.2.4 is the latest."],
    [true, "CONSTRAINTS", "Max 3 retries and 5 workers.", "Max 4 retries and 5 workers."],
    [true, "CONSTRAINTS", "Max 3 retries and 5 workers.", "Max 3 retries and 6 workers."],
    [true, "CONFIG_VALUES", "Send at most 5 requests per second.", "Send at most 9 requests per second."],
    [false, "CONFIG_VALUES", "Send at most 5 requests per second.", "Send at most 9 requests per day."],
    [false, "CONSTRAINTS", "Max 3 retries for job 1.", "Max 4 retries for job 2."],
    [false, "CONSTRAINTS", "Max 3 retries and 5 workers.", "Max 4 retries and 5 queues."],
    [false, "CONSTRAINTS", "At most 3 retries are not enough.", "At most 5 retries are not enough."],
    [false, "CONSTRAINTS", "Server 1 is in Paris.", "Server 2 is in Paris."],
  ]
  for (const [isSo, category, a, b] of pairs)
    test(`[MM1] "${a}" and "${b}" ${isSo ? "contradict each other" : "hold beside each other"}`, () =>
      expect(bothWays({ category, text: a }, { category, text: b })).toEqual([isSo, isSo]))
})

describe("what was said before", () => {
  test("[MM1] is counted, of whatever category it is said to be this time", () => {
    const { say, active, get } = project()
    say("Tests use a fake clock.", { category: "ARCHITECTURE" })
    for (const by of ["agent", "person"] as const)
      say("tests use a fake clock", { category: "PROJECT_RULES", source: from(by) })
    expect(active()).toEqual(["Tests use a fake clock."])
    expect(get("m1")).toMatchObject({ category: "ARCHITECTURE", seen: 3 })
  })
  test("[MM1] stays archived when an agent says it again in another category", () => {
    const { say, change, active } = project()
    say("Use yarn.", { category: "PROJECT_RULES" })
    change({ change: "archive", memory, reason: null, source: from("person") })
    say("Use yarn.", { category: "CONSTRAINTS" })
    expect(active()).toEqual([])
  })
  test("[MM1] takes the place of nothing: what was to end is named, and nothing is counted", () => {
    const { say, active, get } = project()
    say("Use tabs.", { category: "PROJECT_RULES" })
    say("Use two spaces.", { category: "PROJECT_RULES" })
    const again = say("Use tabs.", { category: "PROJECT_RULES", supersedes: ["m2" as MemoryId] })
    expect(again).toEqual({ kind: "refused", problem: "duplicate", ids: [memory] })
    expect([active().length, get("m1").seen]).toEqual([2, 1])
    expect(say("Use tabs.", { supersedes: [memory] })).toMatchObject({ kind: "facts" })
  })
  test("[MM1] keeps nobody from giving it another category or another end", () => {
    const { say, change, get } = project()
    say("Use tabs.", { category: "PROJECT_RULES" })
    change({ change: "update", memory, category: "CONSTRAINTS", expiresAt: 50, source: from("person") })
    expect(get("m1")).toMatchObject({ category: "CONSTRAINTS", expiresAt: 50 })
  })
})

describe("what has expired", () => {
  const over = { expiresAt: 10 } as const
  test("[MM1] holds again when it is said again, for as long as is said now", () => {
    const { say, get } = project()
    say("The API is frozen.", over, 5)
    say("The API is frozen.", {}, 9)
    expect(get("m1")).toMatchObject({ expiresAt: 10, seen: 2 })
    say("The API is frozen.", { expiresAt: 50 }, 20)
    expect(get("m1")).toMatchObject({ expiresAt: 50, seen: 3, status: "active" })
  })
  test("[MM1] a time that is named for what holds is kept", () => {
    const { say, get } = project()
    say("The API is frozen.", {}, 5)
    say("The API is frozen.", { expiresAt: 50, source: from("person") }, 6)
    expect(get("m1").expiresAt).toBe(50)
  })
  test("[MM1] holds again also where it was archived for its time, and not where somebody decided so", () => {
    const { say, change, active } = project()
    const archive = { change: "archive", reason: null, source: from("dreamer") } as const
    say("The API is frozen.", over, 5)
    say("The demo is soon.", over, 5)
    change({ ...archive, memory: "m2" as MemoryId }, 7)
    change({ ...archive, memory }, 12)
    say("The API is frozen.", {}, 20)
    say("The demo is soon.", {}, 20)
    expect(active()).toEqual(["The API is frozen."])
  })
  test("[MM1] history that tells of the time before does not revive it", () => {
    const { say, get } = project()
    say("The API is frozen.", over, 5)
    say("The API is frozen.", { source: from("historian"), saidAt: 8 }, 20)
    expect(get("m1").expiresAt).toBe(10)
  })
})
