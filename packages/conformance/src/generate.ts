/** Payloads that surely do not fit, from a seed: the same seed makes the same ones. */

/** A number from 0 up to 1, without 1. */
export type Random = () => number

/** Mulberry32, begun with the seed and a text. */
export function makeRandom(seed: number, text: string): Random {
  let state = [...text].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 16_777_619),
    seed | 0,
  )
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Fields = Readonly<Record<string, unknown>>

/** JSON, or nearly so, of which one thing is wrong: a field too many, a value of another type, a broken text. */
export function badPayload(
  random: Random,
  good: Fields,
  takenTypesOf: (name: string) => ReadonlySet<string>,
  names: readonly string[],
): string {
  const kind = pick(random, ["unknown", "type", "broken", "value"] as const)
  if (kind === "unknown") return JSON.stringify({ ...good, [`x${word(random)}`]: anyValue(random, depthMax) })
  if (kind === "broken")
    return JSON.stringify(good).slice(0, -1) + pick(random, ["", ",", "]", '"', "\u0000"])
  const name = names.length === 0 ? null : pick(random, names)
  if (kind === "value" || name === null) return JSON.stringify(notAnObject(random))
  const taken = takenTypesOf(name)
  const wrong = values.filter(([type]) => !taken.has(type))
  if (wrong.length === 0) return JSON.stringify({ ...good, noSuchField: 1 })
  return JSON.stringify({ ...good, [name]: pick(random, wrong)[1](random) })
}

const depthMax = 3
const lengthMax = 5

const values: readonly (readonly [type: string, make: (random: Random) => unknown])[] = [
  ["number", (random) => pick(random, [0, -1, 1.5, 1e300, Math.floor(random() * 1e6)])],
  ["boolean", (random) => random() < 0.5],
  ["null", () => null],
  ["string", word],
  ["array", (random) => [{ deep: anyValue(random, depthMax) }]],
  ["object", (random) => ({ [word(random)]: anyValue(random, depthMax) })],
]

const notAnObject = (random: Random): unknown =>
  pick(
    random,
    values.filter(([type]) => type !== "object"),
  )[1](random)

function anyValue(random: Random, depth: number): unknown {
  const [type, make] = pick(random, values)
  if (type !== "array" && type !== "object") return make(random)
  if (depth === 0) return null
  return Array.from({ length: Math.floor(random() * lengthMax) }, () => anyValue(random, depth - 1))
}

const letters = ["a", "Z", "0", "_", "-", " ", "é", "💥", "\u0000", "'", '"', "\\", "/", "\n"]

function word(random: Random): string {
  return Array.from({ length: 1 + Math.floor(random() * lengthMax) }, () => pick(random, letters)).join("")
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item
}
