/** A reader of live events fell too far behind and was cut off (EV2). Durable events miss nothing. */
export class LiveOverrun extends Error {
  readonly _tag = "LiveOverrun"
  override readonly name = "LiveOverrun"
}
