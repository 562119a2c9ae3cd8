/**
 * Universal Sentence Encoder Lite: a text as a vector of 512 numbers and length 1, or 0 where it cannot be read. Two layers of attention over the
 * pieces of the text, the mean of what comes out, and one product more.
 *
 *   pieces ─▶ 2 × table + place ─▶ [norm ─▶ attention ─▶ + ─▶ norm ─▶ two products ─▶ +] × 2 ─▶ mean ─▶ tanh ─▶ length 1
 *
 * The package holds a graph that says so; to interpret it takes longer than to compute it. The last of the products
 * inside the layers is made of the mean, which is the mean of the products, and one row instead of all.
 */
import { makePieces } from "./pieces.ts"
import { makeRoom, type Matrix, packPanels, type Room, type Rows } from "./room.ts"
import { readWeights, type Weights } from "./weights.ts"

export type Encoder = (text: string) => Float32Array

/** What stands behind these is left out, as the model was made to do. */
const piecesMax = 128
const tableWidth = 256
const width = 512
const wideWidth = 1_536
const heads = 4
/** All matrices and rows: 22 MB. */
const roomBytes = 24 * 1_024 * 1_024

export async function openEncoder(): Promise<Encoder> {
  const weights = await readWeights()
  const pieces = makePieces(weights.vocabulary)
  const room = makeRoom(roomBytes)
  const find = (name: string): Float32Array => weights.find(`${name}/ConcatPartitions/concat`)
  const dense = "Layer_0/TransformerLayer/dense"
  const residual = room.matrix(find(`${dense}/kernel`), find(`${dense}/bias`))
  const first = readLayer(room, weights, 0, tableWidth)
  const second = readLayer(room, weights, 1, width)
  const last = room.matrix(weights.find("tanh_layer_0/weights"), weights.find("tanh_layer_0/bias"))
  const table = weights.find("module/Embeddings_en").slice()
  const places = placesOf(weights.find("TimingSignal/ExpandDims_1"))
  const desk: Desk = {
    room,
    normed: room.rows(piecesMax, width),
    wide: room.rows(piecesMax, wideWidth),
    context: room.rows(piecesMax, width),
    scores: room.rows(piecesMax, piecesMax),
  }
  const x = room.rows(piecesMax, tableWidth)
  const y = room.rows(piecesMax, width)
  const more = room.rows(piecesMax, width)
  return (text) => {
    if (!isReadable(text)) return new Float32Array(width)
    const ids = pieces(text).slice(0, piecesMax)
    const count = ids.length
    for (const [row, id] of ids.entries())
      for (let at = 0; at < tableWidth; at++)
        x.data[row * tableWidth + at] =
          2 * (table[id * tableWidth + at] ?? 0) + (places[row * tableWidth + at] ?? 0)
    room.multiply(x, residual, y, count)
    for (const [layer, input] of [[first, x] as const, [second, y] as const]) {
      attend(desk, layer, input, more, count)
      add(y, more, count)
      normalise(desk.normed, y, layer.normInner, count)
      room.multiply(desk.normed, layer.widen, desk.wide, count, 0)
      if (layer === second) break
      room.multiply(desk.wide, layer.narrow, more, count)
      add(y, more, count)
    }
    average(desk.wide, count)
    average(y, count)
    room.multiply(desk.wide, second.narrow, more, 1)
    add(y, more, 1)
    room.multiply(y, last, more, 1)
    return ofLengthOne(more.data.slice(0, width).map(Math.tanh))
  }
}

/**
 * The model saw English. Of another script, and of pictures, it knows a few signs at most, so that all such texts would mean
 * the same, and be near whatever is short: their vector has length 0, which is near nothing.
 */
function isReadable(text: string): boolean {
  const read = text.match(/[\p{Script=Latin}\p{N}]/gu)?.length ?? 0
  const all = text.match(/[\p{L}\p{N}\p{Extended_Pictographic}]/gu)?.length ?? 0
  return read > 0 && 2 * read >= all
}

interface Norm {
  readonly scale: Float32Array
  readonly bias: Float32Array
}

interface Layer {
  readonly norm: Norm
  readonly inputs: Matrix
  readonly output: Matrix
  readonly normInner: Norm
  readonly widen: Matrix
  readonly narrow: Matrix
  /** Of one head, for as many pieces as there may be. */
  readonly keys: Float32Array
  readonly keysAt: Matrix
  readonly valuesAt: Matrix
  readonly values: Float32Array
}

