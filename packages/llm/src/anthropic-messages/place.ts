/**
 * Cache markers and the body's bytes (LL5).
 *
 * The provider reads a cache only at positions where an earlier request wrote a marker, looks back
 * 20 blocks from each marker, and takes four. Markers go, in this order, to: the tail's end; the
 * previous request's end, when more than 15 blocks lie between; the end of the History Delta; of
 * the History Baseline; of the system text, which covers the tools.
 *
 * The body is written in groups of about 32 KiB. Groups of old blocks are kept and sent again as
 * they are, as long as their markers stay; only what is new is written.
 */
import type { SegmentName } from "@holdfast/schema/turn"
import { chainOf, type Link, requestHash } from "../blocks.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, PlacedRequest } from "../wire.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "anthropic-messages/1"

export const markersMax = 4

/** The provider looks back 20 blocks; five are left for what it counts otherwise. */
export const blocksBetweenMax = 15

/** Pieces of about this size reach the socket soonest without a call for each block. */
const pieceBytes = 32 * 1024

export function place(encoded: Encoded, target: Target, previousBlocks: number): PlacedRequest {
  const markers = placeMarkers(encoded.blocks, previousBlocks)
  const { cacheTtl } = target.options
  const body = writeBody(encoded, markers, cacheTtl)
  const bytes = body.reduce((sum, piece) => sum + piece.length, 0)
  const { blocks, params, prefixHash, tokens } = encoded
  const hash = requestHash({ prefixHash, params, markers, cacheTtl, encoder: encoderVersion })
  return {
    record: {
      hash,
      prefixHash,
      encoder: encoderVersion,
      blocks: blocks.length,
      bytes,
      tokensEstimated: tokens,
      markers,
    },
    body,
    bytes,
  }
}

/** Positions in ascending order, at most four. */
export function placeMarkers(blocks: readonly Block[], previousBlocks: number): readonly number[] {
  const end = markableBefore(blocks, blocks.length)
  const previousEnd = markableBefore(blocks, Math.min(previousBlocks, blocks.length))
  const ends = segmentEnds(blocks)
  const candidates = [
    end,
    end - previousEnd - 1 > blocksBetweenMax ? previousEnd : -1,
    ends["history-delta"],
    ends["history-baseline"],
    Math.max(ends.system, ends.agent) >= 0 ? Math.max(ends.system, ends.agent) : ends.tools,
  ]
  const chosen = [...new Set(candidates.filter((position) => position >= 0))].slice(0, markersMax)
  return chosen.sort((a, b) => a - b)
}

function markableBefore(blocks: readonly Block[], length: number): number {
  let at = length - 1
  while (at >= 0 && blocks[at]?.markable !== true) at -= 1
  return at
}

/** The last block of each segment that can carry a marker, -1 if none can. */
function segmentEnds(blocks: readonly Block[]): Readonly<Record<SegmentName, number>> {
  const ends: Record<SegmentName, number> = {
    params: -1,
    tools: -1,
    system: -1,
    agent: -1,
    "history-baseline": -1,
    "history-delta": -1,
    tail: -1,
  }
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i] as Block
    // The tail comes last and is long; its end is found from behind.
    if (block.segment === "tail") break
    if (block.markable) ends[block.segment] = i
  }
  return ends
}

function writeBody(encoded: Encoded, markers: readonly number[], ttl: "5m" | "1h"): readonly Uint8Array[] {
  const last = chainOf(encoded.blocks)
  // The closing brace of the settings makes way for the lists.
  const settings = encoded.params.slice(0, -1)
  if (last === null) return [Buffer.from(`${settings}}`)]
  const pieces: Uint8Array[] = [Buffer.from(listOf(last.block) === "messages" ? "]}]}" : "]}")]
  for (let end: Link | null = last; end !== null;) {
    const start = groupStart(end)
    const before = start?.length ?? 0
    const length = end.length
    const marked = markers.filter((position) => position >= before && position < length)
    // Only a whole group comes back; the last one is still growing.
    pieces.push(end === last ? writeGroup(end, start, marked, ttl) : groupBytes(end, start, marked, ttl))
    end = start
  }
  pieces.push(Buffer.from(settings))
  return pieces.toReversed()
}

interface Group {
  readonly bytes: Buffer
  readonly start: Link | null
  /** The markers it was written with. */
  readonly marks: string
}

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

function groupBytes(end: Link, start: Link | null, markers: readonly number[], ttl: "5m" | "1h"): Buffer {
  const marks = markers.length === 0 ? "" : `${ttl}@${markers.join()}`
  const known = groups.get(end)
  if (known?.marks === marks) return known.bytes
  const bytes = writeGroup(end, start, markers, ttl)
  groups.set(end, { bytes, start, marks })
  return bytes
}

function writeGroup(end: Link, start: Link | null, markers: readonly number[], ttl: "5m" | "1h"): Buffer {
  const texts: string[] = []
  // Backwards, as links point; a block is put before what stands behind it.
  for (let link: Link = end; link !== start && link !== null; link = link.previous as Link) {
    const { block, previous, length } = link
    texts.push(markers.includes(length - 1) ? withMarker(block.json, ttl) : block.json)
    texts.push(separator(previous?.block ?? null, block))
  }
  return Buffer.from(texts.toReversed().join(""))
}

/** What stands before a block: lists and messages open where the block before ends another. */
function separator(before: Block | null, block: Block): string {
  const list = listOf(block)
  const open = list === "messages" ? `{"role":"${block.role}","content":[` : ""
  if (before === null) return `,"${list}":[${open}`
  if (listOf(before) !== list) return `],"${list}":[${open}`
  return list === "messages" && before.role !== block.role ? `]},${open}` : ","
}

type List = "tools" | "system" | "messages"

const listOf = (block: Block): List =>
  block.role !== null ? "messages" : block.segment === "tools" ? "tools" : "system"

const withMarker = (json: string, ttl: "5m" | "1h"): string =>
  `${json.slice(0, -1)},"cache_control":{"type":"ephemeral"${ttl === "1h" ? ',"ttl":"1h"' : ""}}}`
