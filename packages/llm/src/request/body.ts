/**
 * The body's bytes, from blocks and settings (TU1).
 *
 * The body is written in groups of about 32 KiB. Groups of old blocks are kept and sent again as
 * they are, as long as their markers stay; only what is new is written. A wire's layout says what
 * stands between blocks.
 */
import { chainOf, type Link } from "../blocks.ts"
import type { RequestRecord } from "@holdfast/schema/turn"
import type { Block, Encoded } from "../wire.ts"
import { type MediaHole, piecesAround, type TextWithHoles } from "./media-hole.ts"

/** What stands before the first of some blocks, and behind the last. */
export interface Brackets {
  readonly open: string
  readonly close: string
}

export interface BodyLayout {
  readonly tools: Brackets
  /** Absent where prompts are messages. */
  readonly prompts?: Brackets
  readonly messages: Brackets
  /** Blocks of one list in a row that open alike share brackets inside of it. */
  readonly groupOf?: (block: Block) => Brackets
  /** A block with a cache marker. */
  readonly mark?: (json: string, ttl: string) => string
}

export const listNamed = (name: string): Brackets => ({ open: `,"${name}":[`, close: "]" })

/** A message, whose blocks are the members of one list. */
export const messageOf = (role: string | null, content = "content"): Brackets => ({
  open: `{"role":"${role}","${content}":[`,
  close: "]}",
})

export const noBrackets: Brackets = { open: "", close: "" }

const listOf = ({ tools, prompts, messages }: BodyLayout, { segment, role }: Block): Brackets =>
  segment === "tools" ? tools : role === null ? (prompts ?? messages) : messages

/** What stands before a block: lists and groups open where the block before ends another. */
function separator(layout: BodyLayout, before: Block | null, block: Block): string {
  const list = listOf(layout, block)
  const { open } = layout.groupOf?.(block) ?? noBrackets
  if (before === null) return list.open + open
  const last = layout.groupOf?.(before) ?? noBrackets
  const listBefore = listOf(layout, before)
  if (listBefore !== list) return last.close + listBefore.close + list.open + open
  return last.open === open ? "," : `${last.close},${open}`
}

type Markers = RequestRecord["markers"]

/** A piece of the body; one that stands for an image names it. */
interface Piece {
  readonly bytes: Uint8Array
  readonly hole: MediaHole | null
}

export type BodyWriter = (encoded: Encoded, markers: Markers) => readonly Piece[]

/** Pieces of about this size reach the socket soonest without a call for each block. */
const pieceBytes = 32 * 1024

interface Group {
  readonly pieces: readonly Piece[]
  readonly start: Link | null
  /** The markers it was written with. */
  readonly marks: string
}

export function makeBodyWriter(layout: BodyLayout): BodyWriter {
  /** Groups whose blocks are all old, by the last link of each: a link stands for all before it. */
  const groups = new WeakMap<Link, Group>()

  /** The end of the group before: groups part where the count of bytes passes a multiple of a piece. */
  function groupStart(end: Link): Link | null {
    const known = groups.get(end)
    if (known !== undefined) return known.start
    const group = Math.floor(end.bytes / pieceBytes)
    let at: Link | null = end.previous
    while (at !== null && Math.floor(at.bytes / pieceBytes) === group) at = at.previous
    return at
  }

  function groupBytes(end: Link, start: Link | null, marked: Markers): readonly Piece[] {
    const marks = marked.map(({ block, lifetime }) => `${lifetime}@${block}`).join()
    const known = groups.get(end)
    if (known?.marks === marks) return known.pieces
    const pieces = writeGroup(end, start, marked)
    groups.set(end, { pieces, start, marks })
    return pieces
  }

  function writeGroup(end: Link, start: Link | null, marked: Markers): readonly Piece[] {
    const texts: TextWithHoles[] = []
    // Backwards, as links point; a block is put before what stands behind it.
    for (let link: Link = end; link !== start && link !== null; link = link.previous as Link) {
      const { block, previous, length } = link
      const marker = marked.find((one) => one.block === length - 1)
      const json = marker ? (layout.mark?.(block.json, marker.lifetime) ?? block.json) : block.json
      const text = separator(layout, previous?.block ?? null, block) + json
      texts.push({ text, holes: block.holes ?? noHoles })
    }
    return piecesAround(texts.toReversed())
  }

  return (encoded, markers) => {
    const last = chainOf(encoded.blocks)
    // The closing brace of the settings makes way for the lists.
    const settings = encoded.params.slice(0, -1)
    if (last === null) return [text(`${settings}}`)]
    const group = layout.groupOf?.(last.block) ?? noBrackets
    const pieces: (readonly Piece[])[] = [[text(`${group.close}${listOf(layout, last.block).close}}`)]]
    for (let end: Link | null = last; end !== null;) {
      const start = groupStart(end)
      const before = start?.length ?? 0
      const length = end.length
      const marked = markers.filter(({ block }) => block >= before && block < length)
      // Only a whole group comes back; the last one is still growing.
      pieces.push(end === last ? writeGroup(end, start, marked) : groupBytes(end, start, marked))
      end = start
    }
    pieces.push([text(settings)])
    return pieces.toReversed().flat()
  }
}

const noHoles: readonly MediaHole[] = []

const text = (words: string): Piece => ({ bytes: Buffer.from(words), hole: null })
