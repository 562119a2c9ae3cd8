/** Fresh ids. Random bytes are drawn for many at once: the way to the system costs more than the id. */
import { randomFillSync } from "node:crypto"
import { type IdPrefix, idFromBytes } from "@holdfast/schema/id"

const idBytes = 20
const idsDrawn = 128

export function makeIds(): (prefix: IdPrefix) => string {
  const drawn = Buffer.alloc(idBytes * idsDrawn)
  let at = drawn.length
  return (prefix) => {
    if (at === drawn.length) {
      randomFillSync(drawn)
      at = 0
    }
    at += idBytes
    return idFromBytes(prefix, drawn.subarray(at - idBytes, at))
  }
}
