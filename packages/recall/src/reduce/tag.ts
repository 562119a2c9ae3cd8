/**
 * Tags: the numbers by which a model names what may be dropped (TG1).
 *
 * The number of a unit is the sequence of the record that brought it: that of a promoted input, and that
 * of the part that holds a call. So it is permanent, it is unique in a Session whoever writes, a fork
 * keeps it, and a window that was loaded knows it without anything before it. A user message bears the
 * number by which `context_expand` reads it. An image has the number of what shows it and, behind a point, its place
 * there: §12.01§.
 */
import type { CallPart } from "@holdfast/schema/message"

/** The tool by which a model drops what it needs no more (TL4). */
export const reduceToolName = "context_reduce"

export const isReduceCall = ({ name }: Pick<CallPart, "name">): boolean => name === reduceToolName

export const tagged = (seq: number, text: string): string =>
  text === "" ? mark(seq) : `${mark(seq)} ${text}`

export const mark = (tag: number): string => `§${Number.isInteger(tag) ? tag : tag.toFixed(2)}§`

/** More of one message or output than this have no tag of their own. */
export const imagesTaggedMax = 99

export const imageTag = (seq: number, image: number): number =>
  Number(`${seq}.${String(image).padStart(2, "0")}`)

/** What stands beside an image that is shown. */
export const imageTagged = (tag: number, name: string | null): string =>
  `[image ${mark(tag)}${name === null ? "" : ` ${JSON.stringify(name)}`}]`

/** What stands for a whole message of which nothing is left (TG3). */
export const droppedText = "[dropped]"

/** What stands for a unit: nothing but its number decides it. */
export const droppedTag = (tag: number | undefined): string =>
  tag === undefined ? droppedText : `[dropped ${mark(tag)}]`
