/**
 * Tickets: what lets a WebSocket in (PT1). A page cannot give a token with one, and an address with a
 * token in it ends up in logs; a ticket is worth nothing by then.
 *
 *   issued ─ presented ─▶ used, whatever came of it
 *          ─ time over ─▶ gone
 *
 * It is good for the terminal and the Origin that it was made for. Only hashes are kept, so that the
 * time of a look-up says nothing of a ticket.
 */
import { createHash } from "node:crypto"

export interface TicketClaim {
  readonly ptyID: string
  /** Null where the caller is no page. */
  readonly origin: string | null
}

export interface TicketSource {
  /** A clock that never goes back. */
  readonly nowMs: () => number
  /** A text that nobody can guess, fit for an address. */
  readonly secret: () => string
}

export const ticketLifeMs = 30_000

/** More at once push out the oldest. */
export const ticketsMax = 256

export class Tickets {
  readonly #source: TicketSource
  readonly #issued = new Map<string, TicketClaim & { readonly expiresAtMs: number }>()

  constructor(source: TicketSource) {
    this.#source = source
  }

  issue({ ptyID, origin }: TicketClaim): string {
    const ticket = this.#source.secret()
    this.#issued.set(hash(ticket), { ptyID, origin, expiresAtMs: this.#source.nowMs() + ticketLifeMs })
    for (const oldest of this.#issued.keys()) {
      if (this.#issued.size <= ticketsMax) break
      this.#issued.delete(oldest)
    }
    return ticket
  }

  /** Whether the ticket lets this caller in; it is used up by asking. */
  redeem(ticket: string, { ptyID, origin }: TicketClaim): boolean {
    const key = hash(ticket)
    const issued = this.#issued.get(key)
    this.#issued.delete(key)
    if (issued === undefined || this.#source.nowMs() >= issued.expiresAtMs) return false
    return issued.ptyID === ptyID && issued.origin === origin
  }
}

const hash = (ticket: string): string => createHash("sha256").update(ticket).digest("base64")
