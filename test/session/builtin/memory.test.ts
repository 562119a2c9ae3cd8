/** What one Session writes of its project, and what the next one reads of it. */
import { afterEach, expect, test } from "vitest"
import { memoryTool, noteTool, searchTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import type { MemoryId } from "@holdfast/schema/memory/memory"
import type { SmartNoteId } from "@holdfast/schema/memory/note"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const calls = (session: SessionId, input: Record<string, unknown>): string => {
  stage.replies.push({ blocks: [{ type: "tool_use", name: "context_memory", input: input as never }] })
  stage.converse(session, "Remember it.")
  const { outcome } = stage.facts(session, "call.settled").at(-1) ?? {}
  return outcome === undefined ? "" : outcome.output
}

const write = (content: string, category = "PROJECT_RULES") => ({ action: "write", content, category })

test("[MM1 HB2] what a Session wrote stands in the first request of the next one, with its source", () => {
  stage = new Stage({ tools: [memoryTool] })
  const first = stage.create()
  expect(calls(first, write("Use tabs."))).toBe("Saved memory m1 in PROJECT_RULES.")
  expect(calls(first, write("use  tabs"))).toContain("says the same already")
  expect(stage.sent.at(-1)?.raw).not.toContain("m1 Use tabs.")
  const second = stage.create()
  stage.converse(second, "Hello")
  expect(stage.sent.at(-1)?.raw.match(/m1 Use tabs\./g)).toHaveLength(1)
  const root = stage.ask((_, store) => store.session(first))?.location.projectRoot ?? ""
  const found = stage.ask((_, store) => store.memory(root, "m1" as MemoryId))
  expect(found?.source).toMatchObject({ by: "agent", session: first })
  expect(found?.source.messages).toHaveLength(1)
  expect(stage.verdicts(second).every((verdict) => verdict === "same")).toBe(true)
})

test("[MM3 TL4] a change of what is not there is refused by its id, and only the dreamer lists", () => {
  stage = new Stage({ tools: [memoryTool] })
  const session = stage.create()
  expect(calls(session, { action: "archive", ids: ["m7"] })).toContain("This project has no memory m7.")
  expect(calls(session, { action: "list" })).toContain("Only the dreamer lists")
  expect(calls(session, { action: "merge", ids: ["m7", "m7"], content: "x" })).toContain("at least two ids")
  expect(stage.facts(session, "turn.settled").some(({ status }) => status === "failed")).toBe(false)
})

test("[TL4 MM1] what is blank is no memory and no note", () => {
  stage = new Stage({ tools: [memoryTool, noteTool] })
  const session = stage.create()
  expect(calls(session, write(" \n"))).toContain("not blank")
  stage.replies.push({
    blocks: [{ type: "tool_use", name: "context_note", input: { action: "write", text: "  " } }],
  })
  stage.converse(session, "Note it.")
  expect(stage.facts(session, "call.settled").at(-1)?.outcome.output).toContain("not blank")
})

test("[HB2 MM1] of more memories than a window looks at the newest are shown", () => {
  stage = new Stage()
  const { location } = stage.ask((_, store) => store.session(stage.create())) ?? {}
  const project = { root: location?.projectRoot ?? "", origin: null }
  const changes = Array.from({ length: 1_001 }, (_, at) => ({
    change: "write" as const,
    category: "PROJECT_RULES" as const,
    text: `Rule ${at + 1} holds.`,
    source: { by: "agent" as const, session: null, messages: [] },
    expiresAt: null,
    supersedes: [],
  }))
  stage.ask((_, store) => store.commit({ kind: "change-memory", project, time: 1, changes }))
  stage.converse(stage.create(), "Hello")
  expect(stage.sent.at(-1)?.raw).toContain("Rule 1001 holds.")
})

test("[NT1 FA2] a note that is due is told once, and one that cannot be told delays no prompt", () => {
  stage = new Stage({})
  const session = stage.create()
  const { projectRoot: root } = stage.ask((_, store) => store.session(session))?.location ?? {
    projectRoot: "",
  }
  const source = { by: "person", session: null, messages: [] } as const
  const changes = [{ change: "write", text: "Renew the certificate.", condition: null, source } as const]
  const project = { root, origin: null }
  stage.ask((_, store) => store.commit({ kind: "change-notes", project, time: 5_000, changes }))
  stage.refuses = ({ kind }) => kind === "surface-notes"
  expect(stage.converse(session, "Hello")).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.raw).not.toContain("Renew the certificate.")
  stage.refuses = () => false
  stage.converse(session, "Hello again")
  stage.converse(session, "And again")
  expect(stage.sent.at(-1)?.raw.match(/Renew the certificate\./g)).toHaveLength(1)
})

