/** What the store is asked about leases that belong to a name and to no Session, such as the dreamer's (DM2). */
import type { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { LeaseOwner } from "../port.ts"

export interface NamedLease {
  readonly name: string
  readonly owner: LeaseOwner
  /** Grows with every grant and is never reused: the fence. */
  readonly token: number
  /** Grows with every renewal. */
  readonly beat: number
}

/** What a command carries that is only done while its sender holds the name. */
export type HeldName = Pick<NamedLease, "name" | "token">

/** Grants a free name, or one whose holder the caller found dead at exactly this token and beat. */
export interface AcquireNamed {
  readonly kind: "acquire-named"
  readonly name: string
  readonly owner: LeaseOwner
  readonly dead: { readonly token: number; readonly beat: number } | null
}
export interface RenewNamed extends HeldName {
  readonly kind: "renew-named"
}
export interface ReleaseNamed extends HeldName {
  readonly kind: "release-named"
}

export type NamedLeaseCommand = AcquireNamed | RenewNamed | ReleaseNamed

export interface NamedLeaseOutcomes {
  "acquire-named":
    | { readonly kind: "granted"; readonly lease: NamedLease }
    | { readonly kind: "held"; readonly lease: NamedLease }
  "renew-named": { readonly kind: "renewed" | "lost" }
  "release-named": { readonly kind: "released" | "lost" }
}

export interface NamedLeaseReads {
  readonly namedLease: (name: string) => Effect.Effect<NamedLease | null, StoreFailure>
}
