/** `holdfast image`: an image of a Session, to a file or to whoever reads standard output. */
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { resolve } from "node:path"
import { handleOf } from "@holdfast/schema/media"
import { mediaOf } from "@holdfast/sdk"
import { findSession } from "../input/ids.ts"
import { openForCommand } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"
import { imageLine } from "./image-line.ts"

export interface ImageOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly server?: boolean
  readonly out?: string
}

export async function saveImage(
  terminal: Terminal,
  given: string,
  handle: string,
  options: ImageOptions,
): Promise<number> {
  const { out, json } = options
  const file = out === undefined ? null : resolve(terminal.directory, out)
  if (file !== null && existsSync(file)) throw new UsageError(`${out} exists already. Name another file.`)
  if (file === null && json !== true && terminal.interactive) {
    throw new UsageError("A terminal cannot show an image. Name a file with --out, or redirect the output.")
  }
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const image = await sessions.image({ sessionID: await findSession(sessions, given), handle })
    const media = mediaOf(image)
    if (file !== null) await writeImage(file, image.bytes)
    if (json === true) {
      terminal.write(`${JSON.stringify({ handle: handleOf(media), ...media, file })}\n`)
    } else if (file === null) {
      terminal.writeBytes(image.bytes)
    } else {
      terminal.write(`${imageLine(media).trim()} is in ${out}.\n`)
    }
    return 0
  } finally {
    await opened.close()
  }
}

const writeImage = (file: string, bytes: Uint8Array): Promise<void> =>
  writeFile(file, bytes, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be written (${error.code ?? "no code"}).`)
  })
