/** Ways to break a list of blocks, for tests of a linter. */
import type { Block } from "../../src/wire.ts"

export type Corruption = (blocks: Block[]) => void
export type Corruptions = Readonly<Record<string, readonly [rule: string, corrupt: Corruption]>>

const at = (blocks: Block[], index: number): Block => blocks[index] as Block

export const put =
  (index: number, change: Partial<Block>): Corruption =>
  (blocks) => {
    blocks[index] = { ...at(blocks, index), ...change }
  }

export const rewrite =
  (index: number, from: string | RegExp, to: string): Corruption =>
  (blocks) => {
    blocks[index] = { ...at(blocks, index), json: at(blocks, index).json.replace(from, to) }
  }

export const drop =
  (index: number, count = 1): Corruption =>
  (blocks) =>
    void blocks.splice(index, count)

export const double =
  (index: number, to = index): Corruption =>
  (blocks) =>
    void blocks.splice(to, 0, at(blocks, index))

export const swap =
  (a: number, b: number): Corruption =>
  (blocks) => {
    ;[blocks[a], blocks[b]] = [at(blocks, b), at(blocks, a)]
  }