const edited = (text: string) => ({ change: "update", memory: "m1", text }) as const

test("[HB3 MM1] an edit from outside folds each Session that shows it once; what is added or its own does not", () => {
  stage = new Stage({ tools: [memoryTool] })
  const teacher = stage.create()
  calls(teacher, write("Use tabs."))
  const session = stage.create()
  const folds = () =>
    stage
      .facts(session, "pass.applied")
      .flatMap(({ reason }) => (reason === "memory_changed" ? [reason] : []))
  stage.converse(session, "Hello")
  const { location } = stage.ask((_, store) => store.session(session)) ?? {}
  if (location === undefined) throw new Error("the Session is there")
  calls(teacher, { action: "update", ids: ["m1"], content: "Use two spaces." })
  stage.ask((runtime) =>
    runtime.changeMemory(location, {
      change: "write",
      category: "NAMING",
      text: "A case is a ticket.",
      expiresAt: null,
      supersedes: [],
    }),
  )
  stage.converse(session, "And now?")
  expect(folds()).toEqual([])
  stage.ask((runtime) => runtime.changeMemory(location, edited("Use four spaces.")))
  for (const text of ["Go on.", "And on.", "And on."]) stage.converse(session, text)
  expect(folds()).toEqual(["memory_changed"])
  expect(stage.sent.at(-1)?.raw).toContain("m1 Use four spaces.")
  expect(stage.sent.at(-1)?.raw).not.toContain("Use two spaces.")
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[MM1] a person sees every change of a memory, with the message that it came from", () => {
  stage = new Stage({ tools: [memoryTool] })
  const session = stage.create()
  calls(session, write("Use tabs."))
  const { location } = stage.ask((_, store) => store.session(session)) ?? {}
  if (location === undefined) throw new Error("the Session is there")
  stage.ask((runtime) => runtime.changeMemory(location, edited("Use spaces.")))
  const { memory, history } = stage.ask((runtime) => runtime.memoryDetail(location, "m1"))
  expect(memory).toMatchObject({ text: "Use spaces.", source: { by: "person" }, seen: 1, uses: 0 })
  expect(history).toMatchObject([
    {
      change: "written",
      by: "agent",
      text: "Use tabs.",
      place: { session, exists: true, messages: [expect.any(Number)] },
    },
    { change: "updated", by: "person", text: "Use spaces.", place: null },
  ])
})

test("[NT1] a note of the project that is ready is told to the Session that is spoken to next, once", () => {
  stage = new Stage({ tools: [] })
  const [first, second] = [stage.create(), stage.create()]
  const { location } = stage.ask((_, store) => store.session(first)) ?? {}
  if (location === undefined) throw new Error("the Session is there")
  const due = { change: "write", text: "Remove the flag.", condition: "It is released." } as const
  stage.ask((runtime) => runtime.changeProjectNote(location, due))
  stage.converse(first, "Hello")
  expect(stage.sent.at(-1)?.raw).not.toContain("Remove the flag.")
  const source = { by: "dreamer", session: null, messages: [] } as const
  stage.ask((_, store) =>
    store.commit({
      kind: "change-notes",
      project: { root: location.projectRoot, origin: null },
      time: 1,
      changes: [{ change: "ready", note: "s1" as SmartNoteId, reason: "Version 2 is out.", source }],
    }),
  )
  stage.converse(second, "Hello")
  expect(stage.sent.at(-1)?.raw).toContain("Remove the flag.")
  stage.converse(first, "And here?")
  expect(stage.sent.at(-1)?.raw).not.toContain("Remove the flag.")
  expect(stage.ask((runtime) => runtime.projectNotes(location, { limit: 9 }))).toMatchObject([
    { status: "surfaced", surfacedIn: second, reason: "Version 2 is out." },
  ])
})

