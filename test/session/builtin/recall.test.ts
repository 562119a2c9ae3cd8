/** A long Session and its own history: what a cut leaves on record, and how the model reads it back. */
import { afterEach, expect, test } from "vitest"
import { expandTool, noteTool, statusTool } from "@holdfast/core/tools/index"
import { isArchive, tokensAsCounted } from "@holdfast/recall"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
afterEach(() => stage.close())

const secret = "The canary sings at 4711."
const long = (mark: string, chars: number) => `${mark} ${"word ".repeat(chars / 5)}`

function cutSession(): SessionId {
  const work = workTool(() => {}, { text: `${"line\n".repeat(500)}${secret}` })
  stage = new Stage({ contextTokens: 20_000, tools: [work, expandTool, statusTool] })
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: { path: "src/canary.ts" } }] })
  stage.converse(session, "Never wake the canary.")
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  return session
}

const expands = (session: SessionId, part: string, offset?: number): string => {
  const input = offset === undefined ? { part } : { part, offset }
  stage.replies.push({ blocks: [{ type: "tool_use", name: "context_expand", input }] })
  stage.converse(session, `Expand ${part}`)
  return stage.facts(session, "call.settled").at(-1)?.outcome.output ?? ""
}

const publishedBy = (session: SessionId) => stage.facts(session, "history.published")

test("[TU6 HB4 HI1] a cut publishes what it takes out, with the pass, and shows it", () => {
  const session = cutSession()
  const facts = stage.events(session)
  const at = facts.findIndex(({ fact }) => fact.type === "history.published")
  expect(facts[at + 1]?.fact.type).toBe("pass.applied")
  const [published] = publishedBy(session)
  expect(published).toMatchObject({ by: "extractive", fromSeq: 1, replaces: [], job: null })
  expect(published?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  const sent = stage.sent.at(-1)?.raw ?? ""
  expect(sent).toContain('\\"Never wake the canary.\\"')
  expect(sent).toContain("F src/ canary.ts edited")
  expect(sent).toContain("Call context_expand with a part")
  expect(sent).not.toContain(secret)
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[TL4 TG4] context_expand reads back what was cut, by part and by message, over a restart", () => {
  const session = cutSession()
  const [{ compartments: [first] = [] } = {}] = publishedBy(session)
  stage.restart()
  expect(expands(session, first?.id ?? "")).toContain(secret)
  const answers = stage.ask((_, store) => store.messages(session, { afterSeq: 0, limit: 9, system: false }))
  const [asked, answer] = answers
  expect(expands(session, `#${asked?.seq}`)).toBe(`#${asked?.seq} the user\nNever wake the canary.`)
  expect(expands(session, `${answer?.seq}`)).toMatch(/you\n\[work \{"path":"src\/canary.ts"\}: done\]\nline/)
})

test("[TL4] context_expand goes page by page through what is too long for one", () => {
  const session = cutSession()
  const all = stage.ask((_, store) => store.messages(session, { afterSeq: 0, limit: 99, system: false }))
  const range = `#${all[0]?.seq}-#${all.at(-1)?.seq}`
  const further = /call context_expand with part "([^"]+)"(?: and offset (\d+))?\]$/
  const pages = [expands(session, range)]
  for (let next = further.exec(pages[0] ?? ""); next !== null && pages.length < 20;) {
    const [, part = "", offset] = next
    const page = expands(session, part, offset === undefined ? undefined : Number(offset))
    pages.push(page)
    next = further.exec(page)
  }
  expect(pages.length).toBeGreaterThan(2)
  for (const page of pages) expect(Buffer.byteLength(page)).toBeLessThan(30 * 1_024)
  for (let n = 0; n < 6; n++) expect(pages.join("\n")).toContain(`Prompt ${n}`)
})

