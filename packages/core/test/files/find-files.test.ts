/** Search by name: one order of the tree, which pages follow both ways. */
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { beforeAll, afterAll, describe, expect, test } from "vitest"
import { makeFolder, type Folder } from "../../../../test/stage/opened.ts"
import { findFiles, type FoundFiles } from "../../src/files/find-files.ts"

let folder: Folder
let location: { readonly directory: string; readonly projectRoot: string }

const files = [
  "a.ts",
  "b/a.ts",
  "b/c/a.ts",
  "b/c/deep.ts",
  "b/z.ts",
  "build/out.ts",
  "c.md",
  "d/keep/a.ts",
  "d/kept.ts",
]

beforeAll(async () => {
  folder = makeFolder("find")
  location = { directory: folder.directory, projectRoot: folder.directory }
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(folder.directory, path)), { recursive: true })
    await writeFile(join(folder.directory, path), text)
  }
  for (const path of files) await write(path, "text")
  await write(".git/config.ts", "never shown")
  await write(".gitignore", "build/\n")
  await write("d/.gitignore", "keep\n")
  await symlink("/", join(folder.directory, "link.ts"))
})
afterAll(() => folder.remove())

const find = (
  given: Partial<Parameters<typeof findFiles>[0]> & { readonly at?: string },
  lookedAtMax?: number,
): Promise<FoundFiles> => {
  const { at = ".", ...more } = given
  return findFiles(
    {
      location,
      below: join(location.directory, at),
      name: "",
      beside: null,
      direction: "next",
      limit: 100,
      ...more,
    },
    lookedAtMax,
  )
}

const paths = ({ entries }: FoundFiles) => entries.map(({ path }) => path)
const inOrder = ["a.ts", "b/a.ts", "b/c/a.ts", "b/c/deep.ts", "b/z.ts", "d/kept.ts", "link.ts"]

describe("a search", () => {
  test("finds by a part of the name, in the order of the tree, without what is ignored", async () => {
    const found = await find({ name: ".TS" })
    expect(paths(found)).toEqual(inOrder)
    expect(found.stoppedAt).toBeNull()
  })

  test("finds directories, each before what it holds", async () =>
    expect(paths(await find({ at: "b" }))).toEqual(["b/a.ts", "b/c", "b/c/a.ts", "b/c/deep.ts", "b/z.ts"]))

  test("looks at the whole path where a slash is asked for", async () =>
    expect(paths(await find({ name: "c/a" }))).toEqual(["b/c/a.ts"]))

  test("goes by the ignore files above where it begins", async () =>
    expect(paths(await find({ at: "d" }))).toEqual(["d/.gitignore", "d/kept.ts"]))

  test("[PE2] finds a link and does not follow it", async () => {
    const { entries } = await find({ name: "link" })
    expect(entries).toMatchObject([{ path: "link.ts", kind: "link", bytes: null }])
  })

  test("[PG1] goes on behind every place and back before it", async () => {
    const all = paths(await find({}))
    for (const [at, beside] of all.entries()) {
      expect(paths(await find({ beside }))).toEqual(all.slice(at + 1))
      expect(paths(await find({ beside, direction: "previous" }))).toEqual(all.slice(0, at))
    }
  })

  test("[PG1] goes on beside a path that is gone", async () => {
    expect(paths(await find({ name: ".ts", beside: "b/b" }))).toEqual(inOrder.slice(2))
    expect(paths(await find({ name: ".ts", beside: "b/b", direction: "previous" }))).toEqual(
      inOrder.slice(0, 2),
    )
  })

  test("stops after so many entries, says where, and misses nothing when it goes on there", async () => {
    for (const direction of ["next", "previous"] as const) {
      const found: string[] = []
      let beside: string | null = direction === "next" ? null : "zz"
      for (;;) {
        const piece: FoundFiles = await find({ name: ".ts", beside, direction }, 3)
        found.push(...(direction === "next" ? paths(piece) : paths(piece).toReversed()))
        beside = piece.stoppedAt
        if (beside === null) break
      }
      expect(found).toEqual(direction === "next" ? inOrder : inOrder.toReversed())
    }
  })
})
