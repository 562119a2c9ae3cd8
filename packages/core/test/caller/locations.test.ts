/** The instance's own Location among those that the store knows. */
import { describe, expect, test } from "vitest"
import { withOwn } from "../../src/caller/locations.ts"

const at = (directory: string) => ({ directory, projectRoot: directory })
const list = (...names: readonly string[]) => names.map(at)
const own = at("/m")

describe("[CO3] the instance's own Location", () => {
  test.each([
    ["stands at its place", list("/a", "/z"), { limit: 9 }, list("/a", "/m", "/z")],
    ["is told once", list("/a", "/m"), { limit: 9 }, list("/a", "/m")],
    ["is told where nothing else is known", [], { limit: 9 }, list("/m")],
    ["pushes out what would be one too many", list("/a", "/z"), { limit: 2 }, list("/a", "/m")],
    ["is not told again behind itself", list("/z"), { after: "/m", limit: 9 }, list("/z")],
    ["is told on the way back", list("/a", "/b"), { before: "/z", limit: 2 }, list("/b", "/m")],
    ["is not told before itself", list("/a"), { before: "/m", limit: 9 }, list("/a")],
  ])("%s", (_, stored, asked, expected) => expect(withOwn(stored, own, asked)).toEqual(expected))
})
