/**
 * Handlers of `ptys`. They add transport, no behaviour: what a terminal inherits from its host, the
 * stream of its output, and tickets for WebSockets.
 */
import { Effect } from "effect"
import type { Locations } from "@holdfast/core/caller/locations"
import type { Cursors } from "@holdfast/core/page/cursor"
import { makeLists } from "@holdfast/core/page/lists"
import type { EnvironmentOverlay } from "@holdfast/core/pty/terminals"
import { ptyStream } from "../event-stream.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { ticketLifeMs, type Tickets } from "../terminals/tickets.ts"
import { groupRoutes, toTheEnd } from "../group-routes.ts"

export interface PtysSettings {
  /** Where a terminal may begin. */
  readonly locations: Locations
  readonly overlay: EnvironmentOverlay
  readonly tickets: Tickets
  /** Aborted when the server closes: streams end. */
  readonly closing: AbortSignal
}

export const ptysHandlers = (runtime: HostedRuntime, cursors: Cursors, settings: PtysSettings) => {
  const { ptys } = runtime
  const lists = makeLists(runtime, cursors)
  return groupRoutes("ptys", {
    create: {
      options: toTheEnd,
      handler: ({ payload }) =>
        Effect.flatMap(settings.locations.within(payload.directory), (directory) =>
          ptys.create({ ...payload, directory }, settings.overlay),
        ),
    },
    list: ({ query }) => lists.ptys(query),
    get: ({ params }) => ptys.get(params.ptyID),
    resize: ({ params, payload }) => ptys.resize(params.ptyID, payload),
    write: ({ params, payload }) => ptys.write(params.ptyID, Buffer.from(payload.input)),
    attach: ({ params, query }) =>
      Effect.map(ptys.attach(params.ptyID, query.from ?? null), (attachment) =>
        ptyStream(attachment, settings.closing),
      ),
    close: { options: toTheEnd, handler: ({ params }) => ptys.close(params.ptyID) },
    ticket: ({ params: { ptyID }, request }) =>
      Effect.map(ptys.get(ptyID), () => ({
        ticket: settings.tickets.issue({ ptyID, origin: request.headers["origin"] ?? null }),
        expiresMs: ticketLifeMs,
      })),
  })
}
