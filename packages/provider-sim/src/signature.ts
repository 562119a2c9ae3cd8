/**
 * Signatures: proof that a piece of thinking was issued by this provider.
 *
 * They are recomputed and never stored, so a conversation outlives the process that simulated it.
 */
import { createHmac } from "node:crypto"

const signingKey = "holdfast provider-sim"

/** documented: a signature vouches for one thinking block and depends on the model. */
export function signThinking(model: string, text: string): string {
  return `sig_${digest("thinking", model, text)}`
}

export function isSignatureOf(model: string, text: string, signature: string): boolean {
  return signature === signThinking(model, text)
}

/** documented: bytes, and so base64 in JSON. It vouches for the thought behind a call. */
export function sealThought(model: string): string {
  return Buffer.from(digest("thought", model), "hex").toString("base64")
}

/** documented: redacted thinking is opaque data that only the service can read. */
export function sealRedacted(model: string, nonce: string): string {
  return `red_${nonce}_${digest("redacted", model, nonce)}`
}

export function isSealedFor(model: string, data: string): boolean {
  const match = /^red_([0-9a-z-]+)_[0-9a-f]+$/.exec(data)
  return match?.[1] !== undefined && data === sealRedacted(model, match[1])
}

/**
 * documented: encrypted reasoning is opaque, and only the service can read it. It begins as the
 * recorded ones do.
 */
export function sealReasoning(nonce: string): string {
  return `gAAAAA${Buffer.from(nonce).toString("base64url")}-${digest("reasoning", nonce)}`
}

export function isSealedReasoning(data: string): boolean {
  const match = /^gAAAAA([\w-]+)-[0-9a-f]{64}$/.exec(data)
  return match?.[1] !== undefined && data === sealReasoning(Buffer.from(match[1], "base64url").toString())
}

function digest(...fields: readonly string[]): string {
  return createHmac("sha256", signingKey).update(JSON.stringify(fields)).digest("hex")
}
