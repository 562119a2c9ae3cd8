/**
 * Whether a request comes from what a call of a Session has started (PE5): such a caller has the
 * token of the server within reach, but may not answer what Sessions ask.
 *
 * Only connections of this machine are looked at. A server that a call has started itself serves
 * that call: it is judged by nobody else's.
 */
import { callOfProcess } from "./call-of-process.ts"
import { findOwner } from "./connection-owner.ts"

/** The connection of a request, as its own end sees it. */
export interface Peer {
  readonly localPort: number
  readonly remotePort: number
  readonly remoteAddress: string
}

/** Why an answer is not taken from there, as a sentence, or null. */
export async function judgePeer(peer: Peer | null): Promise<string | null> {
  if (peer === null) return gone
  if (process.platform !== "linux" || !isLoopback(peer.remoteAddress)) return null
  const owner = await findOwner(peer)
  if (owner === null) return null
  if (owner.kind === "gone") return gone
  const own = await callOfProcess(process.pid)
  const calls = await Promise.all(owner.pids.map(callOfProcess))
  const call = calls.find((found) => found !== null && found !== own)
  return call === undefined
    ? null
    : `The answer comes from the call ${call} of a Session, and a call cannot answer what Sessions ask. A person has to answer.`
}

const gone = "The caller left before it was known who answers. Nothing was answered."

const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/.test(address)
