/** A configuration directory and a project with files in them, on a real disk. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

export interface FilePlace extends AsyncDisposable {
  readonly root: string
  readonly configDirectory: string
  readonly project: string
  /** By its path from the root of the place: `config/…` or `project/…`. */
  readonly write: (path: string, text: string) => Promise<string>
  readonly link: (path: string, to: string) => Promise<void>
}

export async function makeFilePlace(): Promise<FilePlace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-files-")))
  const project = join(root, "project")
  await mkdir(join(project, ".git"), { recursive: true })
  const made = async (path: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    return join(root, path)
  }
  return {
    root,
    project,
    configDirectory: join(root, "config"),
    write: async (path, text) => {
      const file = await made(path)
      await writeFile(file, text)
      return file
    },
    link: async (path, to) => symlink(to, await made(path)),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}
