/**
 * Seeds of the whole-system simulation. What they check stands in invariants.ts; each rule that a
 * seed can break has its own test here. A failing seed is repeated with
 * `npm run sim -- --seed S --trace`.
 *
 * The first seed follows from the commit, so that every commit meets other seeds and the same
 * commit the same ones. Two files share the seeds: half and half where two cores do; where one core
 * has them all, the second file has only those that are run twice.
 */
import { beforeAll, expect, test } from "vitest"
import { runSeed } from "./seed.ts"
import { keptStories } from "./stories/stories.ts"

const seedsAll = Number(process.env["HOLDFAST_SIM_SEEDS"] ?? 100)
const firstSeed = Number(process.env["HOLDFAST_SIM_FROM"] ?? 1)
const sameSeeds = 50
/** Files that share the seeds alike: 1 or 2. */
const shards = process.env["HOLDFAST_SIM_SHARDS"] === "1" ? 1 : 2

/** Seeds that once failed, kept for ever; those of the folder `stories` also with their plan. */
const onceFailed: readonly number[] = [
  9, 33, 50, 52, 221, 1345, 2454, 5156, 7137, 39925769, 61601280, 127662797, 127663825, 127664507, 500113,
  2004202, 118541295, 205210103,
]

const titles = [
  "[PR1] loses nothing that was acknowledged",
  "[PR2] answers a repeated prompt with its first receipt",
  "[PR3] promotes what was not cancelled, and nothing that was",
  "[PR4] promotes each prompt once",
  "[PR6] keeps admission order whatever the clocks say",
  "[PR7] shows the model the user's words as they were admitted",
  "[PR8] brings every Session to where it owes nothing",
  "[DR1] lets one process at a time lead a Session, and leaves no lease behind",
  "[DR3] starts and sends nothing after an acknowledged interrupt",
  "[DR4] starts no call twice and settles every turn",
  "[DR8] ends calls that go round in a circle, and none that do not",
  "[DR9] begins no turn and no attempt on a spent budget",
  "[PE3] starts no call before somebody allowed it, and no command before its call",
  "[PE5] answers every ask once, loses none, and starts an allowed call at most once",
  "[TL3] ends every background command with its runtime at the latest, and tells it once",
  "[HB4] keeps every message in exactly one place, and tells every part of history once",
  "[HI1] leaves no job behind",
  "[HI4] publishes a range once, where the one before ended",
  "[PS7] loses nothing that was asked of the history, and does it once",
  "[TG2] never changes what a drop left",
  "[MM1] loses no change of memory or of notes that was acknowledged",
  "[MM2] keeps what is known of a project in its log and in its windows",
  "[DM1] lets a model end a fifth of the memory at most and nothing of a person, and takes every run back",
  "[DM2] lets one process at a time dream, within one run",
  "[NT1] tells of a note once",
  "[HB2] shows a memory as it was when its Baseline was made, and tells changes of those alone",
  "[HB3] breaks a prefix for memory only where somebody edited it from outside",
  "[SE1] finds nothing that the window shows",
  "[SE2] lets one worker at a time write vectors, and brings its queue to an end",
  "[EP5] keeps snapshot, Epoch and messages equal to the log",
  "[EP9] starts no turn in a place without the Baseline of that place",
  "[SS1] keeps titles, places and forks as they were acknowledged",
  "[TU1] rebuilds every request from the log",
  "[TU2] records a call before it runs, runs none beside one that writes, and settles it once",
  "[TU3] leaves no scratch behind a settled turn",
  "[TU4] tries a turn a few times, and never after durable output",
  "[TU7] names the reason of every request that does not extend the one before",
  "[LL3] sends only requests that the provider accepts",
  "[ST2] takes no lease of a process that is at work",
  "[ST3] damages no row",
  "[FA1] sends nothing without a turn on record",
] as const

const ruleOf = (title: string): string => title.slice(0, title.indexOf("]") + 1)

