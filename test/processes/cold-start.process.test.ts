/** Many processes that find an empty data directory at the same moment. */
import { existsSync } from "node:fs"
import { dataFile } from "@holdfast/store"
import { expect, test } from "vitest"
import { complaintsOf, readLog } from "./log.ts"
import { script } from "./model.ts"
import { makePlace } from "./place.ts"

const processes = 20

test(
  `[ST2 ST1] ${processes} cold starts at once on an empty data directory all succeed`,
  { timeout: 120_000 },
  async () => {
    await using place = await makePlace({ model: script })
    expect(existsSync(dataFile(place.dataDir))).toBe(false)
    const startedAt = performance.now()
    const opening = Array.from({ length: processes }, () => place.openDriver())
    const drivers = await Promise.all(opening)
    console.log(
      `figure: ${processes} cold starts in ${((performance.now() - startedAt) / 1000).toFixed(2)} s`,
    )
    const made = await Promise.all(
      drivers.map((driver) => driver.ask("create", { directory: place.project })),
    )
    const sessions = made.map(({ value }) => value.id)
    await Promise.all(
      drivers.map((driver, index) =>
        driver.ask("prompt", { sessionID: sessions[index] ?? "", text: "Answer.", id: `p${index}` }),
      ),
    )
    for (const [index, driver] of drivers.entries()) {
      const { value } = await driver.ask("settled", { sessionID: sessions[index] ?? "" })
      expect(value).toMatchObject({ status: "done", prompt: `p${index}`, text: "An answer." })
    }
    for (const driver of drivers) {
      const { value } = await driver.ask("list", { limit: processes + 1 })
      expect(value.items.map((session) => session.id).sort()).toEqual(sessions.toSorted())
    }
    const ends = await Promise.all(drivers.map((driver) => driver.close()))
    expect(ends.filter(({ code, err }) => code !== 0 || err !== "")).toEqual([])
    for (const session of sessions) expect(complaintsOf(await readLog(place.dataDir, session))).toEqual([])
  },
)
