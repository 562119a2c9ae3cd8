/** What happens to a path between its check and its use. */
import { mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { withDirectoryOf } from "../../../src/tools/file/opened-directory.ts"
import { resolveInLocation } from "../../../src/tools/location-path.ts"
import { temporaryDirectory } from "../workspace.ts"

/** A checked path whose directory can be swapped for a link that leads out. */
async function checkedPath() {
  const outside = await temporaryDirectory()
  const directory = await temporaryDirectory()
  await mkdir(join(directory, "sub/deep"), { recursive: true })
  await mkdir(join(outside, "deep"))
  const target = await Effect.runPromise(resolveInLocation({ directory }, "sub/deep/file"))
  const swap = async () => {
    await rename(join(directory, "sub"), join(directory, "gone"))
    await symlink(outside, join(directory, "sub"))
  }
  return { outside, directory, target, swap }
}

test("[PE2] a directory that became a link since the check is not opened", async () => {
  const { outside, target, swap } = await checkedPath()
  await swap()
  const write = withDirectoryOf(target, (opened) => writeFile(opened.at("file"), "x"), { makes: true })
  await expect(write).rejects.toMatchObject({ code: expect.stringMatching(/^(ELOOP|ENOTDIR|EMOVED)$/) })
  expect(await readdir(join(outside, "deep"))).toEqual([])
})

test("[PE2] a path that leads elsewhere than when it was judged is refused, inside the project too", async () => {
  const directory = await temporaryDirectory()
  await writeFile(join(directory, ".env"), "TOKEN=1")
  await writeFile(join(directory, "notes.md"), "notes")
  const judged = [join(directory, "notes.md")]
  const found = (path: string) =>
    Effect.runPromise(Effect.result(resolveInLocation({ directory, judged }, path)))
  expect(await found("notes.md")).toMatchObject({ success: { shown: "notes.md" } })
  await rename(join(directory, "notes.md"), join(directory, "gone"))
  await symlink(".env", join(directory, "notes.md"))
  expect(await found("notes.md")).toMatchObject({ failure: { code: "moved" } })
})

test.skipIf(process.platform !== "linux")(
  "[PE2] what is done below an opened directory is done there, whatever becomes of its path",
  async () => {
    const { outside, directory, target, swap } = await checkedPath()
    await withDirectoryOf(target, async (opened) => {
      await swap()
      await writeFile(opened.at("file"), "x")
    })
    expect(await readdir(join(outside, "deep"))).toEqual([])
    expect(await readdir(join(directory, "gone/deep"))).toEqual(["file"])
  },
)
