/** Instructions of directories in which something was read, and those under another name. */
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { unavailable } from "../../src/context/system-context.ts"
import { discoverInstructions } from "../../src/instructions/discovery.ts"
import { nestedDirectories } from "../../src/instructions/nested.ts"
import { findProjectRoot } from "../../src/instructions/project.ts"
import { memoryFiles, type MemoryFiles } from "./memory-files.ts"

const location = { directory: "/w/app/web", projectRoot: "/w/app" }

describe("[IN3] directories on the way to what was read", () => {
  test.each<readonly [string, readonly string[], readonly string[]]>([
    ["below the Location", ["/w/app/web/a/b/x.ts"], ["/w/app/web/a", "/w/app/web/a/b"]],
    ["beside it", ["/w/app/api/x.ts"], ["/w/app/api"]],
    ["in it, and above it", ["/w/app/web/x.ts", "/w/app/x.ts"], []],
    ["outside the project", ["/etc/passwd", "/w/application/x.ts", "/w/app"], []],
    ["twice", ["/w/app/web/b/x", "/w/app/web/a/y", "/w/app/web/b/z"], ["/w/app/web/b", "/w/app/web/a"]],
  ])("%s", (_, met, found) => expect(nestedDirectories(location, met)).toEqual(found))

  test("are so many at most", () => {
    const met = Array.from({ length: 100 }, (_, at) => `/w/app/web/d${at}/x`)
    expect(nestedDirectories(location, met)).toHaveLength(64)
  })
})

const discover = (files: MemoryFiles, nested: readonly string[] = []) => {
  const project = findProjectRoot(location.directory, files)
  const found = Effect.runSync(
    discoverInstructions({ project, configDirectory: "/srv/config", files, nested }),
  )
  return found === unavailable ? found : found.map(({ path }) => path)
}
const project = { "/w/app/.git/HEAD": "", "/w/app/web/index.html": "" }

test("[IN1 IN3] nested files follow all others in order of discovery, and never from outside the project", () => {
  const files = memoryFiles({
    ...project,
    "/w/app/AGENTS.md": "root",
    "/w/app/web/b/AGENTS.md": "b",
    "/w/app/web/a/AGENTS.md": "a",
    "/w/AGENTS.md": "above",
    "/w/app/web/c/x": "",
  })
  files.links.set("/w/app/web/c/AGENTS.md", "/w/AGENTS.md")
  expect(discover(files, ["/w/app/web/b", "/w/app/web/c", "/w/app/web/a"])).toEqual([
    "/w/app/AGENTS.md",
    "/w/app/web/b/AGENTS.md",
    "/w/app/web/a/AGENTS.md",
  ])
})

test("[IN1] CLAUDE.md is read where a directory of the project has no AGENTS.md", () => {
  const files = memoryFiles({
    ...project,
    "/w/app/AGENTS.md": "root",
    "/w/app/CLAUDE.md": "not this",
    "/w/app/web/CLAUDE.md": "web",
    "/w/app/web/a/CLAUDE.md": "a",
    "/srv/config/CLAUDE.md": "not the user's",
  })
  expect(discover(files, ["/w/app/web/a"])).toEqual([
    "/w/app/AGENTS.md",
    "/w/app/web/CLAUDE.md",
    "/w/app/web/a/CLAUDE.md",
  ])
})
