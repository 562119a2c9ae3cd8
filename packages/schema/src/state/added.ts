/**
 * What was added since a provider last took a request: if it refuses the next one, the cause is
 * among these (LL7). An answer is added by itself, and so are the results of its calls; that it has
 * parts shows that the request before it was taken. Nothing here needs effect.
 */
/** Whether what is in a request may be why it was refused. */
export const isContentRefusal = (code: string): boolean => contentCodes.has(code)

const contentCodes: ReadonlySet<string> = new Set([
  "invalid_request",
  "request_too_large",
  "context_overflow",
  "content_policy",
  "unknown",
])

interface SeenMessage {
  readonly kind: string
  readonly parts?: readonly unknown[]
  readonly quarantined?: number
}

/** A message that can be taken out. */
export type Removable<M> = Exclude<M, { readonly kind: "system" }>

/** In order; null if no request was taken yet. Those that are taken out already are left out. */
export function addedSinceTaken<M extends SeenMessage>(
  messages: readonly M[],
): readonly Removable<M>[] | null {
  const taken = messages.findLastIndex(({ kind, parts = [] }) => kind === "assistant" && parts.length > 0)
  return taken < 0 ? null : messages.slice(taken).filter(isRemovable)
}

const isRemovable = <M extends SeenMessage>(message: M): message is Removable<M> =>
  message.kind !== "system" &&
  message.quarantined === undefined &&
  (message.kind !== "assistant" || (message.parts ?? []).length > 0)
