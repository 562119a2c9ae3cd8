/**
 * What becomes of a fact when a store takes it over from a bundle (ST4). Fact by fact, so that the
 * beginning of a log is always taken over as the beginning of that log.
 *
 * Whoever wrote the file decides nothing about this machine: what the Session was allowed to do without
 * asking, and that it goes on by itself, is taken over only where the person who imports says so (PE1, DR5).
 * Nothing here needs effect: the writer of the store runs it.
 */
import type { Fact, FactOf } from "../event.ts"
import type { PromptId } from "../id.ts"

export interface Adoption {
  /** Permissions and the restart policy are taken over too. */
  readonly trusted: boolean
  /** A second Session beside the one that went another way since a sequence of both. */
  readonly copy: { readonly source: string; readonly seq: number } | null
  /** Prompt ids are unique in a store (PR2); those of a copy are made from the ones that it copies. */
  readonly promptId: (prompt: string) => PromptId
}

/** The very same fact where nothing has to change. */
export function adopted(fact: Fact, { trusted, copy, promptId }: Adoption): Fact {
  const own = trusted ? fact : withoutPermissions(fact)
  if (copy === null) return own
  if (own.type === "session.created")
    return { ...own, kind: "primary", parent: null, policy: "settle", origin: { kind: "import", ...copy } }
  if (own.type === "session.updated" && own.policy === "continue") return { ...own, policy: "settle" }
  return "prompt" in own ? { ...own, prompt: promptId(own.prompt) } : own
}

/** Also how two logs are compared: they may differ in what their stores were told to trust. */
export function withoutPermissions(fact: Fact): Fact {
  switch (fact.type) {
    case "session.created":
      return withoutAllowances(fact)
    case "session.updated":
      return "allow" in fact || fact.onAsk === "allow" || fact.policy === "continue" ? restrained(fact) : fact
    case "ask.answered": {
      if (fact.approves === undefined) return fact
      const { approves: _, ...rest } = fact
      return rest
    }
    default:
      return fact
  }
}

function withoutAllowances(fact: FactOf<"session.created">): Fact {
  const { allow, ...rest } = fact
  const isPlain = allow === undefined && rest.onAsk !== "allow" && rest.policy === "settle"
  return isPlain ? fact : { ...rest, onAsk: rest.onAsk === "allow" ? "wait" : rest.onAsk, policy: "settle" }
}

const restrained = (fact: FactOf<"session.updated">): Fact => ({
  ...fact,
  ...(fact.allow && { allow: [] }),
  ...(fact.onAsk === "allow" && { onAsk: "wait" }),
  ...(fact.policy === "continue" && { policy: "settle" }),
})
