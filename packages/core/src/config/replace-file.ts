/** A file put in the place of another in a single step: whatever goes wrong, the old one stays. */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { makePrivateDirectory } from "@holdfast/store/data-file"

/** `mode` is that of the file from now on. */
export function replaceFile(file: string, text: string, mode = 0o600): void {
  makePrivateDirectory(dirname(file))
  const draft = `${file}.${process.pid}.draft`
  try {
    const descriptor = openSync(draft, "w", mode)
    try {
      fchmodSync(descriptor, mode) // the mode above is less what the umask takes
      writeFileSync(descriptor, text) // all of it, or it throws; one write may take a part
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
