/** What a host allows without asking: complete outputs (TO3), and what its rules say. */
import { Effect } from "effect"
import { mkdir, mkdtempDisposable, realpath, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { makeAuthorise, nothingAllowed } from "../../src/host/permissions.ts"
import { readTool } from "../../src/tools/index.ts"

test("[PE2 TO3] an output file may be read, what lies beside or below its directory asks", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "holdfast-outputs-"))
  const data = await realpath(folder.path)
  const outputDirectory = join(data, "tool-output")
  const settings = { ...nothingAllowed, outputDirectory, ownDirectories: [data] }
  const authorise = makeAuthorise(settings, { user: [], agent: [], project: [] }, () => ({
    tool: readTool,
    builtIn: true,
  }))
  const verdictOn = async (path: string) => {
    await mkdir(dirname(join(data, path)), { recursive: true })
    await writeFile(join(data, path), "")
    const location = { directory: join(data, "project"), projectRoot: join(data, "project") }
    await mkdir(location.directory, { recursive: true })
    const asked = { name: "read", input: { path: join(data, path) }, location }
    const verdict = await Effect.runPromise(
      authorise({ ...asked, granted: [], approvals: [], allow: [] } as never),
    )
    return verdict.kind
  }
  expect(await verdictOn("tool-output/ses_1-a.txt")).toBe("allow")
  expect(await verdictOn("tool-output/deep/a.txt")).toBe("ask")
  expect(await verdictOn("tool-output-of-others/a.txt")).toBe("ask")
  expect(await verdictOn("server.token")).toBe("ask")
})

test("[PE1] a rule that cannot be read allows nothing, nor does any beside it", async () => {
  const location = { directory: "/project", projectRoot: "/project" }
  const verdictOn = async (everywhere: readonly string[], session: readonly string[]) => {
    const settings = { ...nothingAllowed, allow: everywhere as never }
    const authorise = makeAuthorise(settings, { user: [], agent: [], project: [] }, () => ({
      tool: readTool,
      builtIn: true,
    }))
    const asked = { name: "read", input: { path: "/elsewhere/a" }, location, granted: [], approvals: [] }
    return (await Effect.runPromise(authorise({ ...asked, allow: session } as never))).kind
  }
  const allowed = ["outside", "read"]
  expect(await verdictOn(allowed, [])).toBe("allow")
  expect(await verdictOn([], allowed)).toBe("allow")
  expect(await verdictOn(["deny read(/elsewhere/**)", ...allowed], [])).toBe("ask")
  expect(await verdictOn([], [...allowed, "deny read(/elsewhere/**)"])).toBe("ask")
  expect(await verdictOn(allowed, ["%%%"])).toBe("allow")
})
