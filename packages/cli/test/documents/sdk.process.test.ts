/** The snippets of docs/sdk.md are one program, and it runs. */
import { readFileSync } from "node:fs"
import { symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makePlace } from "../place.ts"

const root = join(import.meta.dirname, "../../../..")

test("docs/sdk.md is a program that runs to its end", { timeout: 60_000 }, async () => {
  const page = readFileSync(join(root, "docs/sdk.md"), "utf8")
  const snippets = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, snippet = ""]) => snippet)
  await using place = await makePlace()
  const program = join(place.project, "program.ts")
  await symlink(join(root, "node_modules"), join(place.project, "node_modules"))
  await writeFile(program, `${snippets.join("\n")}\nconsole.log("to the end")\n`)
  const { code, out, err } = await place.run([], { program })
  expect({ code, out, err }).toEqual({ code: 0, out: "to the end\n", err: "" })
})
