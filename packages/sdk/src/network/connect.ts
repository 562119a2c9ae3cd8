/**
 * A Holdfast behind a network, with the interface of the embedded one.
 *
 * Values come back as they were sent. Durable events are followed across cuts (EV3), and `result`
 * asks again until the work is over, also from a server that was started anew; every other call is
 * made once.
 */
import { setMaxListeners } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import type { Event } from "@holdfast/schema/event"
import type { LifecycleEvent, LiveEvent, LiveStreamEvent } from "@holdfast/schema/live"
import type { RunResult } from "@holdfast/schema/run-result"
import { checkedCalls } from "../checked-calls.ts"
import type { Holdfast } from "../holdfast.ts"
import { LiveOverrun } from "../live-overrun.ts"
import { parseModel } from "../model-name.ts"
import type { Sessions } from "../sessions.ts"
import { ClientError } from "./client-error.ts"
import { defaultWaitMs, endable, followEvents, followLimits, isLoss } from "./follow.ts"
import { encodeImages } from "./prompt-images.ts"
import type { RouteName } from "./routes.ts"
import { makeWire, type NetworkWire, type WireCall } from "./wire.ts"

export type Fetch = (input: string, init: RequestInit) => Promise<Response>

export interface ConnectOptions {
  /** As `http://127.0.0.1:4096`. */
  readonly url: string
  readonly token: string
  /** The global one unless given. */
  readonly fetch?: Fetch
}

/** Nothing is sent before the first call. */
export async function connect(options: ConnectOptions): Promise<Holdfast> {
  const closing = new AbortController()
  // Each open stream listens to it.
  setMaxListeners(Infinity, closing.signal)
  const wire = makeWire({
    url: options.url,
    token: options.token,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    closing: closing.signal,
  })
  const close = async (): Promise<void> => closing.abort()
  return checkedCalls({
    sessions: makeSessions(wire, closing.signal),
    events: { subscribe: () => subscribe(wire, closing.signal) },
    models: {
      get: async ({ model } = {}) => {
        if (model !== undefined) await Effect.runPromise(parseModel(model))
        return ask(wire, "models.get", { query: { model } })
      },
    },
    health: { get: () => ask(wire, "health.get") },
    close,
    [Symbol.asyncDispose]: close,
  })
}

/** Answers are taken at their word: the server hosts the contract, and the contract is tested (CL4). */
const ask = async <A>(wire: NetworkWire, route: RouteName, call: WireCall = {}): Promise<A> =>
  (await wire.call(route, call)) as A

function makeSessions(wire: NetworkWire, closing: AbortSignal): Sessions {
  const of = <A>(route: RouteName, sessionID: string, call: WireCall = {}): Promise<A> =>
    ask(wire, route, { ...call, path: { sessionID, ...call.path } })
  return {
    create: async ({ model, ...input } = {}) => {
      const ref = model === undefined ? {} : { model: await Effect.runPromise(parseModel(model)) }
      return ask(wire, "sessions.create", { payload: { ...input, ...ref } })
    },
    get: ({ sessionID }) => of("sessions.get", sessionID),
    list: (page = {}) => ask(wire, "sessions.list", { query: { ...page } }),
    active: (page = {}) => ask(wire, "sessions.active", { query: { ...page } }),
    update: ({ sessionID, ...change }) => of("sessions.update", sessionID, { payload: change }),
    delete: ({ sessionID }) => of("sessions.delete", sessionID),
    prompt: async ({ sessionID, images, ...input }) =>
      of("sessions.prompt", sessionID, {
        payload: { ...input, ...(images && { images: encodeImages(images) }) },
      }),
    inbox: ({ sessionID, ...page }) => of("sessions.inbox", sessionID, { query: { ...page } }),
    editPrompt: ({ sessionID, promptID, text }) =>
      of("sessions.editPrompt", sessionID, { path: { promptID }, payload: { text } }),
    cancelPrompt: ({ sessionID, promptID }) => of("sessions.cancelPrompt", sessionID, { path: { promptID } }),
    messages: ({ sessionID, ...page }) => of("sessions.messages", sessionID, { query: { ...page } }),
    message: ({ sessionID, messageID }) => of("sessions.message", sessionID, { path: { messageID } }),
    quarantine: ({ sessionID, messageID }) => of("sessions.quarantine", sessionID, { path: { messageID } }),
    image: ({ sessionID, handle }) => wire.image("sessions.image", { path: { sessionID, handle } }),
    context: ({ sessionID, ...page }) => of("sessions.context", sessionID, { query: { ...page } }),
    request: ({ sessionID }) => of("sessions.request", sessionID),
    events: ({ sessionID, after = 0 }) =>
      followEvents((position, signal) => durableEvents(wire, sessionID, position, signal), {
        after,
        signal: closing,
      }),
    history: ({ sessionID, ...page }) => of("sessions.history", sessionID, { query: { ...page } }),
    turns: ({ sessionID, ...page }) => of("sessions.turns", sessionID, { query: { ...page } }),
    verify: ({ sessionID, ...page }) => of("sessions.verify", sessionID, { query: { ...page } }),
    sentRequest: ({ sessionID, turnID }) => of("sessions.sentRequest", sessionID, { path: { turnID } }),
    switchModel: async ({ sessionID, model }) =>
      of("sessions.switchModel", sessionID, {
        payload: { model: await Effect.runPromise(parseModel(model)) },
      }),
    interrupt: ({ sessionID }) => of("sessions.interrupt", sessionID),
    resume: ({ sessionID }) => of("sessions.resume", sessionID),
    result: ({ sessionID }) => awaitResult(wire, sessionID, closing),
  }
}

/** One stream of durable events, as long as its connection lasts. */
export async function* durableEvents(
  wire: NetworkWire,
  sessionID: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Event> {
  for await (const frame of wire.stream(
    "sessions.events",
    { path: { sessionID }, query: { after } },
    signal,
  )) {
    if (frame.event === "durable") yield JSON.parse(frame.data) as Event
  }
}

/** Live events end with the connection; what was missed is in the durable ones. */
const subscribe = (wire: NetworkWire, closing: AbortSignal): AsyncIterable<LiveEvent | LifecycleEvent> =>
  endable((signal) => liveEvents(wire, signal), closing)

async function* liveEvents(
  wire: NetworkWire,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent | LifecycleEvent> {
  for await (const frame of wire.stream("events.subscribe", {}, signal)) {
    if (frame.event !== "live") continue
    const event = JSON.parse(frame.data) as LiveStreamEvent
    if (event.type === "cut-off") throw new LiveOverrun(event.reason.message)
    yield event
    if (event.type === "disposed") return
  }
  throw new ClientError("transport", "The stream broke off before the server said that it closes.")
}

type ResultAnswer = { readonly state: "running" } | { readonly state: "settled"; readonly result: RunResult }

/** The server waits a while in each answer; a server that is away is asked again. */
async function awaitResult(wire: NetworkWire, sessionID: string, closing: AbortSignal): Promise<RunResult> {
  for (let attempt = 0; ;) {
    try {
      const answer = await ask<ResultAnswer>(wire, "sessions.result", { path: { sessionID } })
      if (answer.state === "settled") return answer.result
      attempt = 0
    } catch (failure) {
      if (closing.aborted || !isLoss(failure) || ++attempt >= followLimits.attemptsMax) throw failure
    }
    // Also after an answer: a server that closes does not wait before it says that the work goes on.
    await pause(defaultWaitMs(Math.max(1, attempt)))
  }
}
