/** What is read of ripgrep's output, however it is cut into pieces, and the first items of a stream. */
import { expect, test } from "vitest"
import { pathOrder } from "../../../src/files/names.ts"
import { readFoundLines, windowBytes } from "../../../src/tools/search/found-lines.ts"
import { keepLeading } from "../../../src/tools/search/leading.ts"

interface Read {
  readonly path: string
  readonly number: number
  readonly matches: boolean
  readonly text: string
  readonly cut: boolean
}

function readAll(printed: Buffer, pieceBytes: number): { lines: readonly Read[]; remark: string } {
  const lines: Read[] = []
  const reader = readFoundLines((path, { number, matches }, text) =>
    lines.push({ path, number, matches, ...text() }),
  )
  for (let at = 0; at < printed.length; at += pieceBytes) reader.take(printed.subarray(at, at + pieceBytes))
  return { lines, remark: reader.remark() }
}

const long = `${"ä".repeat(8_000)}needle${"ö".repeat(8_000)}`
const printed = Buffer.concat([
  Buffer.from("./a.ts\x0012:5:one two\r\n./a.ts\x0013-three: 4-5\n"),
  Buffer.from(
    "./b: WARNING: stopped searching binary file after match\n./new\nline/c\x001:1:\xff\n",
    "latin1",
  ),
  Buffer.from(`./long\x001:16001:${long}\n./long\x002:1:needle\n`),
  Buffer.from("./d: binary file matches"),
])

test("[TO2] shows lines of any length by their match, in whatever pieces they come", () => {
  const whole = readAll(printed, printed.length)
  expect(whole.lines.map(({ path, number, matches }) => [path, number, matches])).toEqual([
    ["a.ts", 12, true],
    ["a.ts", 13, false],
    ["new\nline/c", 1, true],
    ["long", 1, true],
    ["long", 2, true],
  ])
  expect(whole.lines.map(({ text }) => text).toSpliced(3, 1)).toEqual([
    "one two",
    "three: 4-5",
    "\uFFFD",
    "needle",
  ])
  const { text = "", cut } = whole.lines[3] ?? {}
  expect(text).toMatch(/^…ä{50}needleö+…$/)
  expect([cut, Buffer.byteLength(text) <= windowBytes + 6]).toEqual([true, true])
  expect(whole.remark).toBe("./d: binary file matches")
  for (const pieceBytes of [1, 2, 7, 1_000, 65_536]) expect(readAll(printed, pieceBytes)).toEqual(whole)
})

test("shows a line that fits whole, and of a longer one its beginning where the match stands there", () => {
  const read = (text: string, column: number) =>
    readAll(Buffer.from(`./a\x001:${column}:${text}\n`), 1_000).lines[0]
  const fitting = "x".repeat(windowBytes)
  expect(read(fitting, 400)).toMatchObject({ text: fitting, cut: false })
  expect(read(`${fitting}y`, 400)).toMatchObject({ text: `${fitting}…`, cut: true })
  expect(read(`${fitting}y`, 501)).toMatchObject({ text: `…${"x".repeat(100)}y`, cut: true })
})

test("[TL1] keeps the first items by path in the order of the tree, whatever order they come in", () => {
  const paths = Array.from(
    { length: 5_000 },
    (_, n) => `d${n % 7}/f${String((n * 7_919) % 5_000).padStart(4, "0")}`,
  )
  const leading = keepLeading<string>({
    keyOf: (path) => path,
    order: pathOrder,
    weightOf: () => 1,
    weightMax: 10,
  })
  for (const path of paths) leading.add(path)
  expect(leading.items()).toEqual(paths.toSorted(pathOrder).slice(0, 10))
  expect([leading.isBeyond("d0"), leading.isBeyond("d6/x")]).toEqual([false, true])
  expect(["a-b", "a", "a/b", "a.b", "a/a/c"].toSorted(pathOrder)).toEqual(["a", "a/a/c", "a/b", "a-b", "a.b"])
})
