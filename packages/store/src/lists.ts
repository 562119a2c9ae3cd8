/** Which stretch of a list is read: from a place in it, forward or back, and never more than a limit. */
import type { SessionId } from "@holdfast/schema/id"

/** Newest first: what follows `after`, or the last of what precedes `before`. */
export interface SessionList {
  /** Those that are archived, and no others; false unless given. */
  readonly archived?: boolean
  /** Those of one project; of all unless given. */
  readonly projectRoot?: string
  readonly after?: SessionId
  readonly before?: SessionId
  readonly limit: number
}

/** By directory: what follows `after`, or the last of what precedes `before`. */
export interface LocationList {
  readonly after?: string
  readonly before?: string
  readonly limit: number
}

/** In order, above a sequence. With `beforeSeq` the last `limit` of what lies between the two. */
export interface SequenceList {
  readonly afterSeq: number
  readonly beforeSeq?: number
  readonly limit: number
}

export interface MessageList extends SequenceList {
  /** Whether system messages are shown; ordinary transcripts hide them (EP11). */
  readonly system: boolean
}