/** Declares the tests of one file's share of the seeds; returns the traces, which are there when tests run. */
export function declareSeeds(shard: 0 | 1): ReadonlyMap<number, string> {
  const range = shareOf(shard)
  const problems: string[] = []
  const facts = new Map<string, number>()
  const traces = new Map<number, string>()

  beforeAll(() => {
    const started = performance.now()
    const numbers = (shard === 0 ? [...onceFailed, ...range] : range).map((seed) => ({ seed }))
    const seeds = shard === 0 ? [...keptStories(), ...numbers] : numbers
    let virtualMs = 0
    for (const { seed, ...story } of seeds) {
      const report = runSeed(seed, story)
      virtualMs += report.virtualMs
      traces.set(seed, report.hash)
      problems.push(...report.problems.map((problem) => `seed ${seed}: ${problem}`))
      for (const [name, count] of report.facts) facts.set(name, (facts.get(name) ?? 0) + count)
    }
    const seconds = (performance.now() - started) / 1000
    const which = `every ${shards === 1 ? "one" : "second one"} from ${range[0]} to ${range.at(-1)}`
    const rate = `${(seeds.length / seconds).toFixed(1)} seeds/s, ${(virtualMs / 1000 / seconds).toFixed(0)} × real time`
    console.log(`figure: ${seeds.length} seeds, ${which}; ${rate}`)
  }, 7_200_000)

  for (const title of titles) {
    test(title, () => expect(problems.filter((problem) => problem.includes(ruleOf(title)))).toEqual([]))
  }

  test("the harness itself has nothing to report", () => {
    const known = titles.map(ruleOf)
    expect(problems.filter((problem) => !known.some((rule) => problem.includes(rule)))).toEqual([])
  })

  if (shard === 0 || shards > 1) declareReach(range.length, facts)
  return traces
}

function declareReach(seeds: number, facts: ReadonlyMap<string, number>): void {
  test.skipIf(seeds < 200)("the seeds reach what they are meant to reach", () => {
    expect(wanted.filter((name) => !facts.has(name))).toEqual([])
  })

  test.skipIf(seeds < 1_000)("the seeds reach what is rare", () => {
    expect(rare.filter((name) => !facts.has(name))).toEqual([])
  })
}

const wanted = [
  "call.settled interrupted outcome_unknown",
  "call.settled interrupted",
  "context.updated",
  "epoch.started incompatible",
  "part.recorded text cut",
  "prompt.cancelled",
  "prompt.edited",
  "pass.applied fold cut_ceiling",
  "pass.applied fold cut_overflow",
  "epoch.started compaction",
  "notice.promoted",
  "ask.answered",
  "ask.withdrawn",
  "command.ended",
  "call.settled declined declined",
  "history.published extractive",
  "history.published model",
  "history.published rebuild",
  "job.settled historian done",
  "job.settled historian failed",
  "signal.raised drop",
  "signal.raised flush",
  "signal.raised fold",
  "pass.applied fold cut_asked",
  "pass.applied refresh flush",
  "turn.settled asking",
  "session.interrupted",
  "turn.settled failed",
  "turn.settled interrupted",
  "met: a loop",
  "met: a spent budget",
  "met: calls that only read ran together",
  "met: connection refused",
  "met: connection reset",
  "met: connection silent",
  "met: death in recovery",
  "met: slow disk",
  "met: death of a worker",
  "met: dream.settled by dreamer",
  "met: dreamer taken over from a dead process",
  "met: embed taken over from a dead process",
  "met: memory.archived by dreamer",
  "met: memory.merged by dreamer",
  "met: memory.updated by dreamer",
  "met: memory.written by agent",
  "met: smart-note.ready by dreamer",
  "met: smart-note.surfaced",
  "met: takeover from a dead process",
]

const rare = [
  "met: 20 calls at once",
  "met: 30 calls in a turn",
  "met: client told that the store is busy",
  "met: client told that the store is full",
  "met: client told that the store is unavailable",
  "met: commit failed: busy",
  "met: commit failed: full",
  "met: commit failed: unavailable",
  "met: output over 29000 characters",
  "met: stale append refused",
  "met: stale renew refused",
  "met: start on a failing disk",
  "met: takeover by beat from a living process",
]

/** Declares that a seed decides everything: run again, it gives the trace that it gave. */
export function declareSameness(traces: ReadonlyMap<number, string>): void {
  test("the same seed gives the same trace", { timeout: 300_000 }, () => {
    const first = [...traces].slice(0, sameSeeds)
    expect(first.map(([seed]) => [seed, runSeed(seed).hash])).toEqual(first)
    expect(new Set(first.map(([, trace]) => trace)).size).toBe(first.length)
    expect(first).not.toEqual([])
  })
}

function shareOf(shard: 0 | 1): readonly number[] {
  const all = Array.from({ length: seedsAll }, (_, at) => firstSeed + at)
  if (shards > 1) return all.filter((_, at) => at % shards === shard)
  return shard === 0 ? all.slice(sameSeeds) : all.slice(0, sameSeeds)
}
