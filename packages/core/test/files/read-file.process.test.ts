/** What can be read of a Location by its files: pieces of regular files inside of it, and nothing else. */
import { execFileSync } from "node:child_process"
import { mkdir, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { filePieceBytesMax } from "@holdfast/schema/location"
import { makeFolder } from "../../../../test/stage/opened.ts"
import { type ReadFilePiece, readPiece } from "../../src/files/read-file.ts"

const read = (directory: string, wanted: ReadFilePiece) =>
  Effect.runPromise(
    Effect.match(readPiece(directory, wanted), {
      onSuccess: ({ piece, bytes }) => ({ ...piece, text: new TextDecoder().decode(bytes) }),
      onFailure: (failure) => ({ tag: failure._tag, code: "code" in failure ? failure.code : null }),
    }),
  )

describe("reading a file", () => {
  test("gives a piece, and says of what", async () => {
    using folder = makeFolder("files")
    await writeFile(join(folder.directory, "a.txt"), "0123456789")
    await symlink("a.txt", join(folder.directory, "link"))
    const whole = { path: "a.txt", size: 10, offset: 0, modifiedAt: expect.any(Number), text: "0123456789" }
    expect(await read(folder.directory, { path: "a.txt" })).toEqual(whole)
    expect(await read(folder.directory, { path: "./x/../link" })).toEqual(whole)
    const piece = await read(folder.directory, { path: "a.txt", offset: 3, length: 4 })
    expect(piece).toMatchObject({ offset: 3, text: "3456" })
    expect(await read(folder.directory, { path: "a.txt", offset: 99 })).toMatchObject({ size: 10, text: "" })
  })

  test("holds no more of a large file than one piece", async () => {
    using folder = makeFolder("files")
    await writeFile(join(folder.directory, "large"), "")
    await truncate(join(folder.directory, "large"), 8 * 1_024 ** 3)
    const { piece, bytes } = await Effect.runPromise(
      readPiece(folder.directory, { path: "large", length: 1_000_000_000 }),
    )
    expect([piece.size, bytes.length]).toEqual([8 * 1_024 ** 3, filePieceBytesMax])
  })

  test("[PE2] refuses whatever leads out, is not there, or is no file", async () => {
    using outside = makeFolder("files-outside")
    using folder = makeFolder("files")
    await writeFile(join(outside.directory, "secret"), "secret")
    await mkdir(join(folder.directory, "folder"))
    await symlink(outside.directory, join(folder.directory, "out"))
    await symlink(join(outside.directory, "secret"), join(folder.directory, "file"))
    await symlink("nowhere", join(folder.directory, "broken"))
    await symlink("loop", join(folder.directory, "loop"))
    await symlink("/dev/zero", join(folder.directory, "zero"))
    execFileSync("mkfifo", [join(folder.directory, "pipe")])
    const outsides = [
      "..",
      "../x",
      "/etc/passwd",
      `${folder.directory}-x`,
      "out",
      "out/secret",
      "file",
      "zero",
    ]
    for (const path of outsides)
      expect([path, await read(folder.directory, { path })]).toEqual([
        path,
        { tag: "PathOutside", code: null },
      ])
    const others: readonly (readonly [string, string, string | null])[] = [
      ["missing", "PathNotFound", null],
      ["broken", "PathNotFound", null],
      ["folder/missing/x", "PathNotFound", null],
      ["loop", "PathRefused", "invalid"],
      ["a\0b", "PathRefused", "invalid"],
      ["x".repeat(300), "PathRefused", "invalid"],
      ["folder", "PathRefused", "not_a_file"],
      ["pipe", "PathRefused", "not_a_file"],
    ]
    for (const [path, tag, code] of others)
      expect([path, await read(folder.directory, { path })]).toEqual([path, { tag, code }])
  })
})
