/** Several processes that take the same bundle in at the same moment, and one that is killed over it (ST4). */
import { expect, test } from "vitest"
import type { Fact } from "@holdfast/schema/event"
import { facts, lines, session } from "../../packages/core/test/bundle/logs.ts"
import { complaintsOf, readLog } from "./log.ts"
import { script } from "./model.ts"
import { makePlace } from "./place.ts"

const processes = 4
const more: readonly Fact[] = Array.from({ length: 3_000 }, (_, n) => ({
  type: "session.updated",
  title: `Title ${n}`,
}))

test(
  `[ST4 ST2] ${processes} processes that import one bundle at once, one of them killed, make one Session`,
  { timeout: 120_000 },
  async () => {
    const bundle = Buffer.from((await lines([...facts, ...more])).join(""))
    const piece = { upload: "one", offset: 0, data: bundle.toString("base64"), last: true }
    await using place = await makePlace({ model: script })
    const drivers = await Promise.all(Array.from({ length: processes }, () => place.openDriver()))
    const [victim, ...others] = drivers
    const lost = victim?.ask("import", piece).catch(() => null)
    const importing = others.map((driver) => driver.ask("import", piece))
    await victim?.kill()
    await lost
    const changes = (await Promise.all(importing)).map(({ value }) => value.imported?.change)
    // The one that was killed may have been the first.
    expect(changes.filter((change) => change === "created").length).toBeLessThanOrEqual(1)
    expect(new Set(["created", ...changes])).toEqual(new Set(["created", "same"]))
    const { value: listed } = (await others[0]?.ask("list", {})) ?? {}
    expect(listed?.items.map(({ id, seq }) => [id, seq])).toEqual([[session, facts.length + more.length]])
    for (const driver of others) await driver.close()
    expect(complaintsOf(await readLog(place.dataDir, session))).toEqual([])
  },
)
