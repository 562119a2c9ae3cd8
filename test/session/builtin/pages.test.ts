/** What the model reads again with `context_expand` in a small window: each page stands in the request that follows. */
import { afterEach, describe, expect, test } from "vitest"
import { expandTool, noteTool, reduceTool, statusTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
afterEach(() => stage.close())

const rounds = 24
const lines = Array.from({ length: 150 }, (_, at) => `entry ${at} "loaf"\tpaid`).join("\n")

/** A Session of which most has left the window, and the range of its messages. */
function longSession(contextTokens: number) {
  const work = workTool(() => {}, { text: lines })
  stage = new Stage({ contextTokens, tools: [work, expandTool, statusTool, reduceTool, noteTool] })
  const session = stage.create()
  for (let n = 0; n < rounds; n++) {
    stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: { n } }] })
    stage.converse(session, `Prompt ${n}: ${"read the ledger again ".repeat(12)}`)
  }
  const all = stage.ask((_, store) => store.messages(session, { afterSeq: 0, limit: 999, system: false }))
  return { session, part: `#${all[0]?.seq}-#${all.at(-1)?.seq}` }
}

type From = readonly [part: string, offset?: number]

const asking = (...pages: readonly From[]) => ({
  blocks: pages.map(([part, offset]) => ({
    type: "tool_use" as const,
    name: "context_expand",
    input: offset === undefined ? { part } : { part, offset },
  })),
})

/** As the last page says. */
function further(session: SessionId): From | null {
  const said = /\n\n\[more: call context_expand with part "([^"]+)"(?: and offset (\d+))?\]$/
  const [, part, offset] = said.exec(outputs(session).at(-1) ?? "") ?? []
  if (part === undefined) return null
  return offset === undefined ? [part] : [part, Number(offset)]
}

const outputs = (session: SessionId) =>
  stage.facts(session, "call.settled").map(({ outcome }) => outcome.output)

const results = () => stage.sent.at(-1)?.lines.filter((line) => line.startsWith("result: ")) ?? []

const pagesMax = 60

test("[TL4 TG4] of a range of more messages than are read at once each stands on one page, in their order", () => {
  stage = new Stage({ contextTokens: 400_000, tools: [expandTool] })
  const session = stage.create()
  for (let n = 0; n < 105; n++) stage.converse(session, `Prompt ${n}: ${"read the ledger again ".repeat(30)}`)
  const all = stage.ask((_, store) => store.messages(session, { afterSeq: 0, limit: 999, system: false }))
  expect(all.length).toBeGreaterThan(200)
  const read: number[] = []
  let next: From | null = [`#${all[0]?.seq}-#${all.at(-1)?.seq}`]
  while (next !== null && read.length < 2 * all.length) {
    stage.replies.push(asking(next))
    stage.converse(session, "Read on.")
    const page = outputs(session).at(-1) ?? ""
    read.push(...[...page.matchAll(/^#(\d+) (?:the user|you)/gm)].map(([, seq]) => Number(seq)))
    next = further(session)
  }
  // A message that is cut begins two pages.
  expect([...new Set(read)]).toEqual(all.map(({ seq }) => seq))
  expect(read).toEqual(read.toSorted((a, b) => a - b))
})

test("[TL4 MM2] a long message of another Session is read to its end", () => {
  stage = new Stage({ contextTokens: 200_000, tools: [expandTool] })
  const words = Array.from({ length: 9_000 }, (_, at) => `word${at}`).join(" ")
  const other = stage.create()
  stage.converse(other, words)
  const [message] = stage.ask((_, store) => store.messages(other, { afterSeq: 0, limit: 1, system: false }))
  const session = stage.create()
  const bodies: string[] = []
  for (let offset: number | undefined = 0; offset !== undefined && bodies.length < 5;) {
    const input = { part: `#${message?.seq}`, session: other, ...(offset > 0 && { offset }) }
    stage.replies.push({ blocks: [{ type: "tool_use", name: "context_expand", input }] })
    stage.converse(session, "Read it.")
    const page = outputs(session).at(-1) ?? ""
    const more = /\n\n\[more: [^\n]*offset (\d+)[^\n]*\]$/.exec(page)
    bodies.push(page.slice(page.indexOf("\n") + 1, more?.index ?? page.length))
    offset = more === null ? undefined : Number(more[1])
  }
  expect(bodies.length).toBeGreaterThan(1)
  expect(bodies.join("")).toBe(words)
})

describe.each([8_000, 16_000, 32_000])("in a window of %i tokens", (contextTokens) => {
  test("[TL4 TG4] the model reads a long range to its end, each page in its next request", () => {
    const { session, part } = longSession(contextTokens)
    let pages = 0
    for (let next: From | null = [part]; next !== null && pages < pagesMax; next = further(session)) {
      stage.replies.push(asking(next))
      expect(stage.converse(session, `Read ${next.join(" ")}`)).toEqual({ kind: "done" })
      const page = outputs(session).at(-1) ?? ""
      expect(results().at(-1)).toContain(page)
      expect(Buffer.byteLength(page)).toBeGreaterThan(2_000)
      pages += 1
    }
    expect(further(session)).toBeNull()
    expect(pages).toBeGreaterThan(2)
  })

  test("[TL4 TG4] page after page in one prompt, and two of them at once, stand in the request after each", () => {
    const { session, part } = longSession(contextTokens)
    const [sentBefore, pagesBefore] = [stage.sent.length, outputs(session).length]
    const reads = (next: () => readonly From[]) => ({
      get blocks() {
        return asking(...next()).blocks
      },
    })
    const on = () => [further(session) ?? [part]] as const
    stage.replies.push(
      reads(() => [[part]]),
      reads(on),
      reads(on),
      reads(on),
    )
    stage.replies.push(reads(() => [[part], [part, 1]]))
    expect(stage.converse(session, "Read it all")).toEqual({ kind: "done" })
    const pages = outputs(session).slice(pagesBefore)
    expect(pages).toHaveLength(6)
    for (const [at, page] of pages.entries())
      expect(stage.sent[sentBefore + Math.min(at, 4) + 1]?.raw).toContain(JSON.stringify(page).slice(1, -1))
  })
})
