/**
 * A bundle into a Holdfast, whatever its length: piece by piece, each in a request of its own (ST4).
 *
 * ```ts
 * for await (const bytes of source.sessions.export({ sessionID })) file.write(bytes)
 * const { session, change } = await importBundle(target, file.read())
 * ```
 */
import { ClientError } from "../client-error.ts"
import type { HoldfastClient } from "../generated/holdfast-client.ts"
import type { BundleImport } from "../generated/records.ts"
import type { CallOptions } from "../transport.ts"

export interface ImportBundleOptions extends CallOptions {
  /** What the Session may do without asking, and its restart policy, are taken over too. */
  readonly trust?: boolean
  /** Moves the Session there at once. */
  readonly directory?: string
}

const pieceBytes = 524_288

/** All of it is here then, or nothing. A repeat is safe. */
export async function importBundle(
  { sessions }: Pick<HoldfastClient, "sessions">,
  bundle: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { trust, directory, ...call }: ImportBundleOptions = {},
): Promise<BundleImport> {
  const upload = crypto.randomUUID()
  const options = { ...(trust !== undefined && { trust }), ...(directory !== undefined && { directory }) }
  let offset = 0
  for await (const data of piecesOf(bundle)) {
    await sessions.import({ upload, offset, data: base64(data), ...options }, call)
    offset += data.byteLength
  }
  const { imported } = await sessions.import({ upload, offset, data: "", last: true, ...options }, call)
  if (imported === null)
    throw new ClientError({ kind: "malformed" }, "The answer does not say what was imported.")
  return imported
}

/** Neither so small that there are many, nor larger than a request may be. */
async function* piecesOf(
  bundle: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const piece = new Uint8Array(pieceBytes)
  let length = 0
  for await (const bytes of bundle) {
    for (let at = 0; at < bytes.byteLength;) {
      const taken = bytes.subarray(at, at + pieceBytes - length)
      piece.set(taken, length)
      at += taken.byteLength
      length += taken.byteLength
      if (length < pieceBytes) break
      yield piece
      length = 0
    }
  }
  if (length > 0) yield piece.subarray(0, length)
}

/** Characters that are turned at once: a call takes so many arguments and not many more. */
const charactersAtOnce = 8_192

function base64(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.byteLength; at += charactersAtOnce)
    text += String.fromCharCode(...bytes.subarray(at, at + charactersAtOnce))
  return btoa(text)
}
