/**
 * Image files that a person names on the command line, read before anything is opened or sent: one
 * that cannot be read is a wrong argument. Whether it is an image is for Holdfast to say.
 */
import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { basename, resolve } from "node:path"
import { imageGivenBytesMax, imagesTogetherMax } from "@holdfast/schema/media"
import type { SessionsPromptInput } from "@holdfast/sdk"
import { UsageError } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"

export type PromptImages = NonNullable<SessionsPromptInput["images"]>

export async function readImages(
  { directory }: Pick<Terminal, "directory">,
  files: readonly string[],
): Promise<PromptImages> {
  if (files.length > imagesTogetherMax) {
    throw new UsageError(
      `A prompt brings at most ${imagesTogetherMax} images, and here are ${files.length}. Send them in several prompts.`,
    )
  }
  const images: PromptImages[number][] = []
  for (const file of files) images.push({ data: await readImage(directory, file), name: basename(file) })
  return images
}

/** In Base64. Opened once and judged by what was opened: a pipe or a device may never end (SU1). */
async function readImage(directory: string, file: string): Promise<string> {
  const path = resolve(directory, file)
  let isFile = true
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    await using handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const found = await handle.stat()
    isFile = found.isFile()
    if (isFile && found.size <= imageGivenBytesMax) return await handle.readFile("base64")
  } catch (caught) {
    // Whatever the system has against the file, another name would mend it.
    const { code = "no code" } = caught as NodeJS.ErrnoException
    throw new UsageError(
      code === "ENOENT"
        ? `There is no image ${path}. Name another with --image.`
        : `The image ${path} cannot be read (${code}). Name another with --image.`,
    )
  }
  if (!isFile) throw new UsageError(`The image ${path} is no regular file. Name another with --image.`)
  throw new UsageError(
    `The image ${path} has more than ${imageGivenBytesMax / 1_048_576} MiB. Make it smaller and send it again.`,
  )
}
