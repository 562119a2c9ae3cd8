/** What is, or is about to be, under version control. Asks git, hence a process test. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { repositoryRoot } from "../../scripts/command.ts"
import { listFiles } from "./source.ts"

const rootFolders = new Set(["packages", "docs", "examples", "scripts", "test"])
const files = trackedFiles()
const texts = files
  .map((path) => ({ path, bytes: readFileSync(join(repositoryRoot, path)) }))
  .filter(({ bytes }) => !bytes.subarray(0, 8_000).includes(0))
  .map(({ path, bytes }) => ({ path, text: bytes.toString("utf8") }))

test("the root holds only the folders of the layout", () => {
  const folders = new Set(files.filter((path) => path.includes("/")).map((path) => path.split("/")[0] ?? ""))
  const odd = [...folders].filter((folder) => !folder.startsWith(".") && !rootFolders.has(folder))
  expect(odd, `Root folders are ${[...rootFolders].join(", ")}.`).toEqual([])
})

test("no file names a path of one machine", () => {
  const machinePath = /(^|[^A-Za-z0-9_.])\/(work|farm|root|home\/[a-z]+)\//
  expect(
    linesWith((line) => machinePath.test(line)),
    "Use a path from the root of the repository, or a temporary folder.",
  ).toEqual([])
})

test("no file names the host of a registry", () => {
  const used = process.env["npm_config_registry"]
  const host = used === undefined ? null : new URL(used).host
  const remedy = "Install with `omit-lockfile-registry-resolved=true`, and keep hosts out of the tree."
  if (host !== null)
    expect(
      linesWith((line) => line.includes(host)),
      remedy,
    ).toEqual([])
  const lock = texts.find(({ path }) => path === "package-lock.json")?.text ?? ""
  expect(lock.match(/"resolved": "[a-z+]+:.*"/g) ?? [], remedy).toEqual([])
})

function linesWith(wrong: (line: string) => boolean): string[] {
  return texts
    .filter(({ path }) => path !== "package-lock.json")
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => (wrong(line) ? [`${path}:${index + 1}`] : [])),
    )
}

/** Tracked and untracked files without the ignored ones; in an unpacked archive, all of them. */
function trackedFiles(): string[] {
  if (!existsSync(join(repositoryRoot, ".git"))) return listFiles(".")
  const request = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  return execFileSync("git", request, { cwd: repositoryRoot, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(repositoryRoot, path)))
}
