/** Where a search begins, while somebody swaps a folder on its path for a link that leads out. */
import { mkdirSync, readlinkSync, renameSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { openPlace } from "../../../src/tools/search/search-place.ts"
import { temporaryDirectory } from "../workspace.ts"

const tries = 300

/** The path of what was opened, or why nothing was. */
const opened = (directory: string, path: string): Promise<string> =>
  Effect.runPromise(
    openPlace({ directory }, path).pipe(
      Effect.map((place) => readlinkSync(place.directory)),
      Effect.scoped,
      Effect.catch((failure) => Effect.succeed(failure.code)),
    ),
  )

/** The folder `a` and the link take each other's place. */
async function swap(directory: string, until: AbortSignal): Promise<void> {
  const [folder, link, kept] = ["a", "link", "kept"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  while (!until.aborted) {
    renameSync(folder, kept)
    renameSync(link, folder)
    await new Promise(setImmediate)
    renameSync(folder, link)
    renameSync(kept, folder)
    await new Promise(setImmediate)
  }
}

test.skipIf(process.platform !== "linux")(
  "[PE2] is never outside the Location, however often a link takes the place of a folder",
  async () => {
    const outside = await temporaryDirectory()
    const directory = await temporaryDirectory()
    mkdirSync(join(outside, "inner"))
    mkdirSync(join(directory, "a", "inner"), { recursive: true })
    symlinkSync(outside, join(directory, "link"))
    const until = new AbortController()
    const swapped = swap(directory, until.signal)
    const seen = new Set<string>()
    for (let n = 0; n < tries; n++) seen.add(await opened(directory, "a/inner"))
    until.abort()
    await swapped
    seen.delete(join(directory, "a", "inner"))
    // While its folder bears another name, that is its path.
    seen.delete(join(directory, "kept", "inner"))
    expect([...seen].filter((path) => path.startsWith("/"))).toEqual([])
    expect(await opened(directory, "a/inner")).toBe(join(directory, "a", "inner"))
  },
)
