/** A mutant whose text is gone from the source proves nothing; only a few of them run in each test run. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { repositoryRoot } from "../../scripts/command.ts"
import { mutants } from "../mutants/mutants.ts"

test("every mutant finds its text once in its file", () => {
  const lost = mutants.flatMap(({ name, file, find }) => {
    const found = readFileSync(join(repositoryRoot, file), "utf8").split(find).length - 1
    return found === 1 ? [] : [`${name}: ${found} times in ${file}`]
  })
  expect(lost, "Point it at the text as it is now, or remove it.").toEqual([])
})
