/** Notices: the licences of the packages whose code is in a bundle, as they ask to be passed on. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

interface Notice {
  readonly name: string
  readonly version: string
  readonly text: string
}

/** The text of all notices for the files of a bundle, or null where all of it is our own. */
export function noticesOf(files: readonly string[]): string | null {
  const folders = new Set(
    files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  )
  const notices = [...folders].map(readNotice).sort((a, b) => (a.name < b.name ? -1 : 1))
  if (notices.length === 0) return null
  return notices.map(({ name, version, text }) => `${name} ${version}\n\n${text.trim()}\n`).join("\n---\n\n")
}

function readNotice(folder: string): Notice {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string
    readonly version: string
  }
  const [file] = globSync(["LICEN[CS]E*", "licen[cs]e*"], { cwd: folder })
  if (file === undefined) throw new Error(`${name} has no licence file, so its code cannot be passed on.`)
  return { name, version, text: readFileSync(join(folder, file), "utf8") }
}
