/** Thousands of stories of one Session, and what holds after every request of them. */
import { expect, test } from "vitest"
import { Broken, nothingSeen, oracleOf, type Seen } from "./oracle.ts"
import { play } from "./play.ts"
import { drawStory, shorten, stepKinds, type Story } from "./story.ts"

const stories = Number(process.env["HOLDFAST_RECALL_STORIES"] ?? 300)
const from = Number(process.env["HOLDFAST_RECALL_FROM"] ?? 1)
const timeoutMs = 4 * 3_600_000

/** What a story broke, or null. */
function broken(story: Story, seen: Seen): string | null {
  try {
    play(story, oracleOf(seen))
    return null
  } catch (error) {
    if (error instanceof Broken) return error.message
    throw new Error(`Seed ${story.seed} failed: ${JSON.stringify(story.steps)}`, { cause: error })
  }
}

const kindOf = (failure: string | null): string | null => failure?.replace(/ [[{"].*$/s, "") ?? null

const deeds = [
  "memory",
  "death after a write",
  "death before a write",
  "second writer publishes",
  "second writer says something",
  "wait",
]

function told({ passes, holds, refreshes, folds, stuck, deeds: did, reasons }: Seen): string {
  const list = (counts: ReadonlyMap<string, number>) =>
    [...counts].toSorted(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`)
  const kinds = `${holds} Holds, ${refreshes} Refreshes, ${folds} Folds, ${stuck} refused`
  return `${passes} passes: ${kinds}\n  ${list(did).join(", ")}\n  ${list(reasons).join(", ")}`
}

test(
  "[PS1 PS2 PS3 HB2 HB3 HB4 HB6 TG1 TG2 TU6] whatever happens to a Session, each request follows from the last one",
  () => {
    const seen = nothingSeen()
    const failures: string[] = []
    for (let seed = from; seed < from + stories && failures.length < 3; seed++) {
      const story = drawStory(seed)
      const failure = broken(story, seen)
      if (failure === null) continue
      const shorter = shorten(story, kindOf(failure) ?? "", (each) => kindOf(broken(each, nothingSeen())))
      failures.push(
        `seed ${seed}: ${broken(shorter, nothingSeen())}\n${shorter.steps.map(({ kind, seed: own }) => `${kind} ${own}`).join("\n")}`,
      )
    }
    console.log(`figure: ${stories} stories from ${from}; ${told(seen)}`)
    expect(failures).toEqual([])
    if (stories < 200) return
    // Stories that never come to what they are about would prove nothing.
    for (const amount of [seen.holds, seen.refreshes, seen.folds, seen.takenOver, seen.drops])
      expect(amount).toBeGreaterThan(20)
    expect([...seen.deeds.keys()]).toEqual(expect.arrayContaining([...stepKinds, ...deeds]))
    expect([...seen.reasons.keys()]).toEqual(
      expect.arrayContaining(["cut_ceiling", "cut_forced", "cut_overflow", "cut_threshold", "model_changed"]),
    )
  },
  timeoutMs,
)

test.each<readonly [string, number, Story["steps"]]>([
  [
    "[TU6 HB3] what is known of the project waits where a window has no room for it",
    902_689,
    [
      { kind: "turn", seed: 934_408_408 },
      { kind: "memory", seed: 2_028_673_549 },
      { kind: "burst", seed: 1_260_807_387 },
    ],
  ],
  [
    "[HB6] what was published and spares next to nothing waits, behind a Fold as on it",
    268,
    [
      { kind: "memory", seed: 2_093_117_466 },
      { kind: "turn", seed: 618_288_534 },
      { kind: "crash", seed: 1_436_320_184 },
      { kind: "memory", seed: 627_708_229 },
      { kind: "turn", seed: 464_736_229 },
    ],
  ],
  [
    "[HB6 PS5] a Fold that fills the window up to the threshold does what is due then",
    35_350,
    [
      { kind: "turn", seed: 949_864_132 },
      { kind: "burst", seed: 2_063_569_190 },
      { kind: "memory", seed: 591_915_872 },
      { kind: "incompatible", seed: 94_933_670 },
      { kind: "burst", seed: 1_568_159_047 },
    ],
  ],
])("%s", (_, seed, steps) => {
  expect(broken({ seed, steps }, nothingSeen())).toBeNull()
})

test.each([
  ["[HB6 PS4] memory that ended and a list of steps break nothing by themselves", [502_813, 506_196]],
  ["[HB2 HB3] a Fold in a full window tells memory as it is now", [305_213, 306_263]],
  ["[HB6] a cut that changes nothing is no Fold", [1_012_141]],
  ["[HB6] a cut that makes a request larger breaks nothing", [164_357_925]],
  [
    "[HB6 PS4] what was put off and finds nothing to do breaks nothing for memory that waits",
    [228_998_414, 229_000_849],
  ],
])("%s", (_, seeds) => {
  for (const seed of seeds) expect(broken(drawStory(seed), nothingSeen())).toBeNull()
})
