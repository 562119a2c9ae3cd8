/** What recall promises of recorded sessions, where they lie beside the repository: `npm run prove` holds it to that. */
import { resolve } from "node:path"
import { findSources } from "@holdfast/foreign"
import { describe, expect, test } from "vitest"
import { recordedIn } from "../../packages/cli/src/replay/recorded.ts"
import { replayRecorded } from "../../packages/cli/src/replay/run.ts"
import { reportOf } from "../../scripts/eval/report.ts"
import { readSessions } from "../../scripts/eval/sessions.ts"
import { evaluateWindow } from "../../scripts/eval/window.ts"
import { transcriptFiles } from "../transcripts/transcript.ts"

const files = (["anthropic-messages", "openai-responses"] as const).flatMap(transcriptFiles)

async function replayed(windowTokens: number) {
  const { sources } = await findSources(files.map((file) => resolve(file)))
  const sessions = await Promise.all(sources.map((source) => recordedIn(source)))
  return (await replayRecorded(sessions.flat(), windowTokens)).record
}

describe.runIf(files.length > 0)("on recorded sessions", () => {
  test("[HI1 TU6] of the facts that left the tail 85 % are in a window of 60,000 tokens, 95 % with one expand, and fewer are lost than by the recorded agents", async () => {
    const sessions = await readSessions(files)
    const { total } = reportOf(
      60_000,
      sessions.map((session) => evaluateWindow(session, 60_000, null)),
    )
    const { inWindow, oneExpand, lost } = total.recall.fate
    const all = inWindow + oneExpand + lost
    expect(inWindow / all).toBeGreaterThanOrEqual(0.85)
    expect((inWindow + oneExpand) / all).toBeGreaterThanOrEqual(0.95)
    expect(total.recorded?.lostByRecall).toBeLessThan(total.recorded?.lostByAgent ?? 0)
  }, 600_000)

  test("[PS2 TU6] a window of 60,000 tokens reads within 0.7 points of its bound, and every break has a reason", async () => {
    const record = await replayed(60_000)
    expect(record).toMatchObject({ unexplained: 0, illegal: 0 })
    expect(record.readShareBound - record.readShareWarm).toBeLessThanOrEqual(0.007)
    expect(record.largest).toBeLessThanOrEqual(60_000)
  }, 600_000)

  test("[PS2 TU6] one of 200,000 tokens reads 97.5 % at 0.85 of the recorded cost, with requests of 0.8 of the recorded size", async () => {
    const record = await replayed(200_000)
    expect(record).toMatchObject({ unexplained: 0, illegal: 0 })
    expect(record.readShareWarm).toBeGreaterThanOrEqual(0.975)
    expect(record.costUnits / record.recordedCostUnits).toBeLessThanOrEqual(0.85)
    expect(record.averageRequest / record.recordedAverage).toBeGreaterThanOrEqual(0.8)
  }, 600_000)
})
