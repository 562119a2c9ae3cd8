/**
 * Units whose vectors are nearest to that of a question (SE3): by their signs, which are held in memory, and the
 * best of these by their numbers. Nobody waits for it: what is not read yet is not found yet (SE4).
 */
import { float32Bits } from "@holdfast/schema/search/bits"
import type { Connection } from "../connection.ts"

export interface Near {
  readonly unit: number
  /** 1 for the nearest, 0 for the first that is too far. */
  readonly meaning: number
}

/** Vectors that one step reads, so that nobody waits long for it. */
const stepVectors = 4_000
/** How many are compared by their numbers, and how many of these are near. */
const comparedMax = 400
const nearMax = 200

class BitIndex {
  ids = new Float64Array(stepVectors)
  units = new Float64Array(stepVectors)
  sessions = new Int32Array(stepVectors)
  bits = new Uint32Array(0)
  count = 0
  words = 0
  private readonly sessionNumbers = new Map<number, number>()

  /** Keys of the Sessions, by the number that `sessions` has for them. */
  get sessionKeys(): readonly number[] {
    return [...this.sessionNumbers.keys()]
  }

  add(id: number, unit: number, session: number, bits: Uint8Array): void {
    const words = bits.byteLength >> 2
    if (this.count === 0) this.words = words
    if (words !== this.words) return
    if (this.count === this.ids.length || this.bits.length === 0) this.grow()
    this.ids[this.count] = id
    this.units[this.count] = unit
    let number = this.sessionNumbers.get(session)
    if (number === undefined) this.sessionNumbers.set(session, (number = this.sessionNumbers.size))
    this.sessions[this.count] = number
    const view = new DataView(bits.buffer, bits.byteOffset, bits.byteLength)
    for (let at = 0; at < words; at++) this.bits[this.count * words + at] = view.getUint32(at * 4, true)
    this.count += 1
  }

  private grow(): void {
    const size = Math.max(stepVectors, this.count * 2)
    const grown = <T extends Float64Array | Int32Array | Uint32Array>(made: T, old: T): T => {
      made.set(old)
      return made
    }
    this.ids = grown(new Float64Array(size), this.ids.subarray(0, this.count))
    this.units = grown(new Float64Array(size), this.units.subarray(0, this.count))
    this.sessions = grown(new Int32Array(size), this.sessions.subarray(0, this.count))
    this.bits = grown(new Uint32Array(size * this.words), this.bits.subarray(0, this.count * this.words))
  }

  /** Ids of those with the most signs in common, best first. */
  nearest(asked: Uint32Array, allowed: Uint8Array, limit: number): readonly number[] {
    const { words, bits, sessions } = this
    const size = words * 32 + 1
    const counts = new Uint32Array(size)
    const distances = new Uint16Array(this.count)
    for (let one = 0; one < this.count; one++) {
      if (allowed[sessions[one] ?? 0] !== 1) {
        distances[one] = size
        continue
      }
      let distance = 0
      for (let word = 0, at = one * words; word < words; word++, at++) {
        let x = (bits[at] ?? 0) ^ (asked[word] ?? 0)
        x -= (x >>> 1) & 0x55555555
        x = (x & 0x33333333) + ((x >>> 2) & 0x33333333)
        distance += Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
      }
      distances[one] = distance
      counts[distance] = (counts[distance] ?? 0) + 1
    }
    let furthest = 0
    for (let sum = 0; furthest < size && sum < limit; furthest++) sum += counts[furthest] ?? 0
    const near: number[] = []
    for (let one = 0; one < this.count && near.length < limit * 2; one++)
      if ((distances[one] ?? size) < furthest) near.push(one)
    return near
      .toSorted((a, b) => (distances[a] ?? 0) - (distances[b] ?? 0))
      .slice(0, limit)
      .map((one) => this.ids[one] ?? 0)
  }
}

/** The index of each connection, for the model that was asked for last. */
const indexes = new WeakMap<Connection, { readonly model: string; readonly index: BitIndex }>()

function indexOf(connection: Connection, model: string): BitIndex {
  const known = indexes.get(connection)
  if (known?.model === model) return known.index
  const index = new BitIndex()
  indexes.set(connection, { model, index })
  return index
}

/** Reads on where it stopped; true if there is more. */
export function loadVectors(connection: Connection, model: string): boolean {
  const index = indexOf(connection, model)
  const last = index.count === 0 ? 0 : (index.ids[index.count - 1] ?? 0)
  const rows = connection.all<{ id: number; unit: number; session: number; bits: Uint8Array }>(
    bitsSql,
    model,
    last,
    stepVectors,
  )
  for (const { id, unit, session, bits } of rows) index.add(id, unit, session, bits)
  return rows.length === stepVectors
}

const bitsSql = `SELECT vector.id, vector.unit, unit.session, vector.bits
  FROM vector INDEXED BY vector_bits CROSS JOIN unit ON unit.id = vector.unit
  WHERE vector.model = ? AND vector.id > ? ORDER BY vector.id LIMIT ?`

/** Near units of the Sessions that may be searched, nearest first. */
export function nearestUnits(
  connection: Connection,
  { model, vector }: { readonly model: string; readonly vector: Float32Array },
  maySearch: (sessions: readonly number[]) => readonly boolean[],
): readonly Near[] {
  loadVectors(connection, model)
  const index = indexOf(connection, model)
  if (index.count === 0 || index.words !== Math.ceil(vector.length / 32)) return []
  const allowed = Uint8Array.from(maySearch(index.sessionKeys), Number)
  const asked = new Uint32Array(float32Bits(vector).buffer)
  const ids = index.nearest(asked, allowed, comparedMax)
  const best = new Map<number, number>()
  for (const { unit, data } of connection.all<{ unit: number; data: Uint8Array }>(
    dataSql,
    JSON.stringify(ids),
  )) {
    const likeness = product(vector, data)
    if (likeness > (best.get(unit) ?? -Infinity)) best.set(unit, likeness)
  }
  const sorted = [...best].toSorted((a, b) => b[1] - a[1])
  const top = sorted[0]?.[1] ?? 0
  const far = sorted[Math.min(nearMax, sorted.length - 1)]?.[1] ?? 0
  const span = Math.max(top - far, Number.EPSILON)
  return sorted.slice(0, nearMax).map(([unit, likeness]) => ({ unit, meaning: (likeness - far) / span }))
}

const dataSql = `SELECT vector.unit, vector.data FROM json_each(?) AS given CROSS JOIN vector ON vector.id = given.value`

function product(vector: Float32Array, data: Uint8Array): number {
  const other = new Float16Array(data.slice().buffer)
  let sum = 0
  for (let at = 0; at < vector.length; at++) sum += (vector[at] ?? 0) * (other[at] ?? 0)
  return sum
}