function readLayer(room: Room, weights: Weights, number: number, inputWidth: number): Layer {
  const layer = `Layer_${number}/TransformerLayer`
  const find = (name: string): Float32Array => weights.find(`${layer}/${name}`)
  const norm = (at: string): Norm => ({
    scale: find(`${at}layer_prepostprocess/layer_norm/layer_norm_scale/ConcatPartitions/concat`).slice(),
    bias: find(`${at}layer_prepostprocess/layer_norm/layer_norm_bias/ConcatPartitions/concat`).slice(),
  })
  const transform = (name: string): Matrix =>
    room.matrix(
      find(`MultiheadAttention/${name}_transform_single/kernel/part_0`),
      find(`MultiheadAttention/${name}_transform_single/bias/ConcatPartitions/concat`),
    )
  const dense = (name: string): Matrix =>
    room.matrix(find(`FFN/${name}/Tensordot/Reshape_1`), find(`FFN/${name}/bias/ConcatPartitions/concat`))
  const keys = room.blank(inputWidth / heads, piecesMax)
  const values = room.blank(piecesMax, inputWidth / heads)
  return {
    norm: norm(""),
    inputs: transform("qkv"),
    output: transform("output"),
    normInner: norm("FFN/"),
    widen: dense("conv1"),
    narrow: dense("conv2"),
    keys: keys.data,
    keysAt: keys,
    values: values.data,
    valuesAt: values,
  }
}

/** A sine and a cosine of each frequency, by the place of a piece. */
function placesOf(frequencies: Float32Array): Float32Array {
  const places = new Float32Array(piecesMax * tableWidth)
  for (let place = 0; place < piecesMax; place++)
    for (const [at, frequency] of frequencies.entries()) {
      const angle = Math.fround(place * frequency)
      places[place * tableWidth + at] = Math.sin(angle)
      places[place * tableWidth + frequencies.length + at] = Math.cos(angle)
    }
  return places
}

/** Rows that every text uses again. */
interface Desk {
  readonly room: Room
  readonly normed: Rows
  readonly wide: Rows
  readonly context: Rows
  readonly scores: Rows
}

function attend(desk: Desk, layer: Layer, input: Rows, into: Rows, count: number): void {
  const { room, normed, wide, context, scores } = desk
  normalise(normed, input, layer.norm, count)
  room.multiply(normed, layer.inputs, wide, count)
  const each = input.width / heads
  const filled = Math.ceil(count / 8) * 8
  for (let head = 0; head < heads; head++) {
    const column = head * each
    const keyColumn = input.width + column
    const valueColumn = 2 * input.width + column
    const of = (row: number, at: number): number => (row < count ? (wide.data[row * wideWidth + at] ?? 0) : 0)
    packPanels(layer.keys, each, filled, (at, row) => of(row, keyColumn + at))
    packPanels(layer.values, filled, each, (row, at) => of(row, valueColumn + at))
    room.multiply({ ...wide, column }, { ...layer.keysAt, columns: filled }, scores, count)
    for (let row = 0; row < count; row++)
      softmax(scores.data, row * piecesMax, count, filled, 1 / Math.sqrt(each))
    room.multiply(scores, { ...layer.valuesAt, inner: filled }, { ...context, column }, count)
  }
  room.multiply(context, layer.output, into, count)
}

function softmax(data: Float32Array, from: number, count: number, filled: number, scale: number): void {
  let most = -Infinity
  for (let at = from; at < from + count; at++) most = Math.max(most, data[at] ?? 0)
  let sum = 0
  for (let at = from; at < from + count; at++) sum += data[at] = Math.exp(((data[at] ?? 0) - most) * scale)
  for (let at = from; at < from + count; at++) data[at] = (data[at] ?? 0) / sum
  data.fill(0, from + count, from + filled)
}

const smallest = 1e-6

function normalise(into: Rows, from: Rows, { scale, bias }: Norm, count: number): void {
  for (let row = 0; row < count; row++) {
    const at = row * from.width
    let mean = 0
    for (let column = 0; column < from.width; column++) mean += from.data[at + column] ?? 0
    mean /= from.width
    let variance = 0
    for (let column = 0; column < from.width; column++)
      variance += ((from.data[at + column] ?? 0) - mean) ** 2
    const factor = 1 / Math.sqrt(variance / from.width + smallest)
    for (let column = 0; column < from.width; column++)
      into.data[row * into.width + column] =
        (scale[column] ?? 0) * factor * ((from.data[at + column] ?? 0) - mean) + (bias[column] ?? 0)
  }
}

function add(to: Rows, other: Rows, count: number): void {
  for (let at = 0; at < count * to.width; at++) to.data[at] = (to.data[at] ?? 0) + (other.data[at] ?? 0)
}

/** Into the first row. */
function average({ data, width: columns }: Rows, count: number): void {
  for (let column = 0; column < columns; column++) {
    let sum = 0
    for (let row = 0; row < count; row++) sum += data[row * columns + column] ?? 0
    data[column] = sum / Math.max(1, count)
  }
}

function ofLengthOne(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return vector.map((value) => value / Math.max(length, smallest))
}
