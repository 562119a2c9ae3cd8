/** Two projects of a workspace: what a Session of one sees and changes of the other, and how often it folds (WS1). */
import { afterEach, expect, test } from "vitest"
import { memoryTool, searchTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const call = (session: SessionId, name: string, input: Record<string, unknown>): string => {
  stage.replies.push({ blocks: [{ type: "tool_use", name, input: input as never }] })
  stage.converse(session, "Do it.")
  return stage.facts(session, "call.settled").at(-1)?.outcome.output ?? ""
}
const memory = (session: SessionId, input: Record<string, unknown>) => call(session, "context_memory", input)
const write = (content: string, category: string) => ({ action: "write", content, category })

const sessionIn = (directory: string): SessionId =>
  stage.ask((runtime) => runtime.create({ directory, policy: "settle", onAsk: "wait" })).id
const place = (directory: string) => ({ directory, projectRoot: directory })
const add = (directory: string) =>
  stage.ask((runtime) => runtime.changeWorkspace("shop", { to: "add", location: place(directory) }))
const create = () => stage.ask((runtime) => runtime.changeWorkspace("shop", { to: "create" }))
const folds = (session: SessionId) =>
  stage.facts(session, "pass.applied").filter(({ reason }) => reason === "memory_changed").length
const goOn = (session: SessionId) => {
  for (const text of ["Go on.", "And on."]) stage.converse(session, text)
  return { folds: folds(session), sent: stage.sent.at(-1)?.raw ?? "" }
}

test("[WS1 HB3 MM2] a change of members or categories folds a Session once, and shows what is shared alone", () => {
  stage = new Stage({ tools: [memoryTool] })
  const [web, other] = [sessionIn("/web"), sessionIn("/other")]
  memory(web, write("No network in tests.", "CONSTRAINTS"))
  memory(web, write("A basket is a cart.", "NAMING"))
  memory(other, write("Nobody else's business.", "CONSTRAINTS"))
  const session = sessionIn("/shop")
  expect(goOn(session)).toMatchObject({ folds: 0, sent: expect.not.stringContaining("No network") })
  create()
  add("/web")
  expect(goOn(session).folds).toBe(0)
  add("/shop")
  const joined = goOn(session)
  expect(joined.folds).toBe(1)
  expect(joined.sent.match(/No network in tests\./g)).toHaveLength(1)
  expect(joined.sent).toMatch(/From \/web:\\n\[CONSTRAINTS\] m1@\d+ No network in tests\./)
  expect(joined.sent).not.toMatch(/A basket|Nobody else's/)
  stage.ask((runtime) => runtime.changeWorkspace("shop", { to: "share", categories: ["NAMING"] }))
  const named = goOn(session)
  expect(named.folds).toBe(2)
  expect(named.sent).toContain("A basket is a cart.")
  expect(named.sent).not.toContain("No network")
  stage.ask((runtime) => runtime.changeWorkspace("shop", { to: "delete" }))
  const left = goOn(session)
  expect(left.folds).toBe(3)
  expect(left.sent).not.toContain("A basket")
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[MM3 WS1] an agent changes a partner's memory of a shared category; anything else is refused by its id", () => {
  stage = new Stage({ tools: [memoryTool, searchTool] })
  const [web, other, session] = [sessionIn("/web"), sessionIn("/other"), sessionIn("/shop")]
  memory(web, write("The quokka tests use no network.", "CONSTRAINTS"))
  memory(web, write("The quokka is a cart.", "NAMING"))
  memory(other, write("The quokka is secret.", "CONSTRAINTS"))
  memory(session, write("Use tabs.", "CONSTRAINTS"))
  create()
  add("/web")
  const keyOf = (root: string) => stage.ask((_, store) => store.projects({ root }))[0]?.key ?? 0
  const [theirs, hidden] = [`m1@${keyOf("/web")}`, `m2@${keyOf("/web")}`]
  const change = (id: string, content: string) => memory(session, { action: "update", ids: [id], content })
  expect(change(theirs, "x")).toContain(`This project has no memory ${theirs}.`)
  add("/shop")
  goOn(session)
  memory(web, write("The quokka build needs Java.", "CONSTRAINTS"))
  const answer = call(session, "context_search", { query: "quokka" })
  expect(answer).toContain(`memory m4@${keyOf("/web")} of /web`)
  expect(answer).not.toMatch(/secret|cart|no network/)
  expect(change(theirs, "The quokka tests need Node 24.")).toBe(`Changed memory ${theirs}.`)
  expect(change(hidden, "x")).toContain(`This project has no memory ${hidden}.`)
  expect(change(`m1@${keyOf("/other")}`, "x")).toContain("has no memory m1@")
  expect(memory(session, { action: "update", ids: [theirs], category: "NAMING" })).toContain(
    `${theirs}: the workspace does not share that`,
  )
  expect(memory(session, { action: "merge", ids: [theirs, "m1"], content: "x" })).toContain(
    "different projects",
  )
  const replacing = { ...write("x", "CONSTRAINTS"), ids: [theirs] }
  expect(memory(session, replacing)).toContain(`${theirs} is of another project`)
  const found = (root: string) =>
    stage.ask((_, store) => store.memories(root, { status: "active", limit: 9 })).memories
  expect(found("/web").map(({ text, source, uses }) => [text, source.session, uses])).toEqual([
    ["The quokka tests need Node 24.", session, 0],
    ["The quokka is a cart.", web, 0],
    ["The quokka build needs Java.", web, 1],
  ])
  expect(found("/shop").map(({ text }) => text)).toEqual(["Use tabs."])
})

test("[MM3 WS1] a person opens and changes what a partner shares by the id that windows show; anything else is refused by it", () => {
  stage = new Stage({ tools: [memoryTool] })
  const [web, other, session] = [sessionIn("/web"), sessionIn("/other"), sessionIn("/shop")]
  memory(web, write("No network in tests.", "CONSTRAINTS"))
  memory(web, write("A basket is a cart.", "NAMING"))
  memory(other, write("Nobody else's business.", "CONSTRAINTS"))
  memory(session, write("Use tabs.", "CONSTRAINTS"))
  create()
  for (const directory of ["/web", "/shop"]) add(directory)
  const keyOf = (root: string) => stage.ask((_, store) => store.projects({ root }))[0]?.key ?? 0
  const [theirs, hidden] = [`m1@${keyOf("/web")}`, `m2@${keyOf("/web")}`]
  const [strange, own] = [`m1@${keyOf("/other")}`, `m1@${keyOf("/shop")}`]
  const shop = place("/shop")
  expect(stage.ask((runtime) => runtime.memoryDetail(shop, theirs))).toMatchObject({
    memory: { id: "m1", text: "No network in tests." },
    history: [{ change: "written", place: { session: web } }],
    project: "/web",
  })
  expect(stage.ask((runtime) => runtime.memoryDetail(shop, own))).toEqual(
    stage.ask((runtime) => runtime.memoryDetail(shop, "m1")),
  )
  const archive = (id: string) => ({ change: "archive" as const, memory: id, reason: null })
  const before = stage.ask((_, store) => store.projects({ root: "/web" }))[0]
  for (const id of [hidden, strange, "m1@999", `m9@${keyOf("/web")}`]) {
    const refused = { _tag: "MemoryNotFound", memory: id, message: expect.stringContaining(id) }
    expect(stage.failure((runtime) => runtime.memoryDetail(shop, id))).toMatchObject(refused)
    expect(stage.failure((runtime) => runtime.changeMemory(shop, archive(id)))).toMatchObject(refused)
  }
  const moved = { change: "update", memory: theirs, category: "NAMING" } as const
  expect(stage.failure((runtime) => runtime.changeMemory(shop, moved))).toMatchObject({
    _tag: "MemoryRefused",
    code: "unshared",
    ids: [theirs],
  })
  const merged = { change: "merge", from: [theirs, "m1"], text: "x", category: null } as const
  expect(stage.failure((runtime) => runtime.changeMemory(shop, merged))).toMatchObject({
    _tag: "InvalidId",
    message: expect.stringContaining(`${theirs}, m1 are of several projects`),
  })
  const replacing = { change: "write", category: "NAMING", text: "x", expiresAt: null } as const
  expect(
    stage.failure((runtime) => runtime.changeMemory(shop, { ...replacing, supersedes: [theirs] })),
  ).toMatchObject({ _tag: "MemoryNotFound", memory: theirs })
  expect(stage.ask((_, store) => store.projects({ root: "/web" }))[0]).toEqual(before)
  expect(stage.ask((runtime) => runtime.changeMemory(shop, archive(theirs)))).toMatchObject({
    id: "m1",
    status: "archived",
  })
  expect(
    stage.ask((_, store) => store.memories("/web", { status: "active", limit: 9 })).memories,
  ).toHaveLength(1)
  expect(
    stage.ask((_, store) => store.memories("/shop", { status: "active", limit: 9 })).memories,
  ).toHaveLength(1)
})
