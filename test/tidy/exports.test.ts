/**
 * Every value that a module of a package exports is used by another file, a test at least.
 *
 * The linter for dead code cannot see this: each module of a package can be imported by its name,
 * so it takes all of them for entry points. Types are left alone; naming the type of a result is
 * a courtesy. A name in `index.ts` counts as used, for it is a decision; `export *` is none, but for
 * what is made from the contract.
 */
import { expect, test } from "vitest"
import { exportedValues, listSources, packageSources } from "./source.ts"

test("no module exports a value that nobody uses", () => {
  const users = listSources("packages", "scripts", "test", "examples").map((file) => ({
    path: file.path,
    words: new Set(file.text.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu)),
  }))
  const dead = packageSources()
    .filter(({ path }) => !path.endsWith("/index.ts") && !path.includes("/generated/"))
    .flatMap((file) =>
      exportedValues(file)
        .filter((name) => !users.some((user) => user.path !== file.path && user.words.has(name)))
        .map((name) => `${file.path} exports ${name}`),
    )
  expect(dead, "Remove it, or remove the word `export`.").toEqual([])
})
