/** Lies about the way in and out: callers, pages, event streams, the next request, health. */
import { type Mutant, tests } from "./mutant.ts"

const caller = tests("packages/server/test/caller.test.ts")
const crossOrigin = tests("packages/server/test/cross-origin.test.ts")
const docsPage = tests("packages/server/test/docs-page/page.test.ts")
const telemetry = tests("packages/server/test/telemetry/otlp.test.ts")
const page = tests("packages/server/test/page.test.ts")
const everyRoute = tests("packages/server/test/every-route.test.ts")
const frontDoor = tests("packages/server/test/front-door.test.ts")
const events = tests("packages/server/test/events.test.ts")
const hangUp = tests("packages/server/test/hang-up.test.ts")
const health = tests("packages/server/test/health.test.ts")
const sdkEvents = tests("packages/sdk/test/events.test.ts")
const clientFollow = tests("packages/client/test/follow.test.ts")
const liveReader = tests("packages/core/test/session/live-reader.test.ts")
const sdkSessions = tests("packages/sdk/test/sessions.test.ts")
const preview = tests("test/session/preview.test.ts")

export const surfaceMutants: readonly Mutant[] = [
  {
    name: "any port of the same host",
    rules: ["AU1"],
    file: "packages/server/src/caller.ts",
    find: "origin === `http://${host}` || origin === `https://${host}`",
    replace: 'URL.parse(origin)?.hostname === host.replace(/:[0-9]+$/, "")',
    run: caller,
  },
  {
    name: "a Host that begins like a loopback name",
    rules: ["AU1"],
    file: "packages/server/src/caller.ts",
    find: "/^(localhost|127\\.0\\.0\\.1|\\[::1\\])(:[0-9]{1,5})?$/",
    replace: "/^(localhost|127\\.0\\.0\\.1|\\[::1\\])/",
    run: caller,
  },
  {
    name: "an allowed name holds without a port alone",
    rules: ["AU1"],
    file: "packages/server/src/caller.ts",
    find: " || name === bare",
    replace: "",
    run: caller,
  },
  {
    name: "paths in any case",
    rules: ["CO1"],
    file: "packages/server/src/handler.ts",
    find: "caseSensitive: true",
    replace: "caseSensitive: false",
    run: frontDoor,
  },
  {
    name: "a payload that nobody reads",
    rules: ["CO1"],
    file: "packages/server/src/handler.ts",
    find: "endpoint.payload.size === 0 ? checkNoPayload : Effect.void",
    replace: "Effect.void",
    run: frontDoor,
  },
  {
    name: "a cursor of another Session",
    rules: ["PG1"],
    file: "packages/core/src/page/page.ts",
    find: "if (place.list !== list || place.session !== session) {",
    replace: "if (place.list !== list) {",
    run: page,
  },
  {
    name: "a cursor that anybody can make",
    rules: ["PG1"],
    file: "packages/core/src/page/cursor.ts",
    find: "      if (!timingSafeEqual(given, mac(body))) return null\n",
    replace: "      if (given.length !== mac(body).length) return null\n",
    run: page,
  },
  {
    name: "an Origin that begins like the Host",
    rules: ["AU1"],
    file: "packages/server/src/caller.ts",
    find: "origin === `http://${host}` || origin === `https://${host}`",
    replace: "origin.startsWith(`http://${host}`)",
    run: everyRoute,
  },
  {
    name: "an origin that begins like an allowed one",
    rules: ["AU1"],
    file: "packages/server/src/caller.ts",
    find: "allowed.toLowerCase() === origin.toLowerCase()",
    replace: "origin.toLowerCase().startsWith(allowed.toLowerCase())",
    run: crossOrigin,
  },
  {
    name: "whatever lies below the page is open",
    rules: ["AU1"],
    file: "packages/server/src/front-door.ts",
    find: 'openPaths.has(url.replace(/\\?.*$/s, ""))',
    replace: '(url.startsWith("/docs") || url.startsWith("/openapi.json"))',
    run: docsPage,
  },
  {
    name: "a span is called by the path as it was sent",
    rules: ["AU1"],
    file: "packages/server/src/request-watch.ts",
    find: "const route = routePattern(method, request.url)",
    replace: "const route = request.url",
    run: telemetry,
  },
  {
    name: "a tail that tells its last event again",
    rules: ["EV1"],
    file: "packages/core/src/events/tail.ts",
    find: "position = last.seq",
    replace: "position = last.seq - 1",
    run: events,
  },
  {
    name: "a resumed stream that asks its query first",
    rules: ["EV1"],
    file: "packages/server/src/handlers/sessions.ts",
    find: 'headers["last-event-id"] ?? query.after ?? 0',
    replace: 'query.after ?? headers["last-event-id"] ?? 0',
    run: events,
  },
  {
    name: "a stream of a Session that is not there",
    rules: ["EV4"],
    file: "packages/core/src/events/tail.ts",
    find: "  if (nothing && (yield* store.session(id)) === null) return yield* sessionNotFound(id)\n",
    replace: "",
    run: events,
  },
  {
    name: "commits of other processes are not looked for",
    rules: ["EV5"],
    file: "packages/core/src/events/tail.ts",
    find: "Math.min(lookAgainMs, leftMs)",
    replace: "leftMs",
    run: sdkEvents,
  },
  {
    name: "a live reader may be any number of bytes behind",
    rules: ["EV2"],
    file: "packages/core/src/events/live-reader.ts",
    find: "bytes + size > limits.bytesMax || ",
    replace: "",
    run: liveReader,
  },
  {
    name: "a live reader may be behind for any time",
    rules: ["EV2"],
    file: "packages/core/src/events/live-reader.ts",
    find: " || behindMs > limits.behindMsMax",
    replace: "",
    run: liveReader,
  },
  {
    name: "an interrupt that ends with its connection",
    rules: ["DR3"],
    file: "packages/server/src/handlers/sessions.ts",
    find: "interrupt: { options: toTheEnd, handler:",
    replace: "interrupt: { options: { uninterruptible: false }, handler:",
    run: hangUp,
  },
  {
    name: "what a live reader has read still weighs",
    rules: ["EV2"],
    file: "packages/core/src/events/live-reader.ts",
    find: "          bytes -= queued.size\n",
    replace: "",
    run: liveReader,
  },
  {
    name: "attempts of a follower that are never forgotten",
    rules: ["EV3"],
    file: "packages/client/src/follow.ts",
    find: "        attempt = 0\n",
    replace: "",
    run: clientFollow,
  },
  {
    name: "a stream that ends after a minute, whatever it brings",
    rules: ["EV3"],
    file: "packages/client/src/network.ts",
    find: "      limit.renew()\n",
    replace: "",
    run: clientFollow,
  },
  {
    name: "a follower that begins anew after a cut",
    rules: ["EV3"],
    file: "packages/client/src/follow.ts",
    find: "after: position }",
    replace: "after }",
    run: clientFollow,
  },
  {
    name: "newest first, turned",
    rules: ["PG1"],
    file: "packages/core/src/page/page.ts",
    find: "turned(below(Number(anchor ?? Number.MAX_SAFE_INTEGER), limit))",
    replace: "below(Number(anchor ?? Number.MAX_SAFE_INTEGER), limit)",
    run: page,
  },
  {
    name: "misspelt fields that nobody minds",
    rules: ["CO3", "EM1"],
    file: "packages/sdk/src/checked-calls.ts",
    find: '{ onExcessProperty: "error" }',
    replace: '{ onExcessProperty: "ignore" }',
    run: tests("packages/sdk/test/bad-input.test.ts"),
  },
  {
    name: "system messages in every list",
    rules: ["EP11"],
    file: "packages/core/src/page/lists.ts",
    find: "runtime.messages(id, { ...list, system })",
    replace: "runtime.messages(id, { ...list, system: true })",
    run: sdkSessions,
  },
  {
    name: "a preview without the pending input",
    rules: ["PG3"],
    file: "packages/core/src/preview/preview.ts",
    find: "planPromotion({ continuing, pending: inbox })",
    replace: "planPromotion({ continuing, pending: [] })",
    run: preview,
  },
  {
    name: "a preview without what recovery would settle",
    rules: ["PG3"],
    file: "packages/core/src/preview/preview.ts",
    find: "  if (led) return state\n",
    replace: "  if (!led || led) return state\n",
    run: preview,
  },
  {
    name: "a part that stays degraded for ever",
    rules: ["FA1"],
    file: "packages/core/src/health/degradation.ts",
    find: "clear: (part) => void found.delete(part),",
    replace: "clear: () => {},",
    run: health,
  },
  {
    name: "a degradation that is always new",
    rules: ["FA1"],
    file: "packages/core/src/health/degradation.ts",
    find: "found.get(part)?.since ?? (yield* Clock.currentTimeMillis)",
    replace: "yield* Clock.currentTimeMillis",
    run: health,
  },
]
