/**
 * The version of the contract, as `major.minor`, and who may be ahead of it (EV1).
 *
 * Major changes when something is taken away or means something else, minor when something is added.
 * A caller may name the contract that it was made from by a header. What it then says that this
 * server does not know is no mistake of the caller: it is not supported here.
 */
export const contractVersion = "1.0"

export const contractHeader = "holdfast-contract"

/** Whether a caller was made from a contract that may hold more than this one; false where it names none. */
export function isAhead(given: string | undefined, own: string = contractVersion): boolean {
  const [theirs, ours] = [partsOf(given), partsOf(own)]
  if (theirs === null || ours === null) return false
  return theirs.major === ours.major ? theirs.minor > ours.minor : theirs.major > ours.major
}

function partsOf(version: string | undefined): { readonly major: number; readonly minor: number } | null {
  const [, major, minor] = /^([0-9]{1,6})\.([0-9]{1,6})$/.exec(version ?? "") ?? []
  return major === undefined || minor === undefined ? null : { major: Number(major), minor: Number(minor) }
}
