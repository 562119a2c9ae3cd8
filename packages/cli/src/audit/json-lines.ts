/** The audit for programs: one object a line, the last of them with the fields that are promised. */
import { promptTokens, type Report, writtenTokens } from "@holdfast/foreign"

export function* auditLines(report: Report): Iterable<Readonly<Record<string, unknown>>> {
  const { totals, places, breaks, unpriced, skips } = report
  for (const { account, rows } of report.sessions) {
    const { id, agent, file, title, directory, childOf } = account
    const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((all, row) => all + of(row), 0)
    yield {
      type: "session",
      session: id,
      agent,
      file,
      title,
      directory,
      parent: childOf,
      calls: rows.length,
      input: sum(({ request }) => request.tokens.input),
      cacheRead: sum(({ request }) => request.tokens.cacheRead),
      cacheWrite: sum(({ request }) => writtenTokens(request.tokens)),
      output: sum(({ request }) => request.tokens.output),
      prompt: sum(({ request }) => promptTokens(request.tokens)),
      dollars: sum(({ cost }) => (cost === null ? 0 : cost.input + cost.output)),
    }
  }
  for (const { account, at, request, cause, gapMs, tokens, dollars } of breaks) {
    const time = at === null ? null : new Date(at).toISOString()
    yield { type: "break", session: account.id, time, request, cause, gapMs, tokens, dollars }
  }
  const { sentBefore, fresh, starts, premium } = places
  for (const [place, dollars] of Object.entries({ sentBefore, fresh, starts, premium })) {
    yield { type: "place", place, count: null, tokens: null, dollars }
  }
  for (const [place, lost] of places.breaks) yield { type: "place", place, ...lost }
  for (const [model, used] of unpriced) yield { type: "unpriced", model, ...used }
  for (const [why, lines] of skips) yield { type: "skipped", why, lines }
  const { listDollars, inputDollars, outputDollars, idealDollars } = totals
  yield {
    type: "cost",
    listDollars,
    inputDollars,
    outputDollars,
    idealDollars,
    idealPrice: share(idealDollars, listDollars),
  }
  yield {
    type: "audit",
    sessions: totals.sessions,
    calls: totals.calls,
    input: totals.input,
    cacheRead: totals.cacheRead,
    cacheWrite: writtenTokens(totals),
    output: totals.output,
    price: share(inputDollars, listDollars),
    breaks: breaks.length,
  }
}

/** Of the list price; null where nothing has a price. */
const share = (dollars: number, list: number): number | null => (list === 0 ? null : dollars / list)
