/** Bytes and hashes of an encoder version, kept in a file: a change without a new version fails. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Segments, Target } from "../src/segments.ts"
import type { Wire } from "../src/wire.ts"
import { bodyText } from "./requests.ts"

export interface GoldenCase {
  readonly segments: Segments
  readonly target: Target
  readonly previous: number
}

interface Golden {
  readonly encoder: string
  readonly cases: Readonly<Record<string, unknown>>
}

export function keepsGolden(wire: Wire, cases: Readonly<Record<string, GoldenCase>>): void {
  const path = join(import.meta.dirname, "golden", `${wire.name}.json`)
  const read = (): Golden => JSON.parse(readFileSync(path, "utf8")) as Golden
  const current = goldenOf(wire, cases)
  // To accept new bytes: raise `encoder` in place.ts first, then run once with this set. Cases that the
  // file does not hold yet are added to it; those that it holds stay.
  if (process.env["HOLDFAST_GOLDEN"] === "write") {
    const kept = existsSync(path) && read().encoder === current.encoder ? read().cases : {}
    const all = { encoder: current.encoder, cases: { ...kept, ...without(current.cases, kept) } }
    writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`)
  }
  test.each(Object.keys(cases))("[TU1] keeps the bytes and hashes of this encoder version: %s", (name) => {
    expect(read().encoder, "HOLDFAST_GOLDEN=write stores the bytes of a new encoder version.").toBe(
      current.encoder,
    )
    expect(current.cases[name], "Other bytes need another `encoder` in place.ts.").toEqual(read().cases[name])
  })
}

const without = (cases: Golden["cases"], held: Golden["cases"]): Golden["cases"] =>
  Object.fromEntries(Object.entries(cases).filter(([name]) => !Object.hasOwn(held, name)))

const goldenOf = (wire: Wire, cases: Readonly<Record<string, GoldenCase>>): Golden => ({
  encoder: wire.encoder,
  cases: Object.fromEntries(
    Object.entries(cases).map(([name, { segments, target, previous }]) => {
      const encoded = wire.encode(segments, target)
      const placed = wire.place(encoded, target, previous)
      const blocks = encoded.blocks.map((block) => ({ segment: block.segment, hash: block.hash }))
      // Estimates may improve without a new version: they are not in the bytes. Settings are.
      const { tokensEstimated: _, params: _hash, ...record } = placed.record
      return [name, { record, blocks, body: bodyText(placed) }]
    }),
  ),
})
