/** Names of a directory, a stretch at a time. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makeFolder } from "../../../../test/stage/opened.ts"
import { entriesIn } from "../../src/files/names.ts"

test("gives the nearest names on the way, in its order, however many there are", async () => {
  using folder = makeFolder("names")
  const all = Array.from({ length: 1_500 }, (_, n) => `file-${String(n).padStart(4, "0")}`)
  for (const name of all) await writeFile(join(folder.directory, name), "")
  const names = async (stretch: Parameters<typeof entriesIn>[1]) =>
    (await entriesIn(folder.directory, stretch)).map(({ name }) => name)
  expect(await names({ beside: null, direction: "next", limit: 3 })).toEqual(all.slice(0, 3))
  expect(await names({ beside: all[700] ?? "", direction: "next", limit: 3 })).toEqual(all.slice(701, 704))
  expect(await names({ beside: all[700] ?? "", direction: "previous", limit: 2 })).toEqual([
    all[699],
    all[698],
  ])
  expect(await names({ beside: all[700] ?? "", including: true, direction: "next", limit: 1 })).toEqual([
    all[700],
  ])
})
