/** A data directory that cannot be used is told with its path, before anything is opened. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { expect, test } from "vitest"
import { prepareDataDirectory } from "../../src/host/data-directory.ts"

/** What is said of a path below a fresh directory, without that directory; null if nothing is. */
function told(name: string, prepare: (root: string) => void = () => {}): string | null {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-data-")))
  try {
    prepare(root)
    const result = Effect.runSync(Effect.result(prepareDataDirectory(join(root, name))))
    return Result.isSuccess(result) ? null : result.failure.message.replaceAll(root, "")
  } finally {
    rmSync(root, { recursive: true })
  }
}

test("[FA1] a directory that is there, or can be made, is ready", () => {
  expect(told("")).toBeNull()
  expect(told("a/b")).toBeNull()
  expect(told("", (root) => writeFileSync(join(root, "holdfast.db"), ""))).toBeNull()
})

test("[FA1] a data directory that is a file, or below one, is named with what to do", () => {
  const file = (root: string) => writeFileSync(join(root, "file"), "")
  const other = "or name another data directory: --data-dir on the command line, `dataDir` in a program."
  expect(told("file", file)).toBe(`/file is no directory. Check the path, ${other}`)
  expect(told("file/below", file)).toBe(
    `/file/below is not there and cannot be made (ENOTDIR). Check the path and the permissions above it, ${other}`,
  )
  expect(told("", (root) => mkdirSync(join(root, "holdfast.db")))).toBe(
    `/holdfast.db is no file. Move it away, ${other}`,
  )
})
