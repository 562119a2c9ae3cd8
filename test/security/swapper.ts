/**
 * A second process that swaps files and folders of a project for links and back, as fast as asked, and
 * says how often it did. Arguments: the project, how often, and the pause between two rounds.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [project = "", rounds = "1000", pauseMs = "1"] = process.argv.slice(2)
const src = (name: string): string => join(project, "src", name)

/** A name that is a file, or a link to what may not be read. */
const files: readonly (readonly [name: string, target: string])[] = [
  ["swapped-in.ts", "../.env"],
  ["swapped-out.ts", "../../beside/secret.txt"],
]
/** A name that is a folder, or a link to one that may not be touched. */
const folders: readonly (readonly [name: string, target: string])[] = [
  ["swapped-folder", "../../beside"],
  ["swapped-hooks", "../.git/hooks"],
]

const pause = new Int32Array(new SharedArrayBuffer(4))
const wait = (): void => void Atomics.wait(pause, 0, 0, Number(pauseMs))

/** A tool may have made a folder of this name in the moment when there was none. */
function putFolder(name: string, put: (path: string) => void): void {
  for (;;) {
    try {
      rmSync(src(name), { recursive: true, force: true })
      return put(src(name))
    } catch (error) {
      if (!/^(?:EEXIST|ENOTEMPTY|ENOTDIR)$/.test(String((error as NodeJS.ErrnoException).code))) throw error
    }
  }
}

for (const [name] of folders) mkdirSync(src(`${name}.kept`), { recursive: true })
for (const [name] of folders) writeFileSync(src(`${name}.kept/secret.txt`), "harmless\n")
for (let round = 0; round < Number(rounds); round++) {
  for (const [name, target] of files) {
    symlinkSync(target, src(`${name}.next`))
    renameSync(src(`${name}.next`), src(name))
  }
  for (const [name, target] of folders) putFolder(name, (path) => symlinkSync(target, path))
  wait()
  for (const [name] of files) {
    writeFileSync(src(`${name}.next`), "harmless\n")
    renameSync(src(`${name}.next`), src(name))
  }
  for (const [name] of folders) putFolder(name, (path) => renameSync(src(`${name}.kept`), path))
  wait()
  for (const [name] of folders) renameSync(src(name), src(`${name}.kept`))
}
console.log(rounds)
