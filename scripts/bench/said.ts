/**
 * Conversations of many messages in a store, for the rows of search: pieces of this repository's own
 * documents and code, so that words are as frequent as they are where people work. Seeded.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import type { Fact } from "@holdfast/schema/event"
import type { Store } from "@holdfast/store"
import * as records from "../../packages/store/test/records.ts"

export const saidRoot = "/said"

/** Messages of one Session. */
const sessionMessages = 1_000
/** The bundle lies elsewhere, but starts in the repository. */
const root = process.cwd()

export async function writeSaid(store: Store, messages: number): Promise<void> {
  const pieces = makePieces(1)
  for (let number = 1; number <= messages / sessionMessages; number++) {
    const created = records.create(number)
    const location = { directory: saidRoot, projectRoot: saidRoot }
    await Effect.runPromise(store.commit({ ...created, fact: { ...created.fact, location } }))
    const granted = await Effect.runPromise(store.commit(records.acquire(number)))
    if (granted.kind !== "granted") throw new Error("A fresh Session is held.")
    const facts = Array.from({ length: sessionMessages }, (_, at): Fact[] => {
      const id = number * sessionMessages + at
      const part = records.partRecorded(id, 0, records.textPart(pieces.next(20 + (at % 7) * 20)))
      return [records.turnStarted(id), part, records.turnSettled(id)]
    }).flat()
    const { token } = granted.lease
    await Effect.runPromise(store.commit(records.append(number, token, facts, { release: "always" })))
  }
}

/** Questions as they are asked of what was said: some words of a place, not all of them in order. */
export function saidQuestions(count: number): readonly string[] {
  const pieces = makePieces(2)
  return Array.from({ length: count }, (_, at) => {
    const words = pieces.next(12).split(" ")
    return words.filter((_word, place) => (place * 7 + at) % 3 !== 0).join(" ")
  })
}

function makePieces(seed: number) {
  const words = sourceFiles(root).flatMap((file) => readFileSync(file, "utf8").split(/\s+/))
  let state = seed
  const below = (limit: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % limit
  }
  return {
    next: (length: number): string => {
      const from = below(words.length - length)
      return words.slice(from, from + length).join(" ")
    },
  }
}

const sourceFiles = (folder: string): readonly string[] =>
  ["docs", "packages"].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, encoding: "utf8" })
      .filter(
        (path) => /\/(?:src|docs|test)?.*\.(?:ts|md)$/.test(`/${path}`) && !path.includes("node_modules"),
      )
      .toSorted()
      .map((path) => join(folder, name, path)),
  )
