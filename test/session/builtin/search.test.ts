/** A Session that looks for what was said: in itself, in others of its project, and in no other project. */
import { afterEach, expect, test } from "vitest"
import { expandTool, reduceTool, searchTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
afterEach(() => stage.close())

function call(session: SessionId, name: string, input: Readonly<Record<string, string>>): string {
  stage.replies.push({ blocks: [{ type: "tool_use", name, input }] })
  stage.converse(session, "Look it up.")
  return stage.facts(session, "call.settled").at(-1)?.outcome.output ?? ""
}

const searches = (session: SessionId, query: string) => call(session, "context_search", { query })

test("[SE1 TL4] context_search finds another Session of the project, and context_expand opens it", () => {
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool, searchTool] })
  const [first, second] = [stage.create(), stage.create()]
  stage.converse(first, "The canary sings at 4711.")
  const found = searches(second, "canary sings")
  const [, part = "", session = ""] = /part (\S+) of session (\S+),/.exec(found) ?? []
  expect(session).toBe(first)
  expect(found).toContain("the user")
  expect(call(second, "context_expand", { part, session })).toContain("The canary sings at 4711.")
  expect(call(second, "context_expand", { part, session: "ses_none" })).toContain("none of this project")
})

test("[SE1] context_search leaves out what the window shows, and says so plainly if that is all", () => {
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool, searchTool] })
  const session = stage.create()
  stage.converse(session, "The canary sings at 4711.")
  expect(searches(session, "canary 4711")).toBe("Nothing was found. Try other words, or fewer.")
})

test("[MM2] what a search put out is nobody's words: it is not found again", () => {
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool, searchTool] })
  const [first, second, third] = [stage.create(), stage.create(), stage.create()]
  stage.converse(first, "The canary sings at 4711.")
  searches(second, "canary sings")
  const found = searches(third, "canary sings")
  expect(found).toContain(first)
  expect(found).not.toContain(second)
})

test("[SE1 MM2] neither tool reaches a Session of another project", () => {
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool, searchTool] })
  const here = stage.create()
  const elsewhere = stage.ask((runtime) => runtime.create({ directory: "/sim/elsewhere" })).id
  stage.converse(elsewhere, "The canary sings at 4711.")
  expect(searches(here, "canary sings")).toBe("Nothing was found. Try other words, or fewer.")
  const [message] = stage.ask((_, store) =>
    store.messages(elsewhere, { afterSeq: 0, limit: 1, system: false }),
  )
  const refused = call(here, "context_expand", { part: `#${message?.seq}`, session: elsewhere })
  expect(refused).toContain("none of this project")
  expect(refused).not.toContain("canary")
})

const canary = "The canary sings at 4711."

/** The part that the search named, as it is read there. */
function opens(session: SessionId, query: string): string {
  const found = searches(session, query)
  const [, part = ""] = /part (\S+), output of a tool/.exec(found) ?? []
  return call(session, "context_expand", { part })
}

test("[TG4 TL4] what was dropped in the window is found by a search and opened; what stands beside it is not", () => {
  const sings = workTool(() => {}, { text: canary, output: "" })
  stage = new Stage({ contextTokens: 200_000, tools: [sings, expandTool, reduceTool, searchTool] })
  const session = stage.create()
  for (let n = 0; n < 21; n++)
    stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: { n } }] })
  stage.converse(session, "Work.")
  const first = stage
    .events(session)
    .find(({ fact }) => fact.type === "part.recorded" && fact.part.type === "call")?.seq
  expect(searches(session, "canary sings")).toBe("Nothing was found. Try other words, or fewer.")
  call(session, "context_reduce", { drop: `${first}` })
  stage.ask((runtime) => runtime.flush(session))
  stage.converse(session, "Go on.")
  expect(stage.sent.at(-1)?.raw).toContain(`[dropped §${first}§]`)
  expect(searches(session, "canary sings").match(/output of a tool/g)).toHaveLength(1)
  expect(opens(session, "canary sings")).toContain(canary)
})

test("[DK1 TG4 TL4] what a compartment stands for is found and opened, shown whole, decayed or archived", () => {
  const sings = workTool(() => {}, { text: `${"line\n".repeat(200)}${canary}`, output: "" })
  stage = new Stage({ contextTokens: 12_000, tools: [sings, expandTool, searchTool] })
  const session = stage.create()
  call(session, "work", {})
  const first = () => {
    const { compartments = [] } = stage.ask((runtime) => runtime.request(session))
    return compartments.find(({ fromSeq }) => fromSeq === 1)
  }
  const talksUntil = (isSo: () => boolean) => {
    for (let n = 0; n < 40 && !isSo(); n++)
      stage.converse(session, `Prompt ${n} about ${"many words ".repeat(1_000)}`)
    expect(isSo()).toBe(true)
    expect(stage.sent.at(-1)?.raw).not.toContain(canary)
    expect(opens(session, "canary sings")).toContain(canary)
  }
  talksUntil(() => first() !== undefined)
  // What the user said keeps it in the window, in fewest words; else it is archived or hidden.
  talksUntil(() => (first()?.tier ?? 4) >= 3 || first()?.archived === true || first()?.place === "hidden")
})
