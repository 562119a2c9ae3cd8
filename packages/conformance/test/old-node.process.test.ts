/** The command on a Node that is too old for it. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const program = fileURLToPath(new URL("../bin/holdfast-conformance.js", import.meta.url))
const old = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })`

test("says which Node it needs, and exits as where cases cannot be run", async () => {
  const args = ["--import", `data:text/javascript,${encodeURIComponent(old)}`, program, "--help"]
  const ended = await new Promise((resolve) =>
    execFile(process.execPath, args, (failure, out, err) => resolve([failure?.code, out, err])),
  )
  expect(ended).toEqual([
    2,
    "",
    "holdfast-conformance needs Node 22 or newer, but this is Node 20.20.2. Install a newer Node from https://nodejs.org, and run it again.\n",
  ])
})
