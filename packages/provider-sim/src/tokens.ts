/**
 * Tokens: one deterministic ruler for everything the simulated provider counts.
 *
 * A quarter of the UTF-8 bytes, rounded up; the same ruler serves limits, usage and the cache, so
 * that their sums agree. An image that nobody has measured has the flat price of the largest one.
 */
export const bytesPerToken = 4

/** documented: an image at the largest unresized size costs about 1,600 tokens. */
export const tokensPerImage = 1_600

export function tokensOfText(text: string): number {
  return Math.ceil(Buffer.byteLength(text, "utf8") / bytesPerToken)
}
