/** `sessions` on the host of this process: effects become Promises, nothing else is added. */
import { resolve } from "node:path"
import { Effect } from "effect"
import type { Host } from "@holdfast/core/host/index"
import { makeCursors } from "@holdfast/core/page/cursor"
import { makeLists } from "@holdfast/core/page/lists"
import { parseModel } from "../model-name.ts"
import type { PromptImage, Sessions } from "../sessions.ts"
import { tailEvents } from "./durable-events.ts"

/** Whoever can read this process's cursors is in this process: their key need not be secret. */
const cursorSecret = "embedded"

export interface SessionsSettings {
  readonly defaultDirectory: string
  readonly closing: AbortSignal
}

export function makeSessions(host: Host, { defaultDirectory, closing }: SessionsSettings): Sessions {
  const run = Effect.runPromise
  const lists = makeLists(host, makeCursors(cursorSecret))
  return {
    create: ({ model, directory = ".", ...rest } = {}) => {
      const input = { ...rest, directory: resolve(defaultDirectory, directory) }
      return run(
        model === undefined
          ? host.create(input)
          : Effect.flatMap(parseModel(model), (ref) => host.create({ ...input, model: ref })),
      )
    },
    get: ({ sessionID }) => run(host.get(sessionID)),
    list: (page = {}) => run(lists.sessions(page)),
    active: (page = {}) => run(lists.active(page)),
    update: ({ sessionID, ...change }) => run(host.update(sessionID, change)),
    delete: ({ sessionID }) => run(host.remove(sessionID)),
    prompt: ({ images, ...input }) =>
      run(host.prompt({ ...input, ...(images && { images: named(images) }) })),
    inbox: ({ sessionID, ...page }) => run(lists.inbox(sessionID, page)),
    editPrompt: ({ sessionID, promptID, text }) => run(host.edit(sessionID, promptID, text)),
    cancelPrompt: ({ sessionID, promptID }) => run(host.cancel(sessionID, promptID)),
    messages: ({ sessionID, ...page }) => run(lists.messages(sessionID, page)),
    message: ({ sessionID, messageID }) => run(host.message(sessionID, messageID)),
    quarantine: ({ sessionID, messageID }) => run(host.quarantine(sessionID, messageID)),
    fold: ({ sessionID }) => run(host.fold(sessionID)),
    probe: ({ sessionID, without }) => run(host.probe(sessionID, without)),
    image: ({ sessionID, handle }) => run(host.image(sessionID, handle)),
    context: ({ sessionID, ...page }) => run(lists.context(sessionID, page)),
    request: ({ sessionID }) => run(host.request(sessionID)),
    events: ({ sessionID, after = 0 }) => tailEvents(host, sessionID, after, closing),
    history: ({ sessionID, ...page }) => run(lists.history(sessionID, page)),
    turns: ({ sessionID, ...page }) => run(lists.turns(sessionID, page)),
    verify: ({ sessionID, ...page }) => run(lists.verify(sessionID, page)),
    sentRequest: ({ sessionID, turnID }) => run(host.sentRequest(sessionID, turnID)),
    model: ({ sessionID }) => run(host.answering(sessionID)),
    switchModel: ({ sessionID, model }) =>
      run(Effect.flatMap(parseModel(model), (ref) => host.switchModel(sessionID, ref))),
    interrupt: ({ sessionID }) => run(host.interrupt(sessionID)),
    resume: ({ sessionID }) => run(host.resume(sessionID)),
    result: ({ sessionID }) => run(host.result(sessionID)),
  }
}

const named = (images: readonly PromptImage[]) => images.map(({ bytes, name = null }) => ({ bytes, name }))
