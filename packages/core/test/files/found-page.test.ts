/** Pages of a search, which may stop before its end: every way on leads to where it should. */
import { describe, expect, test } from "vitest"
import type { FoundFiles } from "../../src/files/find-files.ts"
import { makeCursors } from "../../src/page/cursor.ts"
import { foundPage } from "../../src/page/instance-lists.ts"
import type { PageStart } from "../../src/page/page.ts"

const cursors = makeCursors("secret")
const entry = (path: string): FoundFiles["entries"][number] => ({
  name: path,
  path,
  kind: "file",
  bytes: 0,
  modifiedAt: null,
})

const start: PageStart = {
  list: "found",
  session: null,
  size: 2,
  after: 0,
  system: false,
  order: "oldest-first",
  archived: false,
  of: { name: "x" },
  direction: "next",
  anchor: null,
}

/** Where a page leads, as direction and place. */
function ways(from: Partial<PageStart>, paths: readonly string[], stoppedAt: string | null = null) {
  const page = foundPage(cursors, { ...start, ...from }, { entries: paths.map(entry), stoppedAt })
  const placeOf = (cursor: string | null) => {
    const place = cursor === null ? null : cursors.open(cursor)
    expect(place === null || place.of?.["name"] === "x").toBe(true)
    return place === null ? null : [place.direction, place.anchor]
  }
  return [page.items.map(({ path }) => path).join(), placeOf(page.previous), placeOf(page.next)]
}

describe("[PG1] a page of a search", () => {
  const next = (anchor: string) => ["next", anchor]
  const previous = (anchor: string) => ["previous", anchor]

  test("goes on behind its last item, or where the search stopped", () => {
    expect(ways({}, ["a", "b", "c"])).toEqual(["a,b", null, next("b")])
    expect(ways({}, ["a"], "k")).toEqual(["a", null, next("k")])
    expect(ways({}, [], "k")).toEqual(["", null, next("k")])
    expect(ways({}, ["a", "b"])).toEqual(["a,b", null, null])
  })

  test("goes back before its first item, or to what precedes an empty page", () => {
    expect(ways({ anchor: "m" }, ["n"])).toEqual(["n", previous("n"), null])
    expect(ways({ anchor: "m" }, [], "p")).toEqual(["", previous("p"), next("p")])
    expect(ways({ anchor: "m" }, [])).toEqual(["", previous("m\0"), null])
  })

  test("on the way back leads forward to where it came from", () => {
    const back = { direction: "previous", anchor: "m" } as const
    expect(ways(back, ["a", "b", "c"])).toEqual(["b,c", previous("b"), next("c")])
    expect(ways(back, ["c"])).toEqual(["c", null, next("c")])
    expect(ways(back, ["c"], "b")).toEqual(["c", previous("b"), next("c")])
    expect(ways(back, [], "b")).toEqual(["", previous("b"), next("b")])
  })
})
