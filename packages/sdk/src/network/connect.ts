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
import type { DurableStreamEvent } from "@holdfast/schema/event"
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
import { makeChannel, type Channel, type ChannelCall } from "./channel.ts"

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
  const channel = makeChannel({
    url: options.url,
    token: options.token,
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    closing: closing.signal,
  })
  const close = async (): Promise<void> => closing.abort()
  return checkedCalls({
    sessions: makeSessions(channel, closing.signal),
    events: { subscribe: () => subscribe(channel, closing.signal) },
    models: {
      get: async ({ model } = {}) => {
        if (model !== undefined) await Effect.runPromise(parseModel(model))
        return ask(channel, "models.get", { query: { model } })
      },
    },
    health: { get: () => ask(channel, "health.get") },
    close,
    [Symbol.asyncDispose]: close,
  })
}

/** Answers are taken at their word: the server hosts the contract, and the contract is tested (CL4). */
const ask = async <A>(channel: Channel, route: RouteName, call: ChannelCall = {}): Promise<A> =>
  (await channel.call(route, call)) as A

function makeSessions(channel: Channel, closing: AbortSignal): Sessions {
  const of = <A>(route: RouteName, sessionID: string, call: ChannelCall = {}): Promise<A> =>
    ask(channel, route, { ...call, path: { sessionID, ...call.path } })
  return {
    create: async ({ model, ...input } = {}) => {
      const ref = model === undefined ? {} : { model: await Effect.runPromise(parseModel(model)) }
      return ask(channel, "sessions.create", { payload: { ...input, ...ref } })
    },
    get: ({ sessionID }) => of("sessions.get", sessionID),
    list: (page = {}) => ask(channel, "sessions.list", { query: { ...page } }),
    active: (page = {}) => ask(channel, "sessions.active", { query: { ...page } }),
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
    fold: ({ sessionID }) => of("sessions.fold", sessionID),
    probe: ({ sessionID, without }) => of("sessions.probe", sessionID, { payload: { without } }),
    image: ({ sessionID, handle }) => channel.image("sessions.image", { path: { sessionID, handle } }),
    context: ({ sessionID, ...page }) => of("sessions.context", sessionID, { query: { ...page } }),
    request: ({ sessionID }) => of("sessions.request", sessionID),
    events: ({ sessionID, after = 0 }) =>
      followEvents((position, signal) => durableEvents(channel, sessionID, position, signal), {
        after,
        signal: closing,
      }),
    history: ({ sessionID, ...page }) => of("sessions.history", sessionID, { query: { ...page } }),
    turns: ({ sessionID, ...page }) => of("sessions.turns", sessionID, { query: { ...page } }),
    verify: ({ sessionID, ...page }) => of("sessions.verify", sessionID, { query: { ...page } }),
    sentRequest: ({ sessionID, turnID }) => of("sessions.sentRequest", sessionID, { path: { turnID } }),
    model: ({ sessionID }) => of("sessions.model", sessionID),
    switchModel: async ({ sessionID, model }) =>
      of("sessions.switchModel", sessionID, {
        payload: { model: await Effect.runPromise(parseModel(model)) },
      }),
    interrupt: ({ sessionID }) => of("sessions.interrupt", sessionID),
    resume: ({ sessionID }) => of("sessions.resume", sessionID),
    result: ({ sessionID }) => awaitResult(channel, sessionID, closing),
  }
}

/** One stream of durable events, as long as its connection lasts. */
export async function* durableEvents(
  channel: Channel,
  sessionID: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<DurableStreamEvent> {
  for await (const frame of channel.stream(
    "sessions.events",
    { path: { sessionID }, query: { after } },
    signal,
  )) {
    if (frame.event === "durable") yield JSON.parse(frame.data) as DurableStreamEvent
  }
}

/** Live events end with the connection; what was missed is in the durable ones. */
const subscribe = (channel: Channel, closing: AbortSignal): AsyncIterable<LiveEvent | LifecycleEvent> =>
  endable((signal) => liveEvents(channel, signal), closing)

async function* liveEvents(
  channel: Channel,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent | LifecycleEvent> {
  for await (const frame of channel.stream("events.subscribe", {}, signal)) {
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
async function awaitResult(channel: Channel, sessionID: string, closing: AbortSignal): Promise<RunResult> {
  for (let attempt = 0; ;) {
    try {
      const answer = await ask<ResultAnswer>(channel, "sessions.result", { path: { sessionID } })
      if (answer.state === "settled") return answer.result
      attempt = 0
    } catch (failure) {
      if (closing.aborted || !isLoss(failure) || ++attempt >= followLimits.attemptsMax) throw failure
    }
    // Also after an answer: a server that closes does not wait before it says that the work goes on.
    await pause(defaultWaitMs(Math.max(1, attempt)))
  }
}
