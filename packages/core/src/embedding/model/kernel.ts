/**
 * Products of matrices, which are nearly all that the embedding model does. Four numbers are multiplied at once, and the
 * right matrix is read from memory once, however many rows the left one has.
 *
 *   C = max(A · B + bias, floor)     A: rows × inner, by rows     B: inner × columns, in panels of 8 columns
 *
 * Rows come in fours, columns in eights and the inner length in fours; who calls fills up with zeros.
 */
import {
  assembleLoop,
  type Code,
  localValue,
  load,
  type LoopFunction,
  number,
  plus,
  repeat,
  set,
  store,
  times,
  unsigned,
} from "@holdfast/schema/wasm/assemble"

export const panelColumns = 8
export const blockRows = 4

/** Addresses and strides in bytes; `blocks` of four rows, `panels` of eight columns. */
export type Multiply = (
  a: number,
  aStride: number,
  b: number,
  c: number,
  cStride: number,
  inner: number,
  blocks: number,
  panels: number,
  bias: number,
  floor: number,
) => void

export const makeKernel = (bytes: number): LoopFunction<Multiply> =>
  assembleLoop(
    bytes,
    ["i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32", "i32", "f32"],
    [...Array<"i32">(9).fill("i32"), ...Array<"v128">(12).fill("v128")],
    body(),
  )

/** Locals: what it is given, then the running ones. */
const [a, aStride, b, c, cStride, inner, blocks, panels, bias] = [0, 1, 2, 3, 4, 5, 6, 7, 8]
const floor = 9
const [atB, left, block, rowA, rowC] = [10, 11, 12, 13, 14]
const atA = (row: number): number => 15 + row
const sum = (row: number, half: number): number => 19 + row * 2 + half
const part = (half: number): number => 27 + half
const factor = 29
const least = 30

const loadSplat = (address: Code, offset: number): Code => [...address, 0xfd, 0x09, 2, ...unsigned(offset)]
const splat = (value: Code): Code => [...value, 0xfd, 0x13]
/** In one step where the processor has it, and in two where not: results may differ in the last bit. */
const multiplyAdd4 = (one: Code, other: Code, to: Code): Code => [...one, ...other, ...to, 0xfd, 0x85, 0x02]
const most4 = (one: Code, other: Code): Code => [...one, ...other, 0xfd, 0xe9, 0x01]

const rows = [0, 1, 2, 3]
const halves = [0, 1]
const innerSteps = [0, 1, 2, 3]

function body(): Code {
  const products = innerSteps.flatMap((step) => [
    ...halves.flatMap((half) => set(part(half), load(localValue(atB), step * 32 + half * 16))),
    ...rows.flatMap((row) => [
      ...set(factor, loadSplat(localValue(atA(row)), step * 4)),
      ...halves.flatMap((half) =>
        set(
          sum(row, half),
          multiplyAdd4(localValue(factor), localValue(part(half)), localValue(sum(row, half))),
        ),
      ),
    ]),
  ])
  const advance = [
    ...set(atB, plus(localValue(atB), number(innerSteps.length * 32))),
    ...rows.flatMap((row) => set(atA(row), plus(localValue(atA(row)), number(innerSteps.length * 4)))),
  ]
  const fourRows = [
    ...rows.flatMap((row) => [
      ...set(atA(row), row === 0 ? localValue(rowA) : plus(localValue(atA(row - 1)), localValue(aStride))),
      ...halves.flatMap((half) => set(sum(row, half), load(localValue(bias), half * 16))),
    ]),
    ...set(atB, localValue(b)),
    ...set(left, localValue(inner)),
    ...repeat(left, innerSteps.length, [...products, ...advance]),
    ...rows.flatMap((row) => [
      ...halves.flatMap((half) =>
        store(localValue(rowC), most4(localValue(sum(row, half)), localValue(least)), half * 16),
      ),
      ...set(rowC, plus(localValue(rowC), localValue(cStride))),
    ]),
    ...set(rowA, plus(localValue(rowA), times(localValue(aStride), number(blockRows)))),
  ]
  const panel = [
    ...set(rowA, localValue(a)),
    ...set(rowC, localValue(c)),
    ...set(block, localValue(blocks)),
    ...repeat(block, 1, fourRows),
    ...set(b, plus(localValue(b), times(localValue(inner), number(32)))),
    ...set(bias, plus(localValue(bias), number(32))),
    ...set(c, plus(localValue(c), number(32))),
  ]
  return [...set(least, splat(localValue(floor))), ...repeat(panels, 1, panel)]
}
