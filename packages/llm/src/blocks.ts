/**
 * Blocks and their identity: hashes that prove what was said, and where two requests part (TU1).
 *
 *   blockHash    sha256 of the place and the canonical block, without cache markers
 *   prefixHash   h(0) = sha256 of nothing; h(i) = sha256(h(i-1) ‖ blockHash(i))
 *   requestHash  sha256(prefixHash ‖ params ‖ markers ‖ encoder version)
 *
 * A request mostly repeats the previous one, so a chain of links is kept beside the blocks: a link
 * knows its block, the link before it and the hash up to here. The chain of a longer request is
 * found at its last known block and walked by identity, which costs no hashing and no lookup for
 * what is old. Links never change what is computed, only how often.
 */
import { hash } from "node:crypto"
import type { RequestRecord, SegmentName } from "@holdfast/schema/turn"
import { filledBytes, holeJson, type MediaHole } from "./request/media-hole.ts"
import type { Block, Encoded } from "./wire.ts"

export interface Link {
  readonly block: Block
  readonly previous: Link | null
  /** Count of blocks up to and including this one. */
  readonly length: number
  readonly prefixHash: string
  /** Sums over the blocks up to here. */
  readonly bytes: number
  readonly tokens: number
}

const emptyPrefixHash: string = hash("sha256", "")

export const makeBlock = (content: Omit<Block, "hash" | "bytes">): Block => ({
  ...content,
  hash: blockHash(content.segment, content.role, content.json),
  bytes: Buffer.byteLength(content.json) + grownBytes(content.holes ?? []),
})

/** What images add to the text that stands for them. */
const grownBytes = (holes: readonly MediaHole[]): number =>
  holes.reduce((sum, hole) => sum + filledBytes(hole) - holeJson(hole).length, 0)

const blockHash = (segment: SegmentName, role: Block["role"], json: string): string =>
  hash("sha256", `${placeOf(segment, role)}\n${json}`)

/** What a block is to the provider, which the block itself does not say. */
const placeOf = (segment: SegmentName, role: Block["role"]): string =>
  role ?? (segment === "tools" ? "tool" : "prompt")

const links = new WeakMap<Block, Link>()
/** Chains of whole lists: a request is encoded, checked and placed by the same list. */
const chains = new WeakMap<readonly Block[], Link>()
/** The list that a chain was made or found by last, until it goes on: two lists are compared many times faster than a list and a chain. */
const lists = new WeakMap<Link, readonly Block[]>()

/** The link of the last block, or null for no blocks. The list must not change afterwards. */
export function chainOf(blocks: readonly Block[]): Link | null {
  let known = chains.get(blocks) ?? lastKnown(blocks)
  if (known !== null) lists.delete(known)
  for (let i = known?.length ?? 0; i < blocks.length; i++) {
    const block = blocks[i] as Block
    const link: Link = {
      block,
      previous: known,
      length: i + 1,
      prefixHash: hash("sha256", (known?.prefixHash ?? emptyPrefixHash) + block.hash),
      bytes: (known?.bytes ?? 0) + block.bytes,
      tokens: (known?.tokens ?? 0) + block.tokens,
    }
    links.set(block, link)
    known = link
  }
  if (known === null) return null
  chains.set(blocks, known)
  lists.set(known, blocks)
  return known
}

/** A request of these blocks. The list must not change afterwards. */
export function encodedOf(blocks: readonly Block[], params: string): Encoded {
  const chain = chainOf(blocks)
  return { blocks, params, prefixHash: chain?.prefixHash ?? emptyPrefixHash, tokens: chain?.tokens ?? 0 }
}

export interface RequestIdentity {
  readonly prefixHash: string
  readonly params: string
  /** With how long marked prefixes live: it is in the bytes, so it is in the hash. */
  readonly markers: RequestRecord["markers"]
  readonly encoder: string
}

export const requestHash = (request: RequestIdentity): string =>
  hash(
    "sha256",
    [
      request.prefixHash,
      request.params,
      request.markers.map(({ block, lifetime }) => `${block}@${lifetime}`).join(),
      request.encoder,
    ].join("\n"),
  )

export const paramsHash = (params: string): string => hash("sha256", params)

/** A known chain that is a prefix of the blocks: the longest one, unless chains are interleaved. */
function lastKnown(blocks: readonly Block[]): Link | null {
  let end = blocks.length
  while (end > 0) {
    const link = links.get(blocks[end - 1] as Block)
    if (link?.length !== end) {
      end -= 1
      continue
    }
    const parted = partsAt(link, blocks)
    if (parted < 0) return link
    // No block behind the place where the chain parts can stand on this chain.
    end = parted + 1
  }
  return null
}

/** The last position at which the chain holds another block than the list; -1 if none does. */
function partsAt(last: Link, blocks: readonly Block[]): number {
  const list = lists.get(last)
  if (list !== undefined) return list.findLastIndex((block, at) => block !== blocks[at])
  let link: Link | null = last
  while (link !== null && blocks[link.length - 1] === link.block) link = link.previous
  return (link?.length ?? 0) - 1
}
