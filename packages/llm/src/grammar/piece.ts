/**
 * What a block says, in the words that all wires share: a wire tells its blocks so, and one linter
 * judges them (LL3). What a wire never writes is strange to it, whatever its provider would take.
 */
import type { SeenImage } from "../image/check.ts"

export type Piece = Said & {
  /** It may stand only in a block that is native to the target (LL4). */
  readonly native?: boolean
  /** The id by which the provider knows it; no two pieces have the same. */
  readonly item?: string
}

type Said =
  | { readonly kind: "text"; readonly text: unknown }
  | { readonly kind: "image"; readonly seen: SeenImage | null }
  | {
      readonly kind: "call"
      readonly id: string
      readonly name: string
      readonly input: unknown
      readonly signed?: boolean
    }
  | {
      readonly kind: "result"
      readonly id: string
      readonly name?: string
      readonly texts: readonly unknown[]
      readonly images?: readonly (SeenImage | null)[]
      /** The provider has a field for it, and then takes no images. */
      readonly failed?: boolean
    }
  /** `sealed`: it holds what its provider wants back. `ends`: an answer may end in it. */
  | { readonly kind: "reasoning"; readonly sealed: boolean; readonly ends?: boolean }
  | { readonly kind: "hosted" }
  /** Nothing that this wire writes. */
  | { readonly kind: "strange"; readonly what: string }
  /** A fault that only the wire can see. */
  | { readonly kind: "fault"; readonly rule: string; readonly message: string }

export const text = (words: unknown): Piece => ({ kind: "text", text: words })
export const strange = (what: unknown): Piece => ({ kind: "strange", what: String(what) })
export const fault = (rule: string, message: string): Piece => ({ kind: "fault", rule, message })
