/** An image in one line: what it is called, how large it is, and the handle that fetches it. */
import type { Media } from "@holdfast/sdk"
import { handleOf } from "@holdfast/schema/media"
import { clip } from "../figures.ts"
import { printable } from "../terminal.ts"

const nameCharactersMax = 60

export function imageLine({ name, width, height, hash }: Media): string {
  const called = name === null ? "" : `${JSON.stringify(clip(printable(name), nameCharactersMax))} `
  return `  [image ${called}${width} × ${height} ${handleOf({ hash })}]`
}
