/** Results of one search, as they are chosen from what the store finds. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { makeSearch } from "../../src/search/search.ts"

test("[SE1] a long text is one result, shown where it matches best", () => {
  const hit = (idx: number, score: number, seq = 7) => ({
    unit: seq * 10 + idx,
    session: "ses_1",
    seq,
    idx,
    messageSeq: 5,
    author: "output",
    score,
    meaning: 0,
    exact: false,
    after: null,
    secondAfter: null,
  })
  const store = {
    search: () => Effect.succeed({ hits: [hit(2, 3), hit(0, 2), hit(0, 1, 9)], unindexed: 0 }),
    units: (places: readonly { readonly seq: number; readonly idx: number }[]) =>
      Effect.succeed(
        places.map((place) => ({ ...place, time: 1, text: `walrus of piece ${place.seq}-${place.idx}` })),
      ),
    session: () => Effect.succeed(null),
    projects: () => Effect.succeed([]),
    searchCommits: () => Effect.succeed([]),
  } as never
  const { found } = Effect.runSync(makeSearch(store)({ text: "walrus", projectRoot: null }))
  expect(found.map(({ part, text }) => [part, text])).toEqual([
    ["#5", "walrus of piece 7-2"],
    ["#5", "walrus of piece 9-0"],
  ])
})
