/** A process that is closed while it works: nothing else keeps it alive, and it must not end too early. */
import { expect, test } from "vitest"
import { complaintsOf, factsOf, readLog } from "./log.ts"
import { script } from "./model.ts"
import { makePlace } from "./place.ts"

const promptsUnderWay = 40

test("[PR1] a process that closes with prompts under way answers each of them and ends with code 0", async () => {
  await using place = await makePlace({ model: script })
  const driver = await place.openDriver()
  const sessionID = (await driver.ask("create", { directory: place.project })).value.id
  const asked = Array.from({ length: promptsUnderWay }, (_, index) =>
    driver.ask("prompt", { sessionID, id: `p${index}`, text: "Wait.", resume: false }),
  )
  const ended = driver.close()
  const answers = await Promise.allSettled(asked)
  expect(await ended).toEqual({ code: 0, signal: null, err: "" })
  const admitted = answers.flatMap((answer) =>
    answer.status === "fulfilled" ? [answer.value.value.prompt] : [],
  )
  expect(admitted.length).toBe(promptsUnderWay)
  const log = await readLog(place.dataDir, sessionID)
  expect(complaintsOf(log)).toEqual([])
  expect(factsOf(log, "prompt.admitted").map((fact) => fact.prompt)).toEqual(expect.arrayContaining(admitted))
})
