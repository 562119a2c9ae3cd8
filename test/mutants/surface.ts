/** Lies about the way in and out: callers, pages, event streams, the next request, health. */
import { type Mutant, tests } from "./mutant.ts"

const caller = tests("packages/server/test/caller.test.ts")
const page = tests("packages/server/test/page.test.ts")
const everyRoute = tests("packages/server/test/every-route.test.ts")
const events = tests("packages/server/test/events.test.ts")
const health = tests("packages/server/test/health.test.ts")
const sdkEvents = tests("packages/sdk/test/events.test.ts")
const sdkNetwork = tests("packages/sdk/test/network.test.ts")
const sdkSessions = tests("packages/sdk/test/sessions.test.ts")
const preview = tests("test/session/preview.test.ts")

export const surfaceMutants: readonly Mutant[] = [
  {
    name: "any port of the same host",
    rules: ["AU1"],
    file: "packages/server/src/caller.ts",
    find: "origin !== `http://${host}` && origin !== `https://${host}`",
    replace: 'URL.parse(origin)?.hostname !== host.replace(/:[0-9]+$/, "")',
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
    find: "origin !== `http://${host}` && origin !== `https://${host}`",
    replace: "!origin.startsWith(`http://${host}`)",
    run: everyRoute,
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
    name: "a live reader may be any number of events behind",
    rules: ["EV2"],
    file: "packages/core/src/events/live-reader.ts",
    find: "queue.length >= limits.eventsMax || ",
    replace: "",
    run: sdkEvents,
  },
  {
    name: "a live reader may be any number of bytes behind",
    rules: ["EV2"],
    file: "packages/core/src/events/live-reader.ts",
    find: " || bytes + size > limits.bytesMax",
    replace: "",
    run: sdkEvents,
  },
  {
    name: "a follower that begins anew after a cut",
    rules: ["EV3"],
    file: "packages/sdk/src/network/follow.ts",
    find: "open(position, signal)",
    replace: "open(after, signal)",
    run: sdkNetwork,
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
