/**
 * `npm start` without a terminal: it balances for any seed, and also after the tour itself was
 * killed at any moment and carried on. And if something does not balance, it says so.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFile, readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { describe, expect, test } from "vitest"
import { choicesFrom } from "../../scripts/tour/choices.ts"
import { eventually } from "../processes/eventually.ts"
import { command, makeTourPlace, processesNaming, type TourPlace } from "./place.ts"

const seed = Number(process.env["HOLDFAST_TOUR_SEED"] ?? Date.now() % 1_000_000)
const choices = choicesFrom(seed)
const tours = Number(process.env["HOLDFAST_TOURS"] ?? 1)
const orphanMsMax = 5_000
const timeout = 120_000

/** Figures of the books, by what they count: what Holdfast says, and what was counted outside. */
const booksOf = (out: string) =>
  Object.fromEntries(
    [...out.matchAll(/^ {2,4}([a-z][a-z ]+?) {2,}([\d,]+(?: %)?)(?: +([\d,]+))?  [✓✗ ]/gm)].map(
      ([, what = "", holdfast, outside]) => [what, [holdfast, outside ?? null]],
    ),
  )

describe.concurrent("the tour", () => {
  test.each([choices.between(3, 10_000), 1, 2].slice(0, tours))(
    "[PR1 PR4 DR4 TU1 TU2 PE3 PE5 HB4 TL4] with seed %i loses nothing, repeats nothing, asks once, fetches back and leaves nothing",
    { timeout },
    async (chosen) => {
      await using place = await makeTourPlace()
      const { code, out, err, seconds } = await place.start("--fast", "--seed", String(chosen)).ended
      expect({ code, err }, out).toEqual({ code: 0, err: "" })
      expect(seconds).toBeLessThan(60)
      expect(out).toContain("Everything balances.")
      expect(booksOf(out)).toMatchObject({
        "prompts accepted": ["4", "4"],
        "prompts answered": ["4", null],
        "tool calls started": ["10", null],
        "commands finished": ["2", "2"],
        "outcome unknown": ["1", expect.stringMatching(/^[01]$/)],
        breaks: ["0", null],
      })
      expect(out.match(/\? asked +write\(NOTES\.md\)/g)).toHaveLength(1)
      expect(out.match(/\? asked/g)).toHaveLength(1)
      expect(out.match(/✗ kill -9 \d+/g)).toHaveLength(3)
      const [, shownBefore = "", shownAfter = ""] =
        /holdfast window, before that day:([^]*)holdfast window, after that day:([^]*)So the history begins:/.exec(
          out,
        ) ?? []
      const tokensIn = (shown: string) =>
        Number(/about ([\d,]+) of 16,000/.exec(shown)?.[1]?.replace(",", ""))
      expect(tokensIn(shownAfter)).toBeLessThan(tokensIn(shownBefore) * 0.8)
      expect(shownBefore).not.toContain("History Baseline")
      expect(shownAfter).toContain("History Baseline")
      for (const shown of [shownBefore, shownAfter]) expect(shown).toMatch(/next fold +at 75 %/)
      expect(out).toMatch(
        /✓ context_expand \{"part":"#\d+"\}\s+On the first day Ada ordered 3 rye and 5 rolls\./,
      )
      // Plain text, in 80 columns.
      expect(out).not.toContain("\u001b")
      expect(out.split("\n").filter((line) => [...line].length > 80)).toEqual([])
      expect([place.folders(), place.homeFiles()]).toEqual([[], []])
      expect(processesNaming(place.root)).toEqual([])
    },
  )

  test.each([
    ["at work", "An agent at work", choices.between(0, 1_500)],
    ["while its server is being killed", "kill -9 three times", choices.between(0, 4_000)],
  ])(
    `[PR1 PR4 DR3 DR4] killed %s and carried on it balances, and nothing outlives it (seed ${seed})`,
    { timeout },
    async (_, text, afterMs) => {
      await using place = await makeTourPlace()
      const folder = await killTour(place, text, afterMs)
      const { code, out, err } = await place.start("--fast", "--go-on", folder).ended
      expect({ code, err }, out).toEqual({ code: 0, err: "" })
      expect(out).toContain("Everything balances.")
      const books = booksOf(out)
      const [accepted, receipts] = books["prompts accepted"] ?? []
      expect(receipts).toBe(accepted)
      expect(books["prompts answered"]).toEqual([accepted, null])
      expect([place.folders(), processesNaming(place.root)]).toEqual([[], []])
    },
  )

  test(
    "a server left behind is ended, and an execution too many is told in the books",
    { timeout },
    async () => {
      await using place = await makeTourPlace()
      const folder = await killTour(place, "kill -9 three times", 0)
      const leftover = spawn(
        process.execPath,
        [command, "serve", "--json", "--data-dir", join(folder, "data")],
        {
          cwd: folder,
          env: { ...place.env, HOLDFAST_CONFIG_DIR: join(folder, "config") },
        },
      )
      await once(leftover.stdout, "data")
      const ledger = join(folder, "bakery/ledger.txt")
      const [first = ""] = (await readFile(ledger, "utf8")).split("\n")
      await appendFile(ledger, `${first}\n`)
      const { code, out } = await place.start("--fast", "--go-on", folder).ended
      expect(leftover.signalCode).toBe("SIGKILL")
      expect(code).toBe(1)
      expect(out).toContain("✗ does not balance")
      expect(out).toMatch(/Does not balance: commands finished/)
      expect(place.folders()).toEqual([folder])
    },
  )
})

describe("the command line of the tour", () => {
  test(
    "a folder that is none, a tour that still runs and wrong arguments are refused",
    { timeout },
    async () => {
      await using place = await makeTourPlace()
      const none = await place.start("--go-on", place.root).ended
      expect(none).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringContaining("is no folder of a tour") as string,
      })
      const wrong = await place.start("--seed", "many").ended
      expect(wrong).toMatchObject({
        code: 2,
        err: expect.stringContaining("--seed takes a whole number") as string,
      })
      const running = place.start("--fast")
      await running.prints("--go-on")
      const [folder = ""] = place.folders()
      const refused = await place.start("--go-on", folder).ended
      expect(refused).toMatchObject({
        code: 2,
        err: expect.stringContaining(`Process ${running.pid} still takes this tour`) as string,
      })
      running.kill()
      await running.ended
    },
  )
})

/** Kills a tour some time after it printed a text; resolves to its folder when nothing of it runs any more. */
async function killTour(place: TourPlace, text: string, afterMs: number): Promise<string> {
  const tour = place.start("--fast", "--seed", String(seed))
  await tour.prints(text)
  await pause(afterMs)
  tour.kill()
  expect((await tour.ended).signal).toBe("SIGKILL")
  await eventually("nothing of the tour is left", orphanMsMax, () => processesNaming(place.root).length === 0)
  const [folder = ""] = place.folders()
  return folder
}
