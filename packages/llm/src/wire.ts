/**
 * The seam where wires fit: one canonical request in, one canonical event stream out (LL1).
 *
 * Everything here is synchronous; only a Transport touches the network. A wire is pure: it encodes
 * Segments to blocks, and reads an answer step by step, from a state and a frame to the next state
 * (answer/reading.ts). What turns bytes into frames is shared. A wire never throws: what a provider
 * does wrong becomes a `failure` event or a ProviderFailure (LL6).
 */
import { Data, type Effect, type Scope } from "effect"
import type { Json } from "@holdfast/schema/json"
import type { Usage } from "@holdfast/schema/model"
import type { BlockKind } from "@holdfast/schema/planned-request"
import type { RequestRecord, SegmentName } from "@holdfast/schema/turn"
import type { Lifetimes } from "./cache-lifetime.ts"
import type { FailureCode } from "./failure/failure.ts"
import type { BodyHole, MediaHole } from "./request/media-hole.ts"
import type { Segments, Target } from "./segments.ts"

/** One block in provider order. `json` is canonical and holds no cache marker. */
export interface Block {
  readonly segment: SegmentName
  readonly role: "user" | "assistant" | "system" | null
  /** What it says, for people; it is in no hash. */
  readonly kind: BlockKind
  /** Id of the call that it makes or answers; null if it belongs to none, or to several. */
  readonly unit: string | null
  readonly json: string
  readonly hash: string
  readonly bytes: number
  readonly tokens: number
  /** Whether the provider accepts a cache marker on it. */
  readonly markable: boolean
  /** Tag of the target whose native metadata it repeats (LL4); null if it holds none. */
  readonly native: string | null
  /** Where images stand in `json`, in order; absent where there are none (LL7). */
  readonly holes?: readonly MediaHole[]
}

/** A request before its cache markers are placed. */
export interface Encoded {
  readonly blocks: readonly Block[]
  /** Settings outside the prefix: model, limits, thinking; canonical JSON. */
  readonly params: string
  /** Fold of the block hashes in order. */
  readonly prefixHash: string
  readonly tokens: number
}

export interface LintFault {
  readonly rule: string
  readonly block: number
  readonly message: string
}

export interface PlacedRequest {
  readonly record: RequestRecord
  /** Pieces of the body, in order, ready to be sent with a content-length once its holes are filled. */
  readonly body: readonly Uint8Array[]
  readonly holes: readonly BodyHole[]
  /** With the images that the holes stand for. */
  readonly bytes: number
}

export type { FailureCode }

/** What a provider or the way to it did. `message` is for people and holds no secret. */
export class ProviderFailure extends Data.TaggedError("ProviderFailure")<{
  readonly code: FailureCode
  readonly message: string
  readonly retryable: boolean
  readonly retryAfterMs: number | null
  readonly status: number | null
  /** Set where the request cannot have reached the provider. */
  readonly unsent?: boolean
}> {}

export type Finish = "stop" | "calls" | "length" | "refusal" | "pause" | "unknown"

export type StreamEvent =
  | { readonly type: "start"; readonly nativeId: string; readonly usage: Usage }
  | { readonly type: "text-start"; readonly index: number }
  | { readonly type: "text-delta"; readonly index: number; readonly text: string }
  /** `opaque`, here and at a call: what the provider wants back with it (LL4); absent if nothing. */
  | { readonly type: "text-end"; readonly index: number; readonly text: string; readonly opaque?: Json }
  | { readonly type: "reasoning-start"; readonly index: number }
  | { readonly type: "reasoning-delta"; readonly index: number; readonly text: string }
  | {
      readonly type: "reasoning-end"
      readonly index: number
      readonly text: string
      readonly opaque: Json | null
    }
  | { readonly type: "call-start"; readonly index: number; readonly nativeId: string; readonly name: string }
  | { readonly type: "call-delta"; readonly index: number; readonly bytes: number }
  /** `input` is null when the provider sent arguments that are not JSON; `raw` is what it sent. */
  | {
      readonly type: "call-end"
      readonly index: number
      readonly nativeId: string
      readonly name: string
      readonly input: Json | null
      readonly raw: string
      readonly opaque?: Json
    }
  /** A tool that the provider ran itself, with its result (LL8). */
  | { readonly type: "hosted"; readonly index: number; readonly name: string; readonly opaque: Json }
  | { readonly type: "finish"; readonly reason: Finish; readonly nativeReason: string; readonly usage: Usage }
  | { readonly type: "failure"; readonly failure: ProviderFailure }

/** One answer's bytes to events: frames through a reading. `end` is called once, when the stream closes cleanly. */
export interface StreamDecoder {
  readonly push: (bytes: Uint8Array) => readonly StreamEvent[]
  readonly end: () => readonly StreamEvent[]
}

export interface Wire {
  readonly name: string
  /** Changes whenever the same Segments would give other bytes; a golden file holds it honest. */
  readonly encoder: string
  readonly encode: (segments: Segments, target: Target) => Encoded
  /** LL3: an empty list means that the provider's grammar is kept. */
  readonly lint: (encoded: Encoded, target: Target) => readonly LintFault[]
  /** LL5. `previousBlocks` is the block count of the previous request, 0 if none; lifetimes are as the options say unless given. */
  readonly place: (
    encoded: Encoded,
    target: Target,
    previousBlocks: number,
    lifetimes?: Lifetimes,
  ) => PlacedRequest
  /** Some providers name the model in the address. */
  readonly address: (baseUrl: string, model?: string) => string
  /** Without a key, as to a server that asks for none, there is no header for it. */
  readonly headers: (apiKey: string | null) => Readonly<Record<string, string>>
  /** All headers of a request that is signed as a whole, in place of `headers`; absent where a key is enough. */
  readonly sign?: (
    request: Pick<WireRequest, "url" | "body">,
    credentials: SigningCredentials,
    nowMs: number,
  ) => Readonly<Record<string, string>>
  readonly decoder: (contentType: string) => StreamDecoder
  /** An answer whose status is not 200. */
  readonly failure: (
    status: number,
    headers: Readonly<Record<string, string>>,
    body: string,
    nowMs: number,
  ) => ProviderFailure
}

/** Whom a signature speaks for, and where it holds. The secret is in no header. */
export interface SigningCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  readonly region: string
}

export interface WireRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: readonly Uint8Array[]
  readonly bytes: number
  readonly limits: StreamLimits
}

export interface StreamLimits {
  /** Until the answer's headers. */
  readonly firstByteMs: number
  /** Between two pieces of the answer. */
  readonly idleMs: number
}

export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The next piece, or null at a clean end. Fails once, with a limit passed or a broken stream. */
  readonly read: Effect.Effect<Uint8Array | null, ProviderFailure>
  /** The reader has all it needs: closing the scope then lets the rest come to its end, to save the connection. */
  readonly leave: () => void
}

/** Called once per attempt. Closing the scope aborts the request. A repeat sends again. */
export interface Transport {
  readonly send: (request: WireRequest) => Effect.Effect<WireResponse, ProviderFailure, Scope.Scope>
}
