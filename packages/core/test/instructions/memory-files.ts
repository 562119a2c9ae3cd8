/** Instruction Files in memory, for tests of discovery: files, symlinks to follow, and unreadable paths. */
import { dirname } from "node:path"
import { Effect } from "effect"
import type { FileContent, InstructionFiles } from "../../src/instructions/files.ts"

export interface MemoryFiles extends InstructionFiles {
  /** Path to text; a directory exists if a file lies under it. */
  readonly texts: Map<string, string>
  /** Path to the path it links to; links are followed once, on the whole path or on its directory. */
  readonly links: Map<string, string>
  readonly unreadable: Set<string>
}

export function memoryFiles(texts: Record<string, string> = {}): MemoryFiles {
  const self: MemoryFiles = {
    texts: new Map(Object.entries(texts)),
    links: new Map(),
    unreadable: new Set(),
    read: (path) => Effect.sync(() => contentOf(self, path)),
    realPaths: (paths) =>
      Effect.sync(() =>
        paths.map((path) => {
          const real = resolveLink(self, path)
          return exists(self, real) ? real : { kind: "missing" }
        }),
      ),
    names: (directories) =>
      Effect.sync(() =>
        directories.map((directory) => {
          const below = [...self.texts.keys()].filter((path) => path.startsWith(`${directory}/`))
          return [
            ...new Set(below.map((path) => path.slice(directory.length + 1).split("/")[0] ?? "")),
          ].sort()
        }),
      ),
  }
  return self
}

function contentOf(files: MemoryFiles, path: string): FileContent {
  const real = resolveLink(files, path)
  if (files.unreadable.has(real)) return { kind: "unreadable", reason: "EACCES" }
  const text = files.texts.get(real)
  return text === undefined ? { kind: "missing" } : { kind: "text", text }
}

function resolveLink(files: MemoryFiles, path: string): string {
  const whole = files.links.get(path)
  if (whole !== undefined) return whole
  const parent = files.links.get(dirname(path))
  return parent === undefined ? path : parent + path.slice(dirname(path).length)
}

function exists(files: MemoryFiles, path: string): boolean {
  const under = path === "/" ? "/" : `${path}/`
  return [...files.texts.keys(), ...files.unreadable].some((file) => file === path || file.startsWith(under))
}
