/**
 * Handlers of `sessions`: the contract's names on the runtime's. They add transport, no behaviour.
 *
 * What changes something runs to its end even if the caller hangs up: a prompt that was admitted
 * is also woken (PR5).
 */
import { Effect, Option } from "effect"
import type { Locations } from "@holdfast/core/caller/locations"
import type { Cursors } from "@holdfast/core/page/cursor"
import { makeLists } from "@holdfast/core/page/lists"
import { openTail } from "@holdfast/core/events/tail"
import { drainWaitMs } from "@holdfast/protocol/groups/sessions"
import type { SendPromptInput } from "@holdfast/protocol/input"
import { byteStream, durableStream } from "../event-stream.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { imageAnswer } from "../image-answer.ts"
import { modelNamed } from "../model-name.ts"
import { groupRoutes, toTheEnd } from "../group-routes.ts"

export interface SessionsSettings {
  /** CO3: where a Session may work. */
  readonly locations: Locations
  /** Aborted when the server closes: streams and waits end. */
  readonly closing: AbortSignal
}

export const sessionsHandlers = (runtime: HostedRuntime, cursors: Cursors, settings: SessionsSettings) => {
  const lists = makeLists(runtime, cursors)
  return groupRoutes("sessions", {
    create: {
      options: toTheEnd,
      handler: Effect.fnUntraced(function* ({ payload: { model, directory: named, ...given } }) {
        const ref = model === undefined ? {} : { model: yield* modelNamed(model) }
        const { directory } = yield* settings.locations.at(named)
        return yield* runtime.create({ ...given, ...ref, directory })
      }),
    },
    update: {
      options: toTheEnd,
      handler: ({ params, payload }) => runtime.update(params.sessionID, payload),
    },
    delete: { options: toTheEnd, handler: ({ params }) => runtime.remove(params.sessionID) },
    fork: {
      options: toTheEnd,
      handler: ({ params, payload }) => runtime.fork({ ...params, ...payload }),
    },
    export: ({ params, query }) =>
      Effect.map(runtime.exportSession({ ...params, ...query }), (bytes) => byteStream(bytes)),
    import: {
      options: toTheEnd,
      handler: Effect.fnUntraced(function* ({ payload: { directory: named, ...piece } }) {
        const place =
          named === undefined ? {} : { directory: (yield* settings.locations.at(named)).directory }
        return yield* runtime.importPiece({ ...piece, ...place })
      }),
    },
    move: {
      options: toTheEnd,
      handler: ({ params, payload }) =>
        Effect.flatMap(settings.locations.at(payload.directory), ({ directory }) =>
          runtime.move(params.sessionID, directory),
        ),
    },
    archive: {
      options: toTheEnd,
      handler: ({ params, payload }) => runtime.archive(params.sessionID, payload.archived),
    },
    prompt: {
      options: toTheEnd,
      handler: ({ params: { sessionID }, payload: { images, ...prompt } }) =>
        runtime.prompt({ ...prompt, sessionID, ...(images && { images: images.map(givenImage) }) }),
    },
    edit: {
      options: toTheEnd,
      handler: ({ params, payload }) => runtime.edit(params.sessionID, params.promptID, payload.text),
    },
    cancel: {
      options: toTheEnd,
      handler: ({ params }) => runtime.cancel(params.sessionID, params.promptID),
    },
    interrupt: { options: toTheEnd, handler: ({ params }) => runtime.interrupt(params.sessionID) },
    resume: {
      options: toTheEnd,
      handler: ({ params }) => Effect.map(runtime.resume(params.sessionID), (asks) => ({ asks })),
    },
    switchModel: {
      options: toTheEnd,
      handler: ({ params, payload }) =>
        Effect.flatMap(modelNamed(payload.model), (ref) => runtime.switchModel(params.sessionID, ref)),
    },
    switchAgent: {
      options: toTheEnd,
      handler: ({ params, payload }) => runtime.switchAgent(params.sessionID, payload.agent),
    },
    quarantine: {
      options: toTheEnd,
      handler: ({ params }) => runtime.quarantine(params.sessionID, params.messageID),
    },
    fold: { options: toTheEnd, handler: ({ params }) => runtime.fold(params.sessionID) },
    flush: { options: toTheEnd, handler: ({ params }) => runtime.flush(params.sessionID) },
    rebuild: {
      options: toTheEnd,
      handler: ({ params, payload }) => runtime.rebuild(params.sessionID, payload),
    },
    // Not to its end: whoever hangs up does not want to pay for it.
    probe: ({ params, payload }) => runtime.probe(params.sessionID, payload.without),
    get: ({ params }) => runtime.get(params.sessionID),
    model: ({ params }) => runtime.answering(params.sessionID),
    wait: ({ params }) =>
      Effect.timeoutOption(runtime.result(params.sessionID), drainWaitMs).pipe(
        Effect.map(
          Option.match({
            onNone: () => ({ state: "running" }) as const,
            onSome: (result) => ({ state: "settled", result }) as const,
          }),
        ),
        Effect.raceFirst(Effect.as(closed(settings.closing), { state: "running" } as const)),
      ),
    request: ({ params, query }) => runtime.request(params.sessionID, query),
    message: ({ params }) => runtime.message(params.sessionID, params.messageID),
    image: ({ params, request }) =>
      Effect.map(runtime.image(params.sessionID, params.handle), (image) =>
        imageAnswer(image, request.headers["if-none-match"]),
      ),
    list: ({ query }) => lists.sessions(query),
    active: ({ query }) => lists.active(query),
    messages: ({ params, query }) => lists.messages(params.sessionID, query),
    context: ({ params, query }) => lists.context(params.sessionID, query),
    inbox: ({ params, query }) => lists.inbox(params.sessionID, query),
    history: ({ params, query }) => lists.history(params.sessionID, query),
    turns: ({ params, query }) => lists.turns(params.sessionID, query),
    verify: ({ params, query }) => lists.verify(params.sessionID, query),
    receipts: ({ params, query }) => lists.receipts(params.sessionID, query),
    sentRequest: ({ params }) => runtime.sentRequest(params.sessionID, params.turnID),
    events: Effect.fnUntraced(function* ({ params, query, headers }) {
      const after = headers["last-event-id"] ?? query.after ?? 0
      const tail = yield* openTail(runtime, params.sessionID, after)
      return durableStream(tail, settings.closing)
    }),
  })
}

const givenImage = ({ data, name }: NonNullable<SendPromptInput["images"]>[number]) => ({
  bytes: data,
  name: name ?? null,
})

const closed = (closing: AbortSignal): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (closing.aborted) return resume(Effect.void)
    const done = () => resume(Effect.void)
    closing.addEventListener("abort", done, { once: true })
    return Effect.sync(() => closing.removeEventListener("abort", done))
  })
