/**
 * A span for every turn, made from the two facts that it begins and ends with.
 *
 * It tells who was asked, how it ended and what it used; never a word of what was said: reasons are
 * told by their code. It belongs to the span of the request that woke its Session, if one did.
 */
import { Context, Exit, Fiber, Option, Tracer } from "effect"
import type { CommitHub } from "@holdfast/core/watch/commits"
import type { FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"

/** Turns whose end is waited for; beyond it the oldest is given up. */
const openTurnsMax = 1_024

type Attributes = Readonly<Record<string, string | number>>

/** Returns the way to stop: turns that are open then are ended as such. */
export function traceTurns(commits: Pick<CommitHub, "subscribe">, tracer: Tracer.Tracer): () => void {
  const open = new Map<string, Tracer.Span>()
  const unsubscribe = commits.subscribe((event) => {
    if (event.type !== "append" || event.outcome.kind !== "appended") return
    const { session, time, facts } = event.command
    for (const fact of facts) {
      if (fact.type === "turn.started") {
        const [oldest] = open.size >= openTurnsMax ? open.keys() : []
        if (oldest !== undefined) open.delete(oldest)
        open.set(fact.turn, startSpan(tracer, session, fact, time))
      } else if (fact.type === "turn.settled") {
        const span = open.get(fact.turn)
        open.delete(fact.turn)
        if (span !== undefined) endSpan(span, fact, time)
      }
    }
  })
  return () => {
    unsubscribe()
    for (const span of open.values()) {
      span.attribute("holdfast.turn.status", "open")
      span.end(nanosOf(Date.now()), Exit.void)
    }
    open.clear()
  }
}

function startSpan(
  tracer: Tracer.Tracer,
  session: SessionId,
  fact: FactOf<"turn.started">,
  time: number,
): Tracer.Span {
  const parent = currentSpan()
  const span = tracer.span({
    name: "turn",
    parent,
    annotations: Context.empty(),
    links: [],
    startTime: nanosOf(time),
    kind: "internal",
    root: Option.isNone(parent),
    sampled: Option.match(parent, { onNone: () => true, onSome: ({ sampled }) => sampled }),
  })
  annotate(span, startedAttributes(session, fact))
  return span
}

function endSpan(span: Tracer.Span, fact: FactOf<"turn.settled">, time: number): void {
  annotate(span, settledAttributes(fact))
  const code = fact.reason?.code ?? fact.status
  span.end(
    nanosOf(time),
    fact.status === "failed" ? Exit.fail({ name: "TurnFailed", message: code }) : Exit.void,
  )
}

/** Drains run in fibers that come from the request which woke them. */
function currentSpan(): Option.Option<Tracer.AnySpan> {
  const fiber = Fiber.getCurrent()
  return fiber === undefined ? Option.none() : Context.getOption(fiber.context, Tracer.ParentSpan)
}

/** Names are those of OpenTelemetry where it has one. */
const startedAttributes = (session: SessionId, fact: FactOf<"turn.started">): Attributes => ({
  "holdfast.session": session,
  "holdfast.turn": fact.turn,
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": fact.model.provider,
  "gen_ai.request.model": fact.model.model,
  "holdfast.pass": fact.pass,
  "holdfast.cache.expected_tokens": fact.cacheExpected,
  ...(fact.break && { "holdfast.break": fact.break.reason }),
})

const settledAttributes = ({ status, reason, ledger }: FactOf<"turn.settled">): Attributes => ({
  "holdfast.turn.status": status,
  ...(reason && { "error.type": reason.code }),
  "gen_ai.usage.input_tokens": ledger.usage.input,
  "gen_ai.usage.output_tokens": ledger.usage.output,
  "holdfast.usage.cache_read_tokens": ledger.usage.cacheRead,
  "holdfast.usage.cache_write_tokens": ledger.usage.cacheWrite,
  "holdfast.attempts": ledger.attempts.length,
  ...(ledger.cost !== null && { "holdfast.cost_dollars": ledger.cost }),
})

function annotate(span: Tracer.Span, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) span.attribute(name, value)
}

const nanosOf = (ms: number): bigint => BigInt(ms) * 1_000_000n
