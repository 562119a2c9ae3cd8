/** What is swapped for a link while a search goes on. */
import { mkdir, rename, symlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { SearchPlace } from "../../../src/tools/search/search-place.ts"
import { searchSteadily } from "../../../src/tools/search/steady.ts"
import { temporaryDirectory, until } from "../workspace.ts"

/** A search that finds two files, and what happens meanwhile. */
async function search(meanwhile: (directory: string, round: number) => Promise<void>) {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, "src/deep"), { recursive: true })
  for (const path of ["src/deep/a.ts", "b.ts"]) await writeFile(join(directory, path), "x")
  const made = Date.now()
  await until("the folders are older than the search", 5_000, () => Date.now() - made > 50)
  const place: SearchPlace = { kind: "directory", directory, shown: "." }
  let rounds = 0
  const left: string[] = []
  const { moved } = await Effect.runPromise(
    searchSteadily(place, () => ({
      found: { paths: () => ["src/deep/a.ts", "b.ts"], leaveOut: (paths) => void left.push(...paths) },
      run: Effect.promise(() => meanwhile(directory, ++rounds)),
    })),
  )
  return { moved, left, rounds }
}

/** Puts a link in the place of a name, and back. */
const swap = async (path: string) => {
  await rename(path, `${path}.kept`)
  await symlink("/nowhere", path)
  await rename(`${path}.kept`, path).catch(async () => {
    await rename(path, `${path}.link`)
    await rename(`${path}.kept`, path)
  })
  await utimes(path, 1, 1)
}

test("[PE2] where nothing moves, a search is made once and tells all", async () =>
  expect(await search(async () => {})).toEqual({ moved: 0, left: [], rounds: 1 }))

test("[PE2] a search that met a change is made once more, and tells all if nothing moves then", async () =>
  expect(
    await search((directory, round) =>
      round === 1 ? swap(join(directory, "src/deep/a.ts")) : Promise.resolve(),
    ),
  ).toMatchObject({ left: [], rounds: 2 }))

test.each([
  ["a file", "src/deep/a.ts", ["src/deep/a.ts"]],
  ["its folder", "src/deep", ["src/deep/a.ts"]],
  ["a folder above", "src", ["src/deep/a.ts", "b.ts"]],
])("[PE2] what is swapped again and again is left out: %s", async (_, swapped, left) =>
  expect(await search((directory) => swap(join(directory, swapped)))).toEqual({
    moved: left.length,
    left,
    rounds: 2,
  }),
)
