import { afterEach, expect, test } from "vitest"
import { FactSource } from "./fact-source.ts"
import { Stage } from "./harness.ts"
import { saidBySystem } from "./sent-request.ts"

let stage: Stage
let weather: FactSource
const open = () => {
  weather = new FactSource("sim/weather", "sunny")
  stage = new Stage({ sources: [weather] })
  return stage.create()
}
afterEach(() => stage.close())

const updated = saidBySystem("sim/weather is now rainy.")

test("[EP5] has message and snapshot both or neither, whichever write the process dies at", () => {
  const seen = new Set<number>()
  for (const moment of ["before", "after"] as const) {
    for (let write = 1; write <= 6; write++) {
      const session = open()
      stage.converse(session, "One")
      weather.value = "rainy"
      stage.prompt(session, "Two", { resume: false })
      stage.restart({ death: { write, moment } })
      stage.begin((runtime) => runtime.resume(session))
      stage.until(
        () =>
          stage.current.process.dead || stage.live.filter((event) => event.type === "drain-end").length > 1,
      )
      stage.kill()
      stage.boot()
      stage.settle(session)
      const said = stage.messages(session).filter(({ kind }) => kind === "system").length
      const window = stage.ask((_, store) => store.window(session))
      const value = window?.state.epoch?.snapshot["sim/weather"]?.value
      expect([said, value], `${moment} write ${write}`).toEqual(
        said === 1 ? [1, { text: "rainy" }] : [0, { text: "sunny" }],
      )
      seen.add(said)
      const { owing, pending } = stage.status(session)
      if (owing || pending > 0) stage.resume(session)
      expect(stage.sent.at(-1)?.lines.filter((line) => line === updated)).toHaveLength(1)
      if (moment !== "after" || write !== 6) stage.close()
    }
  }
  expect([...seen].sort()).toEqual([0, 1])
})

test("[EP6] replays an admitted message unchanged after the provider failed", () => {
  const session = open()
  stage.converse(session, "One")
  weather.value = "rainy"
  stage.replies.push(
    { blocks: [], fault: { kind: "overloaded" } },
    { blocks: [], fault: { kind: "unauthorized" } },
  )
  expect(stage.converse(session, "Two")).toMatchObject({ kind: "failed" })
  stage.kill()
  stage.boot()
  stage.resume(session)
  const [, overloaded, unauthorized, answered] = stage.sent
  expect(overloaded?.lines.at(-1)).toBe(updated)
  expect(unauthorized?.raw).toBe(overloaded?.raw)
  expect(answered?.lines).toEqual(overloaded?.lines)
  expect(stage.facts(session, "context.updated")).toHaveLength(1)
})

test("[EP6] keeps an admitted message in force when the value changes again before the next attempt", () => {
  const session = open()
  stage.converse(session, "One")
  weather.value = "rainy"
  stage.replies.push({ blocks: [], fault: { kind: "unauthorized" } })
  stage.converse(session, "Two")
  weather.value = "windy"
  stage.resume(session)
  expect(stage.sent.at(-1)?.lines.slice(-3)).toEqual([
    "user: Two",
    updated,
    saidBySystem("sim/weather is now windy."),
  ])
})
