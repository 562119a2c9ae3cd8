/**
 * Cache markers and the body's bytes (LL5).
 *
 * The provider reads a cache only at positions where an earlier request wrote a marker, looks back
 * 20 blocks from each marker, and takes four. Markers go, in this order, to: the tail's end; the
 * previous request's end, when more than 15 blocks lie between; the end of the History Delta; of
 * the History Baseline; of the system text, which covers the tools.
 *
 * The bytes of a block are kept with it. Only marked blocks and separators are written anew.
 */
import type { SegmentName } from "@holdfast/schema/turn"
import { requestHash } from "../blocks.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, PlacedRequest } from "../wire.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "anthropic-messages/1"

export const markersMax = 4

/** The provider looks back 20 blocks; five are left for what it counts otherwise. */
export const blocksBetweenMax = 15

/** Pieces of about this size reach the socket soonest without a call for each block. */
const pieceBytes = 64 * 1024

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
  const candidates = [
    end,
    end - previousEnd - 1 > blocksBetweenMax ? previousEnd : -1,
    segmentEnd(blocks, ["history-delta"]),
    segmentEnd(blocks, ["history-baseline"]),
    promptEnd(blocks),
  ]
  const chosen = [...new Set(candidates.filter((position) => position >= 0))].slice(0, markersMax)
  return chosen.sort((a, b) => a - b)
}

function markableBefore(blocks: readonly Block[], length: number): number {
  let at = length - 1
  while (at >= 0 && blocks[at]?.markable !== true) at -= 1
  return at
}

function segmentEnd(blocks: readonly Block[], names: readonly SegmentName[]): number {
  return blocks.findLastIndex((block) => block.markable && names.includes(block.segment))
}

function promptEnd(blocks: readonly Block[]): number {
  const system = segmentEnd(blocks, ["system", "agent"])
  return system >= 0 ? system : segmentEnd(blocks, ["tools"])
}

function writeBody(encoded: Encoded, markers: readonly number[], ttl: "5m" | "1h"): readonly Uint8Array[] {
  const marked = new Set(markers)
  const pieces = new Pieces()
  // The closing brace of the settings makes way for the lists.
  pieces.text(encoded.params.slice(0, -1))
  let list: List | null = null
  let role: Block["role"] = null
  for (const [i, block] of encoded.blocks.entries()) {
    const own = listOf(block)
    if (own !== list) {
      pieces.text(`${list === null ? "" : "]"},"${own}":[${own === "messages" ? openMessage(block) : ""}`)
    } else if (own === "messages" && block.role !== role) {
      pieces.text(`]},${openMessage(block)}`)
    } else {
      pieces.bytes(comma)
    }
    list = own
    role = block.role
    if (marked.has(i)) pieces.text(withMarker(block.json, ttl))
    else pieces.bytes(bytesOf(block))
  }
  pieces.text(list === "messages" ? "]}]}" : list === null ? "}" : "]}")
  return pieces.done()
}

type List = "tools" | "system" | "messages"

const listOf = (block: Block): List =>
  block.role !== null ? "messages" : block.segment === "tools" ? "tools" : "system"

const openMessage = (block: Block): string => `{"role":"${block.role}","content":[`

const comma = Buffer.from(",")

const withMarker = (json: string, ttl: "5m" | "1h"): string =>
  `${json.slice(0, -1)},"cache_control":{"type":"ephemeral"${ttl === "1h" ? ',"ttl":"1h"' : ""}}}`

const blockBytes = new WeakMap<Block, Buffer>()

function bytesOf(block: Block): Buffer {
  let bytes = blockBytes.get(block)
  if (bytes === undefined) blockBytes.set(block, (bytes = Buffer.from(block.json)))
  return bytes
}

class Pieces {
  readonly #done: Buffer[] = []
  #group: Buffer[] = []
  #size = 0

  text(text: string): void {
    this.bytes(Buffer.from(text))
  }

  bytes(bytes: Buffer): void {
    this.#group.push(bytes)
    this.#size += bytes.length
    if (this.#size >= pieceBytes) this.#close()
  }

  done(): readonly Buffer[] {
    if (this.#size > 0) this.#close()
    return this.#done
  }

  #close(): void {
    this.#done.push(Buffer.concat(this.#group, this.#size))
    this.#group = []
    this.#size = 0
  }
}
