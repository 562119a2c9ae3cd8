// Made from the contract by `npm run codegen`; changes here are lost.

import { Effect, Stream } from "effect"
import { HttpApiClient } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"
import { type InputOf, partsOf } from "../request-parts.ts"

export const makeEffectClient = Effect.fnUntraced(function* (options?: { readonly baseUrl?: URL | string }) {
  const api = yield* HttpApiClient.make(HoldfastApi, options)
  return {
    health: {
      get: () => api.health.get(),
    },
    sessions: {
      create: (input: InputOf<typeof api.sessions.create, "payload"> = {}) =>
        api.sessions.create(partsOf<typeof api.sessions.create>(input, [], "payload")),
      list: (input: InputOf<typeof api.sessions.list, "query"> = {}) =>
        api.sessions.list(partsOf<typeof api.sessions.list>(input, [], "query")),
      active: (input: InputOf<typeof api.sessions.active, "query"> = {}) =>
        api.sessions.active(partsOf<typeof api.sessions.active>(input, [], "query")),
      get: (input: InputOf<typeof api.sessions.get, "params">) =>
        api.sessions.get(partsOf<typeof api.sessions.get>(input, ["sessionID"], null)),
      update: (input: InputOf<typeof api.sessions.update, "params" | "payload">) =>
        api.sessions.update(partsOf<typeof api.sessions.update>(input, ["sessionID"], "payload")),
      delete: (input: InputOf<typeof api.sessions.delete, "params">) =>
        api.sessions.delete(partsOf<typeof api.sessions.delete>(input, ["sessionID"], null)),
      fork: (input: InputOf<typeof api.sessions.fork, "params" | "payload">) =>
        api.sessions.fork(partsOf<typeof api.sessions.fork>(input, ["sessionID"], "payload")),
      move: (input: InputOf<typeof api.sessions.move, "params" | "payload">) =>
        api.sessions.move(partsOf<typeof api.sessions.move>(input, ["sessionID"], "payload")),
      archive: (input: InputOf<typeof api.sessions.archive, "params" | "payload">) =>
        api.sessions.archive(partsOf<typeof api.sessions.archive>(input, ["sessionID"], "payload")),
      prompt: (input: InputOf<typeof api.sessions.prompt, "params" | "payload">) =>
        api.sessions.prompt(partsOf<typeof api.sessions.prompt>(input, ["sessionID"], "payload")),
      inbox: (input: InputOf<typeof api.sessions.inbox, "params" | "query">) =>
        api.sessions.inbox(partsOf<typeof api.sessions.inbox>(input, ["sessionID"], "query")),
      edit: (input: InputOf<typeof api.sessions.edit, "params" | "payload">) =>
        api.sessions.edit(partsOf<typeof api.sessions.edit>(input, ["sessionID", "promptID"], "payload")),
      cancel: (input: InputOf<typeof api.sessions.cancel, "params">) =>
        api.sessions.cancel(partsOf<typeof api.sessions.cancel>(input, ["sessionID", "promptID"], null)),
      interrupt: (input: InputOf<typeof api.sessions.interrupt, "params">) =>
        api.sessions.interrupt(partsOf<typeof api.sessions.interrupt>(input, ["sessionID"], null)),
      resume: (input: InputOf<typeof api.sessions.resume, "params">) =>
        api.sessions.resume(partsOf<typeof api.sessions.resume>(input, ["sessionID"], null)),
      model: (input: InputOf<typeof api.sessions.model, "params">) =>
        api.sessions.model(partsOf<typeof api.sessions.model>(input, ["sessionID"], null)),
      switchModel: (input: InputOf<typeof api.sessions.switchModel, "params" | "payload">) =>
        api.sessions.switchModel(partsOf<typeof api.sessions.switchModel>(input, ["sessionID"], "payload")),
      switchAgent: (input: InputOf<typeof api.sessions.switchAgent, "params" | "payload">) =>
        api.sessions.switchAgent(partsOf<typeof api.sessions.switchAgent>(input, ["sessionID"], "payload")),
      wait: (input: InputOf<typeof api.sessions.wait, "params">) =>
        api.sessions.wait(partsOf<typeof api.sessions.wait>(input, ["sessionID"], null)),
      messages: (input: InputOf<typeof api.sessions.messages, "params" | "query">) =>
        api.sessions.messages(partsOf<typeof api.sessions.messages>(input, ["sessionID"], "query")),
      message: (input: InputOf<typeof api.sessions.message, "params">) =>
        api.sessions.message(partsOf<typeof api.sessions.message>(input, ["sessionID", "messageID"], null)),
      quarantine: (input: InputOf<typeof api.sessions.quarantine, "params">) =>
        api.sessions.quarantine(
          partsOf<typeof api.sessions.quarantine>(input, ["sessionID", "messageID"], null),
        ),
      fold: (input: InputOf<typeof api.sessions.fold, "params">) =>
        api.sessions.fold(partsOf<typeof api.sessions.fold>(input, ["sessionID"], null)),
      probe: (input: InputOf<typeof api.sessions.probe, "params" | "payload">) =>
        api.sessions.probe(partsOf<typeof api.sessions.probe>(input, ["sessionID"], "payload")),
      image: (input: InputOf<typeof api.sessions.image, "params">) =>
        api.sessions.image(partsOf<typeof api.sessions.image>(input, ["sessionID", "handle"], null)),
      context: (input: InputOf<typeof api.sessions.context, "params" | "query">) =>
        api.sessions.context(partsOf<typeof api.sessions.context>(input, ["sessionID"], "query")),
      request: (input: InputOf<typeof api.sessions.request, "params">) =>
        api.sessions.request(partsOf<typeof api.sessions.request>(input, ["sessionID"], null)),
      events: (input: InputOf<typeof api.sessions.events, "params" | "query">) =>
        Stream.map(
          Stream.unwrap(
            api.sessions.events(partsOf<typeof api.sessions.events>(input, ["sessionID"], "query", {})),
          ),
          (event) => event.data,
        ),
      history: (input: InputOf<typeof api.sessions.history, "params" | "query">) =>
        api.sessions.history(partsOf<typeof api.sessions.history>(input, ["sessionID"], "query")),
      turns: (input: InputOf<typeof api.sessions.turns, "params" | "query">) =>
        api.sessions.turns(partsOf<typeof api.sessions.turns>(input, ["sessionID"], "query")),
      verify: (input: InputOf<typeof api.sessions.verify, "params" | "query">) =>
        api.sessions.verify(partsOf<typeof api.sessions.verify>(input, ["sessionID"], "query")),
      sentRequest: (input: InputOf<typeof api.sessions.sentRequest, "params">) =>
        api.sessions.sentRequest(
          partsOf<typeof api.sessions.sentRequest>(input, ["sessionID", "turnID"], null),
        ),
    },
    events: {
      subscribe: (input: InputOf<typeof api.events.subscribe, "query"> = {}) =>
        Stream.map(
          Stream.unwrap(api.events.subscribe(partsOf<typeof api.events.subscribe>(input, [], "query"))),
          (event) => event.data,
        ),
    },
    models: {
      get: (input: InputOf<typeof api.models.get, "query"> = {}) =>
        api.models.get(partsOf<typeof api.models.get>(input, [], "query")),
      list: (input: InputOf<typeof api.models.list, "query"> = {}) =>
        api.models.list(partsOf<typeof api.models.list>(input, [], "query")),
    },
    ptys: {
      create: (input: InputOf<typeof api.ptys.create, "payload"> = {}) =>
        api.ptys.create(partsOf<typeof api.ptys.create>(input, [], "payload")),
      list: (input: InputOf<typeof api.ptys.list, "query"> = {}) =>
        api.ptys.list(partsOf<typeof api.ptys.list>(input, [], "query")),
      get: (input: InputOf<typeof api.ptys.get, "params">) =>
        api.ptys.get(partsOf<typeof api.ptys.get>(input, ["ptyID"], null)),
      resize: (input: InputOf<typeof api.ptys.resize, "params" | "payload">) =>
        api.ptys.resize(partsOf<typeof api.ptys.resize>(input, ["ptyID"], "payload")),
      write: (input: InputOf<typeof api.ptys.write, "params" | "payload">) =>
        api.ptys.write(partsOf<typeof api.ptys.write>(input, ["ptyID"], "payload")),
      attach: (input: InputOf<typeof api.ptys.attach, "params" | "query">) =>
        Stream.map(
          Stream.unwrap(api.ptys.attach(partsOf<typeof api.ptys.attach>(input, ["ptyID"], "query"))),
          (event) => event.data,
        ),
      close: (input: InputOf<typeof api.ptys.close, "params">) =>
        api.ptys.close(partsOf<typeof api.ptys.close>(input, ["ptyID"], null)),
      ticket: (input: InputOf<typeof api.ptys.ticket, "params">) =>
        api.ptys.ticket(partsOf<typeof api.ptys.ticket>(input, ["ptyID"], null)),
    },
    locations: {
      open: (input: InputOf<typeof api.locations.open, "payload">) =>
        api.locations.open(partsOf<typeof api.locations.open>(input, [], "payload")),
      list: (input: InputOf<typeof api.locations.list, "query"> = {}) =>
        api.locations.list(partsOf<typeof api.locations.list>(input, [], "query")),
      get: (input: InputOf<typeof api.locations.get, "query"> = {}) =>
        api.locations.get(partsOf<typeof api.locations.get>(input, [], "query")),
    },
    providers: {
      list: (input: InputOf<typeof api.providers.list, "query"> = {}) =>
        api.providers.list(partsOf<typeof api.providers.list>(input, [], "query")),
    },
    files: {
      list: (input: InputOf<typeof api.files.list, "query"> = {}) =>
        api.files.list(partsOf<typeof api.files.list>(input, [], "query")),
      read: (input: InputOf<typeof api.files.read, "query">) =>
        api.files.read(partsOf<typeof api.files.read>(input, [], "query")),
      find: (input: InputOf<typeof api.files.find, "query"> = {}) =>
        api.files.find(partsOf<typeof api.files.find>(input, [], "query")),
    },
    config: {
      get: (input: InputOf<typeof api.config.get, "query"> = {}) =>
        api.config.get(partsOf<typeof api.config.get>(input, [], "query")),
    },
  }
})

export type HoldfastEffectClient = Effect.Success<ReturnType<typeof makeEffectClient>>
