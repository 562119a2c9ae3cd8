/**
 * Units whose vectors are nearest to that of a question (SE3): by their signs, which are held in memory, and the
 * best of these by their numbers. Nobody waits for it: what is not read yet is not found yet (SE4).
 */
import { float32Bits } from "@holdfast/schema/search/bits"
import type { Connection } from "../connection.ts"
import { HeldSigns } from "./distances.ts"

export interface Near {
  readonly unit: number
  /** 1 for the nearest, 0 for the first that is too far. */
  readonly meaning: number
  /** The cosine of both vectors. */
  readonly likeness: number
}

/** Vectors that one step reads, so that nobody waits long for it. */
const stepVectors = 4_000
/** How many are compared by their numbers, and how many of these are near. */
const comparedMax = 256
const nearMax = 200

class BitIndex {
  ids = new Float64Array(stepVectors)
  sessions = new Int32Array(stepVectors)
  signBytes = 0
  private signs: HeldSigns | null = null
  private readonly sessionNumbers = new Map<number | string, number>()

  get count(): number {
    return this.signs?.count ?? 0
  }

  /** Keys of the Sessions, by the number that `sessions` has for them. */
  get sessionKeys(): readonly (number | string)[] {
    return [...this.sessionNumbers.keys()]
  }

  add(id: number, session: number | string, bits: Uint8Array): void {
    if (this.signs === null) {
      this.signBytes = bits.length
      this.signs = new HeldSigns(bits.length)
    }
    const { count } = this.signs
    if (bits.length !== this.signBytes) return
    if (count === this.ids.length) this.grow()
    this.ids[count] = id
    let number = this.sessionNumbers.get(session)
    if (number === undefined) this.sessionNumbers.set(session, (number = this.sessionNumbers.size))
    this.sessions[count] = number
    this.signs.add(bits)
  }

  private grow(): void {
    const { ids, sessions } = this
    this.ids = new Float64Array(ids.length * 2)
    this.ids.set(ids)
    this.sessions = new Int32Array(ids.length * 2)
    this.sessions.set(sessions)
  }

  /** Ids of those with the most signs in common, best first. */
  nearest(asked: Uint8Array, allowed: Uint8Array, limit: number): readonly number[] {
    if (this.signs === null) return []
    const { sessions, count } = this
    const distances = this.signs.distances(asked)
    const size = this.signBytes * 8 + 1
    const counts = new Uint32Array(size)
    for (let one = 0; one < count; one++)
      if (allowed[sessions[one] ?? 0] === 1) {
        const distance = distances[one] ?? 0
        counts[distance] = (counts[distance] ?? 0) + 1
      }
    let furthest = 0
    for (let sum = 0; furthest < size && sum < limit; furthest++) sum += counts[furthest] ?? 0
    const near: number[] = []
    for (let one = 0; one < count && near.length < limit * 2; one++)
      if ((distances[one] ?? size) < furthest && allowed[sessions[one] ?? 0] === 1) near.push(one)
    return near
      .toSorted((a, b) => (distances[a] ?? 0) - (distances[b] ?? 0))
      .slice(0, limit)
      .map((one) => this.ids[one] ?? 0)
  }
}

/** The indexes of each connection, by model and what they hold: each model is compared with its own alone (SE3). */
const indexes = new WeakMap<Connection, Map<string, BitIndex>>()
/** Models whose vectors are held; of more, the one that was used longest ago is read again. */
const modelsMax = 8

export function indexOf(connection: Connection, model: string): BitIndex {
  const known = indexes.get(connection) ?? new Map<string, BitIndex>()
  const index = known.get(model) ?? new BitIndex()
  known.delete(model)
  known.set(model, index)
  const [oldest] = known.keys()
  if (known.size > modelsMax && oldest !== undefined) known.delete(oldest)
  indexes.set(connection, known)
  return index
}

/** Reads on where it stopped; true if there is more. */
export function loadVectors(connection: Connection, model: string): boolean {
  const index = indexOf(connection, model)
  const last = index.count === 0 ? 0 : (index.ids[index.count - 1] ?? 0)
  const rows = connection.all<{ id: number; session: number; bits: Uint8Array }>(
    bitsSql,
    model,
    last,
    stepVectors,
  )
  for (const { id, session, bits } of rows) index.add(id, session, bits)
  return rows.length === stepVectors
}

const bitsSql = `SELECT vector.id, unit.session, vector.bits
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
  const asked = float32Bits(vector)
  if (index.count === 0 || index.signBytes !== asked.length) return []
  const allowed = Uint8Array.from(maySearch(index.sessionKeys as readonly number[]), Number)
  const ids = index.nearest(asked, allowed, comparedMax)
  const best = new Map<number, Product>()
  for (const { unit, data } of connection.all<{ unit: number; data: Uint8Array }>(
    dataSql,
    JSON.stringify(ids),
  )) {
    const product = productOf(vector, data)
    if (product.value > (best.get(unit)?.value ?? -Infinity)) best.set(unit, product)
  }
  const sorted = [...best].toSorted(([, a], [, b]) => b.value - a.value)
  const top = sorted[0]?.[1].value ?? 0
  const far = sorted[Math.min(nearMax, sorted.length - 1)]?.[1].value ?? 0
  const span = Math.max(top - far, Number.EPSILON)
  return sorted
    .slice(0, nearMax)
    .map(([unit, { value, likeness }]) => ({ unit, meaning: (value - far) / span, likeness }))
}

const dataSql = `SELECT vector.unit, vector.data FROM json_each(?) AS given CROSS JOIN vector ON vector.id = given.value`

interface Product {
  readonly value: number
  readonly likeness: number
}

/** The question has length 1, and what was said with something before it a greater one. */
export function productOf(vector: Float32Array, data: Uint8Array): Product {
  const numbers = halvesAsNumbers()
  let value = 0
  let squares = 0
  for (let at = 0; at < vector.length; at++) {
    const number = numbers[(data[2 * at] ?? 0) | ((data[2 * at + 1] ?? 0) << 8)] ?? 0
    value += (vector[at] ?? 0) * number
    squares += number * number
  }
  return { value, likeness: value / Math.sqrt(squares || 1) }
}

/** Every number of 16 bits as one of 32, 256 KB in all: to look it up takes a tenth of what `Float16Array` takes to read it. */
let halves: Float32Array | null = null
const halvesAsNumbers = (): Float32Array =>
  (halves ??= Float32Array.from(
    new Float16Array(Uint16Array.from({ length: 65_536 }, (_, bits) => bits).buffer),
  ))
