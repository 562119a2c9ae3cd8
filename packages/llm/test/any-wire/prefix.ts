/** What one request repeats of another, the long way: hashes one by one, without any cache of chains. */
import { hash } from "node:crypto"
import type { Block } from "../../src/wire.ts"

/** The fold that `chainOf` must agree with. */
export const foldHashes = (hashes: readonly string[]): string =>
  hashes.reduce((prefixHash, next) => hash("sha256", prefixHash + next), hash("sha256", ""))

/** Whether the blocks repeat all earlier ones, in order, and only add to them. */
export const extendsRequest = (earlier: readonly string[], blocks: readonly Block[]): boolean =>
  earlier.length <= blocks.length && earlier.every((item, at) => item === blocks[at]?.hash)
