/**
 * Which wire speaks at an address, by the wires' own addresses: the last words of the path tell it,
 * whatever host, version or prefix stands before them.
 */
import type { Wire } from "../wire.ts"
import { wires } from "../wires.ts"

export interface SpokenAt {
  readonly wire: Wire
  /** The model, where the address names it. */
  readonly model: string | null
}

/** Null if no wire has such an address. */
export function wireOfUrl(url: string): SpokenAt | null {
  for (const wire of Object.values(wires)) {
    const found = match(wire, url)
    if (found !== null) return found
  }
  return null
}

/** The model that an address of this wire names, or null. */
export const modelInUrl = (wire: Wire, url: string): string | null => match(wire, url)?.model ?? null

/** Stands for the model in an address that is taken apart. */
const probe = "some-model"

function match(wire: Wire, url: string): SpokenAt | null {
  const { pathname } = new URL(url)
  const [before = "", after] = withoutVersion(wire.address("https://provider.invalid", probe)).split(probe)
  // A wire that does not speak over HTTP has no path of its own.
  if (before === "" || before === "/") return null
  if (after === undefined) return pathname.endsWith(before) ? { wire, model: null } : null
  const start = pathname.lastIndexOf(before)
  if (start < 0 || !pathname.endsWith(after)) return null
  const model = pathname.slice(start + before.length, pathname.length - after.length)
  return model === "" ? null : { wire, model: decodeURIComponent(model) }
}

const withoutVersion = (address: string): string => new URL(address).pathname.replace(/^\/v\d\w*(?=\/)/, "")