test("[TL4] a part that there is not is answered with what to do; another Session's history is not read", () => {
  const session = cutSession()
  expect(expands(session, "the beginning")).toMatch(/is no part\. Give one such as c12-310/)
  const other = stage.create()
  stage.converse(other, "Hello")
  expect(expands(other, "#1-#3")).toMatch(/No message of this conversation lies in #1-#3/)
  expect(stage.turns(other).at(-1)?.settled?.status).toBe("done")
})

test("[TL4] context_status tells the window, its use, the way to the next cut, and the parts", () => {
  const session = cutSession()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "context_status", input: {} }] })
  stage.converse(session, "How full is it?")
  const { output = "" } = stage.facts(session, "call.settled").at(-1)?.outcome ?? {}
  expect(output).toMatch(/^sim\/script takes 20000 tokens, \d+ of them kept free/)
  expect(output).toMatch(
    /This request has about \d+ tokens, \d+ % of what may be sent\.\nAbout \d+ tokens more/,
  )
  expect(output).toMatch(/stand for what is not shown: c1-\d+ Never wake the canary\./)
})

test("[TL4 DK1] context_status calls archived what has aged past the last tier", () => {
  const session = cutSession()
  const archives = () => publishedBy(session).flatMap((one) => one.compartments.filter(isArchive))
  for (let n = 6; n < 100 && archives().length === 0; n++)
    stage.converse(session, long(`Prompt ${n}`, 14_000))
  stage.replies.push({ blocks: [{ type: "tool_use", name: "context_status", input: {} }] })
  stage.converse(session, "How full is it?")
  const { output = "" } = stage.facts(session, "call.settled").at(-1)?.outcome ?? {}
  expect(archives()).toHaveLength(1)
  expect(output.match(/archived/g)).toHaveLength(1)
  for (const { id, title } of archives()) expect(output).toContain(`${id} ${title} (archived); `)
})

test("[TL4 SU2] context_status counts as the provider did, as the screens of people do", () => {
  const session = cutSession()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "context_status", input: {} }] })
  stage.converse(session, "How full is it?")
  const turns = stage.turns(session)
  const asked = turns.at(-2)
  const taken = turns.at(-3)?.settled?.ledger.attempts.at(-1)?.usage
  const reported = (taken?.input ?? 0) + (taken?.cacheRead ?? 0) + (taken?.cacheWrite ?? 0)
  const estimated = turns.at(-3)?.started.request.tokensEstimated ?? 0
  expect(reported).not.toBe(estimated)
  const { output = "" } = stage.facts(session, "call.settled").at(-1)?.outcome ?? {}
  const used = tokensAsCounted(asked?.started.request.tokensEstimated ?? 0, { reported, estimated })
  expect(output).toContain(`This request has about ${used} tokens`)
})

test("[TU6 HI1] a cut that somebody asks for leaves compartments, too", () => {
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool] })
  const session = stage.create()
  for (let n = 0; n < 3; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  stage.ask((runtime) => runtime.fold(session))
  stage.converse(session, "Short")
  expect(publishedBy(session)).toHaveLength(1)
  expect(stage.sent.at(-1)?.raw).toContain("## c1-")
})

test("[NT1 TL4] notes are written, read, updated and dismissed, and outlive a restart and a cut", () => {
  stage = new Stage({ contextTokens: 20_000, tools: [noteTool] })
  const session = stage.create()
  const notes = (input: Record<string, string>): string => {
    stage.replies.push({ blocks: [{ type: "tool_use", name: "context_note", input }] })
    stage.converse(session, "Go on")
    return stage.facts(session, "call.settled").at(-1)?.outcome.output ?? ""
  }
  expect(notes({ action: "read" })).toBe("There are no open notes.")
  const [, note = ""] = /^Noted as (n\d+)\.$/.exec(notes({ action: "write", text: "Mend the cage." })) ?? []
  const [written] = stage.facts(session, "note.written")
  const answers = stage.turns(session).map(({ started }) => started.message)
  expect(written).toMatchObject({ note, text: "Mend the cage.", condition: null })
  expect(answers).toContain(written?.anchor)
  expect(notes({ action: "update", note, text: "Mend the cage today." })).toBe(`${note} says that now.`)
  for (let n = 0; n < 6; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  stage.restart()
  expect(notes({ action: "read" })).toMatch(/^n\d+ \(written at #\d+\): Mend the cage today\.$/)
  expect(notes({ action: "dismiss", note })).toBe(`${note} is dismissed.`)
  expect(notes({ action: "dismiss", note })).toBe(`${note} is no open note. There are none.`)
  expect(notes({ action: "write" })).toBe("A note needs a text.")
  expect(stage.turns(session).at(-1)?.settled?.status).toBe("done")
})