test("[MM1 HB3] a directory that shares another's memory, or parts with it, folds each of its Sessions once", () => {
  stage = new Stage({ tools: [memoryTool] })
  const session = stage.create()
  calls(session, write("Use tabs."))
  const next = stage.create()
  stage.converse(next, "Hello")
  const root = stage.ask((_, store) => store.session(session))?.location.projectRoot ?? ""
  const source = { by: "person", session: null, messages: [] } as const
  const rule = { category: "PROJECT_RULES", expiresAt: null, supersedes: [], source } as const
  stage.ask((_, store) =>
    store.commit({
      kind: "change-memory",
      project: { root: "/original", origin: null },
      time: 1,
      changes: [{ change: "write", text: "Commit in English.", ...rule }],
    }),
  )
  const folds = () => stage.facts(next, "pass.applied").filter(({ reason }) => reason === "memory_changed")
  const settle = (shares: string | null) =>
    stage.ask((_, store) => store.commit({ kind: "settle-project", root, shares, time: 2 }))
  settle("/original")
  stage.converse(next, "And now?")
  stage.converse(next, "And now?")
  expect(folds()).toHaveLength(1)
  expect(stage.sent.at(-1)?.raw).toContain("Commit in English.")
  settle(null)
  stage.converse(next, "And now?")
  stage.converse(next, "And now?")
  expect(folds()).toHaveLength(2)
  expect(stage.sent.at(-1)?.raw).toContain("Commit in English.")
  expect(stage.verdicts(next).every((verdict) => verdict === "same")).toBe(true)
})

test("[NT1 TL4] a note with a condition is one of the project, and nobody's words are told before it is true", () => {
  stage = new Stage({ tools: [noteTool] })
  const session = stage.create()
  const noted = (input: Record<string, unknown>): string => {
    stage.replies.push({ blocks: [{ type: "tool_use", name: "context_note", input: input as never }] })
    stage.converse(session, "Note it.")
    return stage.facts(session, "call.settled").at(-1)?.outcome.output ?? ""
  }
  const due = { action: "write", text: "Drop the column.", condition: "All clients are updated." }
  expect(noted(due)).toBe("Noted for the project as s1; it is waiting.")
  expect(noted(due)).toBe("Noted for the project as s1; it is waiting.")
  expect(noted({ action: "read" })).toBe("There are no open notes.")
  expect(noted({ action: "dismiss", note: "s9" })).toContain("no note s9")
  const { location } = stage.ask((_, store) => store.session(session)) ?? {}
  if (location === undefined) throw new Error("the Session is there")
  expect(stage.ask((runtime) => runtime.projectNotes(location, { limit: 9 }))).toMatchObject([
    { id: "s1", status: "waiting", by: "agent", place: { session, messages: [expect.any(Number)] } },
  ])
})

test("[MM1 SE1] a search that tells a model of a memory counts as a use, and one that is shown already is not found", () => {
  stage = new Stage({ tools: [memoryTool, searchTool] })
  const old = stage.create()
  stage.converse(old, "Hello")
  const teacher = stage.create()
  calls(teacher, write("The quokka build needs tabs."))
  const finds = (session: SessionId): string => {
    const input = { query: "quokka build" }
    stage.replies.push({ blocks: [{ type: "tool_use", name: "context_search", input }] })
    stage.converse(session, "Search it.")
    return stage.facts(session, "call.settled").at(-1)?.outcome.output ?? ""
  }
  const uses = () => {
    const root = stage.ask((_, store) => store.session(old))?.location.projectRoot ?? ""
    return stage.ask((_, store) => store.memory(root, "m1" as MemoryId))?.uses
  }
  expect(finds(old)).toContain("m1")
  expect(uses()).toBe(1)
  const fresh = stage.create()
  stage.converse(fresh, "Hello")
  expect(finds(fresh)).not.toMatch(/memory m1/)
  expect(uses()).toBe(1)
})
