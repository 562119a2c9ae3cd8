/** Long texts: in which pieces they are indexed, what the index reads of them at once, and what is owed (SE1, SE2). */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { searchWords } from "@holdfast/schema/search/words"
import type { Command } from "../../src/port.ts"
import { openDriver } from "../../src/sqlite/driver.ts"
import { findByWords, searchUnits } from "../../src/sqlite/search/find-units.ts"
import { indexUnits } from "../../src/sqlite/search/index-units.ts"
import { pieceCharactersMax, indexedPieces } from "../../src/sqlite/search/pieces.ts"
import { versions } from "../../src/sqlite/versions/list.ts"
import { makePlace } from "../place.ts"
import { acquire, append, create, partRecorded, textPart, turnStarted } from "../records.ts"

/** So many that no step of the index reads all of them. */
const hugeCharacters = 2_000_000
const phraseCharactersMax = 200

test("[SE1] what ends a piece begins the next, as much as a phrase may have, and no character is cut", () => {
  const ends = fc.array(fc.constantFrom(" ", "_", "\n", "漢", "🎉"), { minLength: 1, maxLength: 9 })
  fc.assert(
    fc.property(ends, (after) => {
      const text = Array.from({ length: 9_000 }, (_, n) => `${n}${after[n % after.length]}`)
      const pieces = indexedPieces(text.join(""))
      expect(pieces.every((piece) => piece.length <= pieceCharactersMax && piece.isWellFormed())).toBe(true)
      let whole = pieces[0] ?? ""
      for (const piece of pieces.slice(1)) {
        const shared = piece.indexOf(whole.slice(-phraseCharactersMax)) + phraseCharactersMax
        expect(shared).toBeGreaterThanOrEqual(phraseCharactersMax)
        expect(shared).toBeLessThan(1_000)
        whole += piece.slice(shared)
      }
      expect(whole === text.join("")).toBe(true)
    }),
  )
})

/** A store with one Session, and what is found in it word for word: the sequences, and how many events are owed. */
function opened(file: string, list = versions) {
  const driver = openDriver({ file, busyMs: 100, versions: list })
  const apply = (command: Command): void =>
    expect(driver.apply([command]).replies[0]).toMatchObject({ ok: true })
  const say = (text: string): void => {
    apply(create(1))
    apply(acquire(1))
    apply(append(1, 1, [turnStarted(1), partRecorded(1, 0, textPart(text))]))
  }
  const asked = (text: string) => {
    const words = searchWords(text)
    const question = { words, phrases: [{ words }], projectRoot: null, limit: 20 }
    const { hits, unindexed } = searchUnits(driver.connection, findByWords(driver.connection, question), null)
    return { unindexed, seqs: new Set(hits.filter(({ exact }) => exact).map(({ seq }) => seq)) }
  }
  return { driver, say, asked }
}

const saidSeq = 3
const filler = "some line of a log that says little\n"
const textOf = (characters: number): string => {
  const half = filler.repeat(characters / 2 / filler.length)
  return `walrus begins ${half} heron halfway ${half} pelican ends`
}

test("[SE2] the words of a text in three pieces are written out once", () => {
  const { file, dispose } = makePlace()
  const { driver, say } = opened(file)
  say(textOf(2.5 * pieceCharactersMax))
  driver.maintain("idle")
  expect(driver.connection.get("SELECT count(*) AS units FROM unit")).toEqual({ units: 3 })
  expect(driver.connection.get(segmentsSql)).toEqual({ segments: 1 })
  driver.close()
  dispose()
})

/** What the index has written by itself each time. */
const segmentsSql = "SELECT count(DISTINCT segid) AS segments FROM word_idx"

describe("texts that are owed", () => {
  test("[SE2] one that would hold up a step is found for a million characters at once, and to its end when the store has been idle", () => {
    const { file, dispose } = makePlace()
    const { driver, say, asked } = opened(file)
    say(textOf(hugeCharacters))
    driver.maintain("idle")
    expect(asked("walrus begins")).toEqual({ unindexed: 1, seqs: new Set([saidSeq]) })
    expect(asked("heron halfway").seqs).toEqual(new Set([saidSeq]))
    expect(asked("pelican ends")).toEqual({ unindexed: 1, seqs: new Set() })
    driver.maintain("between-batches")
    expect(asked("pelican ends").unindexed).toBe(1)
    let steps = 1
    while (driver.maintain("idle")) steps += 1
    expect(steps).toBeGreaterThan(2)
    expect(asked("pelican ends")).toEqual({ unindexed: 0, seqs: new Set([saidSeq]) })
    driver.close()
    dispose()
  })

  test("[SE2] one of an older store, of which the beginning was indexed, is found to its end in the same way", () => {
    const { file, dispose } = makePlace()
    const before = opened(file, versions.slice(0, 9))
    const text = textOf(3 * pieceCharactersMax)
    before.say(text)
    const { connection } = before.driver
    indexUnits(connection, 1, { seq: saidSeq, time: 0, fact: partRecorded(1, 0, textPart(text)) })
    connection.run("DELETE FROM unit WHERE idx > 0")
    connection.run("DELETE FROM unindexed")
    before.driver.close()
    const { driver, asked } = opened(file)
    expect(asked("pelican ends")).toEqual({ unindexed: 1, seqs: new Set() })
    while (driver.maintain("idle"));
    expect(asked("pelican ends")).toEqual({ unindexed: 0, seqs: new Set([saidSeq]) })
    driver.close()
    dispose()
  })
})
