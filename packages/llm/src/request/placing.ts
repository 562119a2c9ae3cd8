/** From blocks to a request that can be sent: its cache markers, its bytes and its record (LL5, TU1). */
import { paramsHash, requestHash } from "../blocks.ts"
import { lifetimesOf } from "../cache-lifetime.ts"
import type { Target } from "../segments.ts"
import type { Encoded, Wire } from "../wire.ts"
import { type BodyLayout, makeBodyWriter } from "./body.ts"
import { chooseMarkers, type MarkerPolicy } from "./markers.ts"
import { type BodyHole, filledBytes } from "./media-hole.ts"

export interface PlacingForms {
  /** Changes whenever the same Segments would give other bytes (TU1). */
  readonly encoder: string
  readonly layout: BodyLayout
  /** Null where the target takes no markers; absent where nobody does. */
  readonly policyFor?: (target: Target) => MarkerPolicy | null
  /** The settings as the body begins with them, where they are not as they are recorded. */
  readonly settingsOf?: (encoded: Encoded) => string
}

export function makePlacing(forms: PlacingForms): Pick<Wire, "encoder" | "place"> {
  const { encoder, layout, policyFor, settingsOf } = forms
  const write = makeBodyWriter(layout)
  const place: Wire["place"] = (encoded, target, previousBlocks, given) => {
    const { blocks, params, prefixHash, tokens } = encoded
    const policy = policyFor?.(target) ?? null
    const lifetimes = given ?? lifetimesOf(target.options)
    const markers = policy === null ? [] : chooseMarkers(blocks, previousBlocks, policy, lifetimes)
    const pieces = write({ ...encoded, params: settingsOf?.(encoded) ?? params }, markers)
    const bytes = pieces.reduce(
      (sum, { bytes: own, hole }) => sum + (hole ? filledBytes(hole) : own.length),
      0,
    )
    const holes = pieces.flatMap(({ hole }, piece): BodyHole[] => (hole === null ? [] : [{ ...hole, piece }]))
    const record = {
      hash: requestHash({ prefixHash, params, markers, encoder }),
      prefixHash,
      encoder,
      blocks: blocks.length,
      bytes,
      tokensEstimated: tokens,
      markers,
      params: paramsHash(params),
    }
    return { record, body: pieces.map((piece) => piece.bytes), holes, bytes }
  }
  return { encoder, place }
}

/** Settings whose model stands in the address and not in the body. */
export function withoutModel(params: string): Readonly<Record<string, unknown>> {
  const { model: _, ...rest } = JSON.parse(params) as Record<string, unknown>
  return rest
}
