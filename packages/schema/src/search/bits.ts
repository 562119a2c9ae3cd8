/** Signs of a vector as bits, by which near ones are found before their numbers are compared (SE3). */
export function float32Bits(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 32) * 4)
  for (let at = 0; at < vector.length; at++)
    if ((vector[at] ?? 0) > 0) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7))
  return bits
}
