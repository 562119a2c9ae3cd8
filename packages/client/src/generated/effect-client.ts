// Made from the contract by `npm run codegen`; changes here are lost.

import { Effect, Stream } from "effect"
import { HttpApiClient } from "effect/http-api"
import { HoldfastApi } from "@holdfast/protocol/api"
import { type InputOf, partsOf, told } from "../effect-request.ts"

export const makeEffectClient = Effect.fnUntraced(function* (options?: { readonly baseUrl?: URL | string }) {
  const api = yield* HttpApiClient.make(HoldfastApi, options)
  const { groups } = HoldfastApi
  return {
    health: {
      get: () => told(groups.health.endpoints.get, {}, api.health.get()),
    },
    sessions: {
      create: (input: InputOf<typeof api.sessions.create, "payload"> = {}) =>
        told(
          groups.sessions.endpoints.create,
          input,
          api.sessions.create(partsOf<typeof api.sessions.create>(groups.sessions.endpoints.create, input)),
        ),
      list: (input: InputOf<typeof api.sessions.list, "query"> = {}) =>
        told(
          groups.sessions.endpoints.list,
          input,
          api.sessions.list(partsOf<typeof api.sessions.list>(groups.sessions.endpoints.list, input)),
        ),
      active: (input: InputOf<typeof api.sessions.active, "query"> = {}) =>
        told(
          groups.sessions.endpoints.active,
          input,
          api.sessions.active(partsOf<typeof api.sessions.active>(groups.sessions.endpoints.active, input)),
        ),
      get: (input: InputOf<typeof api.sessions.get, "params">) =>
        told(
          groups.sessions.endpoints.get,
          input,
          api.sessions.get(partsOf<typeof api.sessions.get>(groups.sessions.endpoints.get, input)),
        ),
      update: (input: InputOf<typeof api.sessions.update, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.update,
          input,
          api.sessions.update(partsOf<typeof api.sessions.update>(groups.sessions.endpoints.update, input)),
        ),
      delete: (input: InputOf<typeof api.sessions.delete, "params">) =>
        told(
          groups.sessions.endpoints.delete,
          input,
          api.sessions.delete(partsOf<typeof api.sessions.delete>(groups.sessions.endpoints.delete, input)),
        ),
      fork: (input: InputOf<typeof api.sessions.fork, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.fork,
          input,
          api.sessions.fork(partsOf<typeof api.sessions.fork>(groups.sessions.endpoints.fork, input)),
        ),
      export: (input: InputOf<typeof api.sessions.export, "params" | "query">) =>
        told(
          groups.sessions.endpoints.export,
          input,
          api.sessions.export(partsOf<typeof api.sessions.export>(groups.sessions.endpoints.export, input)),
        ),
      import: (input: InputOf<typeof api.sessions.import, "payload">) =>
        told(
          groups.sessions.endpoints.import,
          input,
          api.sessions.import(partsOf<typeof api.sessions.import>(groups.sessions.endpoints.import, input)),
        ),
      move: (input: InputOf<typeof api.sessions.move, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.move,
          input,
          api.sessions.move(partsOf<typeof api.sessions.move>(groups.sessions.endpoints.move, input)),
        ),
      archive: (input: InputOf<typeof api.sessions.archive, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.archive,
          input,
          api.sessions.archive(
            partsOf<typeof api.sessions.archive>(groups.sessions.endpoints.archive, input),
          ),
        ),
      prompt: (input: InputOf<typeof api.sessions.prompt, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.prompt,
          input,
          api.sessions.prompt(partsOf<typeof api.sessions.prompt>(groups.sessions.endpoints.prompt, input)),
        ),
      inbox: (input: InputOf<typeof api.sessions.inbox, "params" | "query">) =>
        told(
          groups.sessions.endpoints.inbox,
          input,
          api.sessions.inbox(partsOf<typeof api.sessions.inbox>(groups.sessions.endpoints.inbox, input)),
        ),
      edit: (input: InputOf<typeof api.sessions.edit, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.edit,
          input,
          api.sessions.edit(partsOf<typeof api.sessions.edit>(groups.sessions.endpoints.edit, input)),
        ),
      cancel: (input: InputOf<typeof api.sessions.cancel, "params">) =>
        told(
          groups.sessions.endpoints.cancel,
          input,
          api.sessions.cancel(partsOf<typeof api.sessions.cancel>(groups.sessions.endpoints.cancel, input)),
        ),
      interrupt: (input: InputOf<typeof api.sessions.interrupt, "params">) =>
        told(
          groups.sessions.endpoints.interrupt,
          input,
          api.sessions.interrupt(
            partsOf<typeof api.sessions.interrupt>(groups.sessions.endpoints.interrupt, input),
          ),
        ),
      resume: (input: InputOf<typeof api.sessions.resume, "params">) =>
        told(
          groups.sessions.endpoints.resume,
          input,
          api.sessions.resume(partsOf<typeof api.sessions.resume>(groups.sessions.endpoints.resume, input)),
        ),
      model: (input: InputOf<typeof api.sessions.model, "params">) =>
        told(
          groups.sessions.endpoints.model,
          input,
          api.sessions.model(partsOf<typeof api.sessions.model>(groups.sessions.endpoints.model, input)),
        ),
      switchModel: (input: InputOf<typeof api.sessions.switchModel, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.switchModel,
          input,
          api.sessions.switchModel(
            partsOf<typeof api.sessions.switchModel>(groups.sessions.endpoints.switchModel, input),
          ),
        ),
      switchAgent: (input: InputOf<typeof api.sessions.switchAgent, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.switchAgent,
          input,
          api.sessions.switchAgent(
            partsOf<typeof api.sessions.switchAgent>(groups.sessions.endpoints.switchAgent, input),
          ),
        ),
      wait: (input: InputOf<typeof api.sessions.wait, "params">) =>
        told(
          groups.sessions.endpoints.wait,
          input,
          api.sessions.wait(partsOf<typeof api.sessions.wait>(groups.sessions.endpoints.wait, input)),
        ),
      messages: (input: InputOf<typeof api.sessions.messages, "params" | "query">) =>
        told(
          groups.sessions.endpoints.messages,
          input,
          api.sessions.messages(
            partsOf<typeof api.sessions.messages>(groups.sessions.endpoints.messages, input),
          ),
        ),
      message: (input: InputOf<typeof api.sessions.message, "params">) =>
        told(
          groups.sessions.endpoints.message,
          input,
          api.sessions.message(
            partsOf<typeof api.sessions.message>(groups.sessions.endpoints.message, input),
          ),
        ),
      quarantine: (input: InputOf<typeof api.sessions.quarantine, "params">) =>
        told(
          groups.sessions.endpoints.quarantine,
          input,
          api.sessions.quarantine(
            partsOf<typeof api.sessions.quarantine>(groups.sessions.endpoints.quarantine, input),
          ),
        ),
      fold: (input: InputOf<typeof api.sessions.fold, "params">) =>
        told(
          groups.sessions.endpoints.fold,
          input,
          api.sessions.fold(partsOf<typeof api.sessions.fold>(groups.sessions.endpoints.fold, input)),
        ),
      flush: (input: InputOf<typeof api.sessions.flush, "params">) =>
        told(
          groups.sessions.endpoints.flush,
          input,
          api.sessions.flush(partsOf<typeof api.sessions.flush>(groups.sessions.endpoints.flush, input)),
        ),
      rebuild: (input: InputOf<typeof api.sessions.rebuild, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.rebuild,
          input,
          api.sessions.rebuild(
            partsOf<typeof api.sessions.rebuild>(groups.sessions.endpoints.rebuild, input),
          ),
        ),
      receipts: (input: InputOf<typeof api.sessions.receipts, "params" | "query">) =>
        told(
          groups.sessions.endpoints.receipts,
          input,
          api.sessions.receipts(
            partsOf<typeof api.sessions.receipts>(groups.sessions.endpoints.receipts, input),
          ),
        ),
      probe: (input: InputOf<typeof api.sessions.probe, "params" | "payload">) =>
        told(
          groups.sessions.endpoints.probe,
          input,
          api.sessions.probe(partsOf<typeof api.sessions.probe>(groups.sessions.endpoints.probe, input)),
        ),
      image: (input: InputOf<typeof api.sessions.image, "params">) =>
        told(
          groups.sessions.endpoints.image,
          input,
          api.sessions.image(partsOf<typeof api.sessions.image>(groups.sessions.endpoints.image, input)),
        ),
      context: (input: InputOf<typeof api.sessions.context, "params" | "query">) =>
        told(
          groups.sessions.endpoints.context,
          input,
          api.sessions.context(
            partsOf<typeof api.sessions.context>(groups.sessions.endpoints.context, input),
          ),
        ),
      request: (input: InputOf<typeof api.sessions.request, "params" | "query">) =>
        told(
          groups.sessions.endpoints.request,
          input,
          api.sessions.request(
            partsOf<typeof api.sessions.request>(groups.sessions.endpoints.request, input),
          ),
        ),
      events: (input: InputOf<typeof api.sessions.events, "params" | "query">) =>
        Stream.map(
          Stream.unwrap(
            told(
              groups.sessions.endpoints.events,
              input,
              api.sessions.events(
                partsOf<typeof api.sessions.events>(groups.sessions.endpoints.events, input),
              ),
            ),
          ),
          (event) => event.data,
        ),
      history: (input: InputOf<typeof api.sessions.history, "params" | "query">) =>
        told(
          groups.sessions.endpoints.history,
          input,
          api.sessions.history(
            partsOf<typeof api.sessions.history>(groups.sessions.endpoints.history, input),
          ),
        ),
      turns: (input: InputOf<typeof api.sessions.turns, "params" | "query">) =>
        told(
          groups.sessions.endpoints.turns,
          input,
          api.sessions.turns(partsOf<typeof api.sessions.turns>(groups.sessions.endpoints.turns, input)),
        ),
      verify: (input: InputOf<typeof api.sessions.verify, "params" | "query">) =>
        told(
          groups.sessions.endpoints.verify,
          input,
          api.sessions.verify(partsOf<typeof api.sessions.verify>(groups.sessions.endpoints.verify, input)),
        ),
      sentRequest: (input: InputOf<typeof api.sessions.sentRequest, "params">) =>
        told(
          groups.sessions.endpoints.sentRequest,
          input,
          api.sessions.sentRequest(
            partsOf<typeof api.sessions.sentRequest>(groups.sessions.endpoints.sentRequest, input),
          ),
        ),
    },
    asks: {
      list: (input: InputOf<typeof api.asks.list, "query"> = {}) =>
        told(
          groups.asks.endpoints.list,
          input,
          api.asks.list(partsOf<typeof api.asks.list>(groups.asks.endpoints.list, input)),
        ),
      answer: (input: InputOf<typeof api.asks.answer, "params" | "payload">) =>
        told(
          groups.asks.endpoints.answer,
          input,
          api.asks.answer(partsOf<typeof api.asks.answer>(groups.asks.endpoints.answer, input)),
        ),
    },
    events: {
      subscribe: (input: InputOf<typeof api.events.subscribe, "query"> = {}) =>
        Stream.map(
          Stream.unwrap(
            told(
              groups.events.endpoints.subscribe,
              input,
              api.events.subscribe(
                partsOf<typeof api.events.subscribe>(groups.events.endpoints.subscribe, input),
              ),
            ),
          ),
          (event) => event.data,
        ),
    },
    models: {
      get: (input: InputOf<typeof api.models.get, "query"> = {}) =>
        told(
          groups.models.endpoints.get,
          input,
          api.models.get(partsOf<typeof api.models.get>(groups.models.endpoints.get, input)),
        ),
      list: (input: InputOf<typeof api.models.list, "query"> = {}) =>
        told(
          groups.models.endpoints.list,
          input,
          api.models.list(partsOf<typeof api.models.list>(groups.models.endpoints.list, input)),
        ),
    },
    ptys: {
      create: (input: InputOf<typeof api.ptys.create, "payload"> = {}) =>
        told(
          groups.ptys.endpoints.create,
          input,
          api.ptys.create(partsOf<typeof api.ptys.create>(groups.ptys.endpoints.create, input)),
        ),
      list: (input: InputOf<typeof api.ptys.list, "query"> = {}) =>
        told(
          groups.ptys.endpoints.list,
          input,
          api.ptys.list(partsOf<typeof api.ptys.list>(groups.ptys.endpoints.list, input)),
        ),
      get: (input: InputOf<typeof api.ptys.get, "params">) =>
        told(
          groups.ptys.endpoints.get,
          input,
          api.ptys.get(partsOf<typeof api.ptys.get>(groups.ptys.endpoints.get, input)),
        ),
      resize: (input: InputOf<typeof api.ptys.resize, "params" | "payload">) =>
        told(
          groups.ptys.endpoints.resize,
          input,
          api.ptys.resize(partsOf<typeof api.ptys.resize>(groups.ptys.endpoints.resize, input)),
        ),
      write: (input: InputOf<typeof api.ptys.write, "params" | "payload">) =>
        told(
          groups.ptys.endpoints.write,
          input,
          api.ptys.write(partsOf<typeof api.ptys.write>(groups.ptys.endpoints.write, input)),
        ),
      attach: (input: InputOf<typeof api.ptys.attach, "params" | "query">) =>
        Stream.map(
          Stream.unwrap(
            told(
              groups.ptys.endpoints.attach,
              input,
              api.ptys.attach(partsOf<typeof api.ptys.attach>(groups.ptys.endpoints.attach, input)),
            ),
          ),
          (event) => event.data,
        ),
      close: (input: InputOf<typeof api.ptys.close, "params">) =>
        told(
          groups.ptys.endpoints.close,
          input,
          api.ptys.close(partsOf<typeof api.ptys.close>(groups.ptys.endpoints.close, input)),
        ),
      ticket: (input: InputOf<typeof api.ptys.ticket, "params">) =>
        told(
          groups.ptys.endpoints.ticket,
          input,
          api.ptys.ticket(partsOf<typeof api.ptys.ticket>(groups.ptys.endpoints.ticket, input)),
        ),
    },
    locations: {
      open: (input: InputOf<typeof api.locations.open, "payload">) =>
        told(
          groups.locations.endpoints.open,
          input,
          api.locations.open(partsOf<typeof api.locations.open>(groups.locations.endpoints.open, input)),
        ),
      list: (input: InputOf<typeof api.locations.list, "query"> = {}) =>
        told(
          groups.locations.endpoints.list,
          input,
          api.locations.list(partsOf<typeof api.locations.list>(groups.locations.endpoints.list, input)),
        ),
      get: (input: InputOf<typeof api.locations.get, "query"> = {}) =>
        told(
          groups.locations.endpoints.get,
          input,
          api.locations.get(partsOf<typeof api.locations.get>(groups.locations.endpoints.get, input)),
        ),
    },
    providers: {
      list: (input: InputOf<typeof api.providers.list, "query"> = {}) =>
        told(
          groups.providers.endpoints.list,
          input,
          api.providers.list(partsOf<typeof api.providers.list>(groups.providers.endpoints.list, input)),
        ),
    },
    files: {
      list: (input: InputOf<typeof api.files.list, "query"> = {}) =>
        told(
          groups.files.endpoints.list,
          input,
          api.files.list(partsOf<typeof api.files.list>(groups.files.endpoints.list, input)),
        ),
      read: (input: InputOf<typeof api.files.read, "query">) =>
        told(
          groups.files.endpoints.read,
          input,
          api.files.read(partsOf<typeof api.files.read>(groups.files.endpoints.read, input)),
        ),
      find: (input: InputOf<typeof api.files.find, "query"> = {}) =>
        told(
          groups.files.endpoints.find,
          input,
          api.files.find(partsOf<typeof api.files.find>(groups.files.endpoints.find, input)),
        ),
    },
    searches: {
      find: (input: InputOf<typeof api.searches.find, "payload">) =>
        told(
          groups.searches.endpoints.find,
          input,
          api.searches.find(partsOf<typeof api.searches.find>(groups.searches.endpoints.find, input)),
        ),
      embed: (input: InputOf<typeof api.searches.embed, "payload"> = {}) =>
        told(
          groups.searches.endpoints.embed,
          input,
          api.searches.embed(partsOf<typeof api.searches.embed>(groups.searches.endpoints.embed, input)),
        ),
    },
    dreams: {
      run: (input: InputOf<typeof api.dreams.run, "payload"> = {}) =>
        told(
          groups.dreams.endpoints.run,
          input,
          api.dreams.run(partsOf<typeof api.dreams.run>(groups.dreams.endpoints.run, input)),
        ),
      list: (input: InputOf<typeof api.dreams.list, "query"> = {}) =>
        told(
          groups.dreams.endpoints.list,
          input,
          api.dreams.list(partsOf<typeof api.dreams.list>(groups.dreams.endpoints.list, input)),
        ),
      get: (input: InputOf<typeof api.dreams.get, "params" | "query">) =>
        told(
          groups.dreams.endpoints.get,
          input,
          api.dreams.get(partsOf<typeof api.dreams.get>(groups.dreams.endpoints.get, input)),
        ),
      revert: (input: InputOf<typeof api.dreams.revert, "params" | "payload">) =>
        told(
          groups.dreams.endpoints.revert,
          input,
          api.dreams.revert(partsOf<typeof api.dreams.revert>(groups.dreams.endpoints.revert, input)),
        ),
    },
    config: {
      get: (input: InputOf<typeof api.config.get, "query"> = {}) =>
        told(
          groups.config.endpoints.get,
          input,
          api.config.get(partsOf<typeof api.config.get>(groups.config.endpoints.get, input)),
        ),
    },
    memories: {
      list: (input: InputOf<typeof api.memories.list, "query"> = {}) =>
        told(
          groups.memories.endpoints.list,
          input,
          api.memories.list(partsOf<typeof api.memories.list>(groups.memories.endpoints.list, input)),
        ),
      get: (input: InputOf<typeof api.memories.get, "params" | "query">) =>
        told(
          groups.memories.endpoints.get,
          input,
          api.memories.get(partsOf<typeof api.memories.get>(groups.memories.endpoints.get, input)),
        ),
      write: (input: InputOf<typeof api.memories.write, "payload">) =>
        told(
          groups.memories.endpoints.write,
          input,
          api.memories.write(partsOf<typeof api.memories.write>(groups.memories.endpoints.write, input)),
        ),
      update: (input: InputOf<typeof api.memories.update, "params" | "payload">) =>
        told(
          groups.memories.endpoints.update,
          input,
          api.memories.update(partsOf<typeof api.memories.update>(groups.memories.endpoints.update, input)),
        ),
      archive: (input: InputOf<typeof api.memories.archive, "params" | "payload">) =>
        told(
          groups.memories.endpoints.archive,
          input,
          api.memories.archive(
            partsOf<typeof api.memories.archive>(groups.memories.endpoints.archive, input),
          ),
        ),
      restore: (input: InputOf<typeof api.memories.restore, "params" | "payload">) =>
        told(
          groups.memories.endpoints.restore,
          input,
          api.memories.restore(
            partsOf<typeof api.memories.restore>(groups.memories.endpoints.restore, input),
          ),
        ),
      merge: (input: InputOf<typeof api.memories.merge, "payload">) =>
        told(
          groups.memories.endpoints.merge,
          input,
          api.memories.merge(partsOf<typeof api.memories.merge>(groups.memories.endpoints.merge, input)),
        ),
      project: (input: InputOf<typeof api.memories.project, "query"> = {}) =>
        told(
          groups.memories.endpoints.project,
          input,
          api.memories.project(
            partsOf<typeof api.memories.project>(groups.memories.endpoints.project, input),
          ),
        ),
      share: (input: InputOf<typeof api.memories.share, "payload">) =>
        told(
          groups.memories.endpoints.share,
          input,
          api.memories.share(partsOf<typeof api.memories.share>(groups.memories.endpoints.share, input)),
        ),
    },
    notes: {
      list: (input: InputOf<typeof api.notes.list, "query"> = {}) =>
        told(
          groups.notes.endpoints.list,
          input,
          api.notes.list(partsOf<typeof api.notes.list>(groups.notes.endpoints.list, input)),
        ),
      write: (input: InputOf<typeof api.notes.write, "payload">) =>
        told(
          groups.notes.endpoints.write,
          input,
          api.notes.write(partsOf<typeof api.notes.write>(groups.notes.endpoints.write, input)),
        ),
      update: (input: InputOf<typeof api.notes.update, "params" | "payload">) =>
        told(
          groups.notes.endpoints.update,
          input,
          api.notes.update(partsOf<typeof api.notes.update>(groups.notes.endpoints.update, input)),
        ),
      dismiss: (input: InputOf<typeof api.notes.dismiss, "params" | "payload">) =>
        told(
          groups.notes.endpoints.dismiss,
          input,
          api.notes.dismiss(partsOf<typeof api.notes.dismiss>(groups.notes.endpoints.dismiss, input)),
        ),
    },
    workspaces: {
      list: () => told(groups.workspaces.endpoints.list, {}, api.workspaces.list()),
      create: (input: InputOf<typeof api.workspaces.create, "payload">) =>
        told(
          groups.workspaces.endpoints.create,
          input,
          api.workspaces.create(
            partsOf<typeof api.workspaces.create>(groups.workspaces.endpoints.create, input),
          ),
        ),
      share: (input: InputOf<typeof api.workspaces.share, "params" | "payload">) =>
        told(
          groups.workspaces.endpoints.share,
          input,
          api.workspaces.share(
            partsOf<typeof api.workspaces.share>(groups.workspaces.endpoints.share, input),
          ),
        ),
      add: (input: InputOf<typeof api.workspaces.add, "params" | "payload">) =>
        told(
          groups.workspaces.endpoints.add,
          input,
          api.workspaces.add(partsOf<typeof api.workspaces.add>(groups.workspaces.endpoints.add, input)),
        ),
      remove: (input: InputOf<typeof api.workspaces.remove, "params" | "payload">) =>
        told(
          groups.workspaces.endpoints.remove,
          input,
          api.workspaces.remove(
            partsOf<typeof api.workspaces.remove>(groups.workspaces.endpoints.remove, input),
          ),
        ),
      delete: (input: InputOf<typeof api.workspaces.delete, "params">) =>
        told(
          groups.workspaces.endpoints.delete,
          input,
          api.workspaces.delete(
            partsOf<typeof api.workspaces.delete>(groups.workspaces.endpoints.delete, input),
          ),
        ),
    },
  }
})

export type HoldfastEffectClient = Effect.Success<ReturnType<typeof makeEffectClient>>
