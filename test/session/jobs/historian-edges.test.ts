/** The model's historian at its edges: secrets in what it writes, trouble that ends, an editor that is down, a wait that is over. */
import { afterEach, expect, test } from "vitest"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import { positives } from "../../../packages/core/test/secrets/samples.ts"
import { Stage, type StageOptions } from "../harness.ts"

let stage: Stage
const price = { input: 1, output: 10, cacheRead: 1, cacheWrite: 1 }
const open = (options: StageOptions = {}): SessionId => {
  stage = new Stage({ contextTokens: 40_000, price, historian: ["historian", "historian-2"], ...options })
  return stage.create()
}
afterEach(() => stage.close())

const says = (text: string): Reply => ({ blocks: [{ type: "text", text }] })
const published = (session: SessionId) => stage.facts(session, "history.published")
const sentTo = (model: string) => stage.sent.filter((sent) => sent.model === model)
const long = (text: string) => `${text} ${"word ".repeat(2_500)}`

/** One part over all that a request shows, and more behind it. */
function history(view: RequestView, more = "", words = "It was done."): Reply {
  const [, last] = /ordinals 1 to (\d+)/.exec(JSON.stringify(view.messages)) ?? []
  const part = `<part from="1" to="${last}" title="All" importance="60" kind="change"><p1>${words}</p1></part>`
  return says(`<history>${part}${more}<next>${Number(last) + 1}</next></history>`)
}

function talkUntil(session: SessionId, condition: () => boolean, turnsMax = 20): void {
  for (let turn = 0; turn < turnsMax && !condition(); turn++) {
    stage.converse(session, long(`Always keep rule r${turn}.`))
    stage.pass(10)
  }
  expect(condition()).toBe(true)
}

test("[AU1 HI1] a secret that the historian's model writes into a fact is kept by no record and by no memory", () => {
  const session = open()
  const [{ text, secrets }] = positives as [(typeof positives)[number]]
  const fact = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
  stage.historianReply = (view) =>
    history(view, `<facts><fact category="CONSTRAINTS">The walrus has: ${fact}</fact></facts>`)
  talkUntil(session, () => published(session).length > 0)
  const [made] = published(session)
  expect(made?.facts).toHaveLength(1)
  expect(made?.facts[0]?.text).toContain("The walrus has:")
  const root = stage.ask((_, store) => store.session(session))?.location.projectRoot ?? ""
  const known = stage.ask((_, store) => store.memories(root, { status: "active", limit: 9 })).memories
  expect(known).toHaveLength(1)
  for (const secret of secrets) {
    expect(JSON.stringify(made?.facts)).not.toContain(secret)
    expect(JSON.stringify(known)).not.toContain(secret)
  }
})

test("[FA1] trouble of a historian is over with the first history that it writes again", () => {
  const session = open()
  talkUntil(session, () => published(session).length > 0)
  expect(stage.ask((runtime) => runtime.health())).toMatchObject([{ part: "historian" }])
  stage.historianReply = (view) => history(view)
  talkUntil(session, () => published(session).some(({ by }) => by === "model"))
  expect(stage.ask((runtime) => runtime.health())).toEqual([])
})

test("[HI9] an editor is one model: where it is down the draft stands, and no other is asked and paid", () => {
  const session = open({ historianEditor: true })
  const isEditor = (view: RequestView) => JSON.stringify(view.messages).includes("Write the same <history>")
  stage.historianReply = (view) =>
    isEditor(view) ? { blocks: [], fault: { kind: "overloaded" } } : history(view)
  talkUntil(session, () => sentTo("historian").length > 0)
  stage.until(() => published(session).length > 0)
  expect(published(session)).toMatchObject([{ by: "model" }])
  expect(sentTo("historian-2")).toEqual([])
  expect(stage.facts(session, "job.settled").map(({ kind, outcome }) => [kind, outcome])).toEqual([
    ["historian", "done"],
    ["editor", "failed"],
  ])
})

test("[EG1] a turn waits for one job, and for no other that begins behind it", () => {
  const session = open()
  stage.historianReply = (view) => ({ ...history(view), firstByteMs: 3_600_000 })
  talkUntil(session, () => sentTo("historian").length > 0)
  for (let turn = 0; turn < 2; turn++) stage.converse(session, long(`More of it ${turn}.`))
  const began = stage.world.nowMs
  expect(stage.converse(session, `Here it is. ${"word ".repeat(14_000)}`)).toEqual({ kind: "done" })
  expect(stage.world.nowMs - began).toBeGreaterThan(200_000)
  expect(stage.world.nowMs - began).toBeLessThan(301_000)
})

test("[HI2 TU5] it is asked by the window that was learned, not by the one that the model is said to have", () => {
  const session = open({ contextTokens: 400_000, windowTokens: 40_000 })
  stage.historianReply = (view) => history(view)
  talkUntil(session, () => stage.facts(session, "limit.learned").length > 0)
  expect(sentTo("historian")).toEqual([])
  talkUntil(session, () => sentTo("historian").length > 0)
})

test("[UP1 AU1 HI9] what it noticed about the user is kept behind an editor too, and without the secret in it", () => {
  const [{ text, secrets }] = positives as [(typeof positives)[number]]
  const noticed = `Wants short answers, and has: ${text.replaceAll("<", " ")}`
  const session = open({ historianEditor: true, dreamer: { tasks: ["profile"] } })
  stage.historianReply = (view) => {
    if (JSON.stringify(view.messages).includes("Write the same <history>")) return says("No.")
    const [block] = history(view).blocks as readonly { readonly text: string }[]
    return says(`${block?.text}\n<observation>${noticed}</observation>`)
  }
  talkUntil(session, () => published(session).length > 0)
  const [made] = published(session)
  expect(made?.observations).toHaveLength(1)
  expect(made?.observations[0]).toContain("Wants short answers, and has:")
  for (const secret of secrets) expect(JSON.stringify(made)).not.toContain(secret)
})
