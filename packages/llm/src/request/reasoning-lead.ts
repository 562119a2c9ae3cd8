/**
 * Whether the answer that a tool loop continues begins with reasoning.
 *
 * documented, for Claude on every wire: where thinking is asked for, that answer must begin with it,
 * and it reaches back over the results given inside it. If it does not (the model was changed, or an
 * answer was cut), thinking is left out of this request.
 */
import type { Block } from "../wire.ts"

/** `from` is where the messages begin. */
export function leadsWithReasoning(blocks: readonly Block[], from: number): boolean {
  let at = blocks.length - 1
  while (at >= from && blocks[at]?.role !== "assistant") at -= 1
  const last = at
  while (at >= from && blocks[at]?.role === "assistant") at -= 1
  if (!blocks.slice(at + 1, last + 1).some(({ kind }) => kind === "call")) return true
  let start = at + 1
  while (at >= from) {
    const role = blocks[at]?.role
    while (at >= from && blocks[at]?.role === role) at -= 1
    if (role === "assistant") start = at + 1
    // A system message inside the loop does not end it; words of the user do.
    else if (role === "user" && blocks[at + 1]?.kind !== "result") break
  }
  return blocks[start]?.kind === "reasoning"
}
