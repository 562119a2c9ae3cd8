/** `npm run eval` says what there is to evaluate, and what it does not know. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

const script = join(import.meta.dirname, "../../scripts/eval.ts")

function evaluated(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" })
  return { status, stdout, stderr }
}

const evaluations = /There are three evaluations: .*eval -- window .*eval -- lifetime .*eval -- recall /

test("help names each evaluation, and is no failure", () => {
  const { status, stdout, stderr } = evaluated("--help")
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
  expect(stdout).toMatch(evaluations)
})

test.each([
  ["an evaluation that there is not", ["windows"], "There is no evaluation windows. There are three"],
  ["an option that there is not", ["window", "--windows"], "Unknown option '--windows'."],
])("%s is refused with what is wrong", (_, args: readonly string[], words) => {
  const { status, stdout, stderr } = evaluated(...args)
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" })
  expect(stderr.startsWith(words)).toBe(true)
})
