/** Callers that hang up while the runtime works for them: what changes something is done to its end. */
import { Cause, Effect, Exit } from "effect"
import { expect, test } from "vitest"
import type { HostedRuntime } from "../src/index.ts"
import { fill, type Route, routes } from "./routes.ts"
import { buildRequest, openSurface, type Surface } from "./surface.ts"

interface Gate {
  /** The runtime behind the gate; while it is shut, no method goes on. */
  readonly before: (runtime: HostedRuntime) => HostedRuntime
  readonly shut: () => void
  readonly open: () => void
  /** Resolves when a method stands before the gate. */
  readonly reached: Promise<void>
  /** How that method ended. */
  readonly ended: Promise<Exit.Exit<unknown, unknown>>
}

function makeGate(): Gate {
  let way = Promise.resolve()
  let open = () => {}
  const reached = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<Exit.Exit<unknown, unknown>>()
  let closed = false
  const stop = Effect.promise(() => {
    if (closed) reached.resolve()
    return way
  })
  const held = (work: Effect.Effect<unknown, unknown>) =>
    Effect.onExit(Effect.andThen(stop, work), (exit) =>
      Effect.sync(() => {
        if (closed) ended.resolve(exit)
      }),
    )
  const before = (runtime: HostedRuntime): HostedRuntime =>
    new Proxy(runtime, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== "function") return member
        return (...given: readonly unknown[]) => {
          const made: unknown = Reflect.apply(member, target, given)
          return Effect.isEffect(made) ? held(made as Effect.Effect<unknown, unknown>) : made
        }
      },
    })
  return {
    before,
    reached: reached.promise,
    ended: ended.promise,
    open: () => open(),
    shut: () => {
      closed = true
      way = new Promise((resolve) => {
        open = resolve
      })
    },
  }
}

/** A Session with an answer and a prompt that waits, so that each call has something to change. */
async function prepare(surface: Surface): Promise<Readonly<Record<string, string>>> {
  const sessionID: string = (await surface.post("/api/session", {})).json.id
  await surface.post(`/api/session/${sessionID}/prompt`, { text: "Hello" })
  await surface.get(`/api/session/${sessionID}/wait`)
  await surface.post(`/api/session/${sessionID}/prompt`, { text: "Later", id: "later", resume: false })
  const { items } = (await surface.get(`/api/session/${sessionID}/message`)).json
  const runID: string = (await surface.post("/api/dreams", {})).json.run
  await surface.post("/api/workspaces", { workspace: "shop" })
  await surface.post("/api/workspaces/shop/add", {})
  const ids = { memoryID: "m1", noteID: "s1", runID, workspace: "shop" }
  return { sessionID, promptID: "later", messageID: items[0].id, ...ids }
}

/**
 * A probe changes nothing but the bill: whoever hangs up does not want to pay for it. Terminals are
 * not stored, and have a test of their own.
 */
const changing = routes.filter(
  ({ method, name }) =>
    method !== "GET" &&
    name !== "sessions.probe" &&
    !name.startsWith("searches.") &&
    !name.startsWith("ptys."),
)

test("[CL5] a caller that has gone already waits for nothing", async () => {
  const surface = await openSurface({ host: (runtime) => ({ ...runtime, health: () => Effect.never }) })
  const request = buildRequest("http://localhost:4096", "/api/health", { signal: AbortSignal.abort() })
  expect((await surface.handler(request)).status).toBe(499)
  await surface.close()
})

test("these routes change something", () =>
  expect(changing.map(({ name }) => name).sort()).toEqual([
    "asks.answer",
    "dreams.revert",
    "dreams.run",
    "locations.open",
    "memories.archive",
    "memories.merge",
    "memories.restore",
    "memories.share",
    "memories.update",
    "memories.write",
    "notes.dismiss",
    "notes.update",
    "notes.write",
    "sessions.archive",
    "sessions.cancel",
    "sessions.create",
    "sessions.delete",
    "sessions.edit",
    "sessions.flush",
    "sessions.fold",
    "sessions.fork",
    "sessions.import",
    "sessions.interrupt",
    "sessions.move",
    "sessions.prompt",
    "sessions.quarantine",
    "sessions.rebuild",
    "sessions.resume",
    "sessions.switchAgent",
    "sessions.switchModel",
    "sessions.update",
    "workspaces.add",
    "workspaces.create",
    "workspaces.delete",
    "workspaces.remove",
    "workspaces.share",
  ]))

test.each(changing)("[DR3 PR5] $name is done to its end though its caller hangs up", async (route: Route) => {
  const gate = makeGate()
  const surface = await openSurface({ host: gate.before })
  const known = await prepare(surface)
  gate.shut()
  const caller = new AbortController()
  const { method, payload } = route
  const asking = surface.handler(
    buildRequest("http://localhost:4096", fill(route.path, known), {
      method,
      ...(payload !== null && { payload }),
      signal: caller.signal,
    }),
  )
  await gate.reached
  caller.abort()
  // Whatever the hanging up interrupts is over by then.
  await new Promise((resolve) => setImmediate(resolve))
  gate.open()
  const end = Exit.match(await gate.ended, {
    onSuccess: () => "done",
    onFailure: (cause) => (Cause.hasInterrupts(cause) ? "interrupted" : "refused"),
  })
  // Nothing is asked here, and only whoever gets to the end can say so.
  expect(end).toBe(route.name === "asks.answer" ? "refused" : "done")
  await Promise.allSettled([asking])
  await surface.close()
})
