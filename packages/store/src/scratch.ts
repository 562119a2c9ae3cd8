/** Streamed text on its way to a record, as the port takes it and gives it back (TU3). */

/** Streamed text that has no durable part yet; no event, and replaced as a whole (TU3). */
export interface ScratchPart {
  readonly index: number
  readonly type: "text" | "reasoning"
  readonly text: string
}

/** A piece of a part, and where in its text it begins. A later piece with the same place takes over. */
export interface ScratchPiece extends ScratchPart {
  readonly at: number
}
