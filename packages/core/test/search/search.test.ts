/** Results of one search, as they are chosen from what the store finds. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { makeSearch } from "../../src/search/search.ts"

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

test("[SE1] as many are read as it takes to know the best: one that asks falls behind what was not read yet", () => {
  const reads: number[][] = []
  const store = {
    search: () =>
      Effect.succeed({ hits: [9, 8, 7.9, 1, 0.5].map((score, at) => hit(0, score, at)), unindexed: 0 }),
    units: (places: readonly { readonly seq: number }[]) => {
      reads.push(places.map(({ seq }) => seq))
      return Effect.succeed(
        places.map((place) => ({
          ...place,
          time: 1,
          text: place.seq === 1 ? "walrus?" : `walrus ${place.seq}`,
        })),
      )
    },
    session: () => Effect.succeed(null),
    projects: () => Effect.succeed([]),
    searchCommits: () => Effect.succeed([]),
  } as never
  const { found } = Effect.runSync(makeSearch(store)({ text: "walrus", projectRoot: null, limit: 2 }))
  expect(found.map(({ text }) => text)).toEqual(["walrus 0", "walrus 2"])
  expect(reads).toEqual([
    [0, 1],
    [2, 3],
  ])
})

test("[SE1] of equal texts that share no word with the question one is shown, of those that hold its words each", () => {
  const texts = ["walrus", "walrus", "Done.", "Done.", "Sure."]
  const store = {
    search: () =>
      Effect.succeed({
        hits: texts.map((text, at) => ({ ...hit(0, text === "walrus" ? 9 : 0, at), session: `ses_${at}` })),
        unindexed: 0,
      }),
    units: (places: readonly { readonly seq: number }[]) =>
      Effect.succeed(places.map((place) => ({ ...place, time: place.seq, text: texts[place.seq] }))),
    session: () => Effect.succeed(null),
    projects: () => Effect.succeed([]),
    searchCommits: () => Effect.succeed([]),
  } as never
  const { found } = Effect.runSync(makeSearch(store)({ text: "walrus", projectRoot: null }))
  expect(found.map(({ text }) => text)).toEqual(["walrus", "walrus", "Done.", "Sure."])
})

test("[SE1] a long text is one result, shown where it matches best", () => {
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

test("[SE1] where all projects are searched, each place names the project of its Session, also of a worktree", () => {
  const roots: Record<string, string> = { ses_a: "/src/a", ses_tree: "/src/a-tree" }
  const store = {
    search: () =>
      Effect.succeed({
        hits: Object.keys(roots).map((session, at) => ({ ...hit(0, 9 - at, at), session })),
        unindexed: 0,
      }),
    units: (places: readonly { readonly session: string }[]) =>
      Effect.succeed(places.map((place) => ({ ...place, time: 1, text: `walrus of ${place.session}` }))),
    session: (id: string) => Effect.succeed({ title: "T", location: { projectRoot: roots[id] } }),
    place: (root: string) => Effect.succeed(root === "/src/a-tree" ? { shares: "/src/a" } : null),
    projects: () => Effect.succeed([]),
    memories: () => Effect.succeed({ project: null, memories: [] }),
    searchCommits: () => Effect.succeed([]),
  } as never
  const projects = (where: { readonly projectRoot: string | null; readonly session?: never }) =>
    Effect.runSync(makeSearch(store)({ text: "walrus", ...where })).found.map(({ project }) => project)
  expect(projects({ projectRoot: null })).toEqual(["/src/a", "/src/a"])
  expect(projects({ projectRoot: "/src/a" })).toEqual([undefined, undefined])
  expect(projects({ projectRoot: null, session: "ses_a" as never })).toEqual([undefined, undefined])
})

test("[SE1 SE3] common words alone are not compared by their meaning, also where they are a phrase", () => {
  const asked: string[] = []
  const meaning = (text: string) => Effect.sync(() => (asked.push(text), null))
  const store = {
    search: () => Effect.succeed({ hits: [], unindexed: 0 }),
    units: () => Effect.succeed([]),
    memories: () => Effect.succeed({ project: null, memories: [] }),
    searchCommits: () => Effect.succeed([]),
  } as never
  for (const text of ["the", '"of the"', '"to be or not to be"', "the camel"])
    Effect.runSync(makeSearch(store, meaning)({ text, projectRoot: "/p" }))
  expect(asked).toEqual(["the camel"])
})
