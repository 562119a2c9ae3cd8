/** `npm run pack` without a folder says what is missing, and makes nothing. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

const script = join(import.meta.dirname, "../../scripts/pack.ts")

test.each([[[]], [["--to"]], [["--to="]], [["--into", "x"]], [["x", "--to", "y"]]])(
  "%j is told in one line",
  (args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" })
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: "",
      stderr: "Say where the tarballs go: npm run pack -- --to DIR\n",
    })
  },
)
