/** `sessions` on the host of this process: effects become Promises, nothing else is added. */
import { resolve } from "node:path"
import { Effect } from "effect"
import type { Host } from "@holdfast/core/host/index"
import { makeCursors } from "@holdfast/core/page/cursor"
import { makeLists } from "@holdfast/core/page/lists"
import { InvalidRequest } from "@holdfast/schema/error"
import { pageSizeMax } from "@holdfast/schema/page"
import { parseModel } from "../model-name.ts"
import type { PageInput, PromptImage, Sessions } from "../sessions.ts"
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
    list: (page = {}) => run(Effect.flatMap(checked(page), lists.sessions)),
    active: (page = {}) => run(Effect.flatMap(checked(page), lists.active)),
    delete: ({ sessionID }) => run(host.remove(sessionID)),
    prompt: ({ images, ...input }) =>
      run(host.prompt({ ...input, ...(images && { images: named(images) }) })),
    inbox: ({ sessionID, ...page }) =>
      run(Effect.flatMap(checked(page), (query) => lists.inbox(sessionID, query))),
    editPrompt: ({ sessionID, promptID, text }) => run(host.edit(sessionID, promptID, text)),
    cancelPrompt: ({ sessionID, promptID }) => run(host.cancel(sessionID, promptID)),
    messages: ({ sessionID, ...page }) =>
      run(Effect.flatMap(checked(page), (query) => lists.messages(sessionID, query))),
    message: ({ sessionID, messageID }) => run(host.message(sessionID, messageID)),
    quarantine: ({ sessionID, messageID }) => run(host.quarantine(sessionID, messageID)),
    image: ({ sessionID, handle }) => run(host.image(sessionID, handle)),
    context: ({ sessionID, ...page }) =>
      run(Effect.flatMap(checked(page), (query) => lists.context(sessionID, query))),
    request: ({ sessionID }) => run(host.request(sessionID)),
    events: ({ sessionID, after = 0 }) => tailEvents(host, sessionID, after, closing),
    history: ({ sessionID, ...page }) =>
      run(Effect.flatMap(checked(page), (query) => lists.history(sessionID, query))),
    turns: ({ sessionID, ...page }) =>
      run(Effect.flatMap(checked(page), (query) => lists.turns(sessionID, query))),
    verify: ({ sessionID, ...page }) =>
      run(Effect.flatMap(checked(page), (query) => lists.verify(sessionID, query))),
    sentRequest: ({ sessionID, turnID }) => run(host.sentRequest(sessionID, turnID)),
    switchModel: ({ sessionID, model }) =>
      run(Effect.flatMap(parseModel(model), (ref) => host.switchModel(sessionID, ref))),
    interrupt: ({ sessionID }) => run(host.interrupt(sessionID)),
    resume: ({ sessionID }) => run(host.resume(sessionID)),
    result: ({ sessionID }) => run(host.result(sessionID)),
  }
}

const named = (images: readonly PromptImage[]) => images.map(({ bytes, name = null }) => ({ bytes, name }))

/** What the codecs of the contract would refuse is refused here as well. */
function checked<Input extends PageInput & { readonly after?: number }>(
  page: Input,
): Effect.Effect<Input, InvalidRequest> {
  const given = Object.entries(page).filter(([, value]) => value !== undefined)
  const { limit = 1, after = 0, cursor } = page
  if (cursor !== undefined && given.length > 1)
    return refused("A list goes on with its cursor alone, without limit or anything else.")
  if (!Number.isInteger(limit) || limit < 1 || limit > pageSizeMax)
    return refused(`A limit is a whole number from 1 to ${pageSizeMax}.`)
  if (!Number.isInteger(after) || after < 0) return refused("A sequence is a whole number from 0 on.")
  return Effect.succeed(Object.fromEntries(given) as Input)
}

const refused = (message: string): Effect.Effect<never, InvalidRequest> =>
  Effect.fail(new InvalidRequest({ part: "query", message }))
