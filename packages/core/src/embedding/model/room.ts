/** The memory of the kernel: matrices that stay, rows that every text uses again, and their products. */
import { blockRows, makeKernel, panelColumns } from "./kernel.ts"

/** A matrix by panels, with what is added to each row of a product. */
export interface Matrix {
  readonly at: number
  readonly bias: number
  readonly inner: number
  readonly columns: number
}

export interface Rows {
  readonly at: number
  readonly width: number
  readonly data: Float32Array
}

export interface Room {
  readonly matrix: (kernel: Float32Array, bias: Float32Array) => Matrix
  /** A matrix of this size that is filled anew for each product. */
  readonly blank: (inner: number, columns: number) => Matrix & { readonly data: Float32Array }
  readonly rows: (count: number, width: number) => Rows
  /** Of the first `count` rows; parts of rows begin at their column. No result is less than `floor`. */
  readonly multiply: (from: Part, by: Matrix, into: Part, count: number, floor?: number) => void
}

interface Part extends Pick<Rows, "at" | "width"> {
  readonly column?: number
}

const bytesEach = Float32Array.BYTES_PER_ELEMENT
const alignment = 16

export function makeRoom(bytes: number): Room {
  const { memory, run: multiply } = makeKernel(bytes)
  let used = alignment
  const take = (count: number): Float32Array => {
    const data = new Float32Array(memory.buffer, used, count)
    used += Math.ceil((count * bytesEach) / alignment) * alignment
    return data
  }
  const blank = (inner: number, columns: number) => {
    const data = take(inner * columns)
    return { at: data.byteOffset, bias: take(columns).byteOffset, inner, columns, data }
  }
  return {
    blank,
    matrix: (kernel, bias) => {
      const made = blank(kernel.length / bias.length, bias.length)
      new Float32Array(memory.buffer, made.bias, bias.length).set(bias)
      packPanels(
        made.data,
        made.inner,
        made.columns,
        (row, column) => kernel[row * bias.length + column] ?? 0,
      )
      return made
    },
    rows: (count, width) => {
      const data = take(count * width)
      return { at: data.byteOffset, width, data }
    },
    multiply: (from, by, into, count, floor = -Infinity) => {
      if (count === 0) return
      multiply(
        from.at + (from.column ?? 0) * bytesEach,
        from.width * bytesEach,
        by.at,
        into.at + (into.column ?? 0) * bytesEach,
        into.width * bytesEach,
        by.inner,
        Math.ceil(count / blockRows),
        by.columns / panelColumns,
        by.bias,
        floor,
      )
    },
  }
}

export function packPanels(
  into: Float32Array,
  inner: number,
  columns: number,
  value: (row: number, column: number) => number,
): void {
  let at = 0
  for (let panel = 0; panel < columns; panel += panelColumns)
    for (let row = 0; row < inner; row++)
      for (let column = panel; column < panel + panelColumns; column++) into[at++] = value(row, column)
}
