/** Contract of Locations that are known: opened by somebody, or the place of a Session (CO3). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LocationList } from "../../src/port.ts"
import { create, sessionId } from "../records.ts"
import type { OpenStore } from "./subject.ts"

const at = (directory: string, projectRoot = directory) => ({ directory, projectRoot })
const open = (directory: string, projectRoot?: string) =>
  ({ kind: "open-location", location: at(directory, projectRoot) }) as const

export function locationsContract(opened: OpenStore): void {
  it.effect("[CO3] a Location is known once it was opened, and opening it again changes nothing", () =>
    Effect.gen(function* () {
      const store = yield* opened
      expect(yield* store.location("/srv/a")).toBeNull()
      expect(yield* store.commit(open("/srv/a"))).toEqual({ kind: "opened" })
      expect(yield* store.commit(open("/srv/a"))).toEqual({ kind: "opened" })
      expect(yield* store.location("/srv/a")).toEqual(at("/srv/a"))
      expect(yield* store.locations({ limit: 9 })).toEqual([at("/srv/a")])
    }),
  )
  it.effect("[CO3] a Location belongs to the project that was found last", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* store.commit(open("/srv/a/b"))
      yield* store.commit(open("/srv/a/b", "/srv/a"))
      expect(yield* store.location("/srv/a/b")).toEqual(at("/srv/a/b", "/srv/a"))
    }),
  )
  it.effect("[CO3] the Location of a Session is known, also when the Session is gone", () =>
    Effect.gen(function* () {
      const store = yield* opened
      yield* store.commit(create(1))
      const known = at("/srv/here", "/work")
      expect(yield* store.location("/srv/here")).toEqual(known)
      yield* store.commit({ kind: "delete-session", session: sessionId(1) })
      yield* store.rebuild()
      expect(yield* store.locations({ limit: 9 })).toEqual([known])
    }),
  )
  it.effect("lists Locations by the bytes of their directory, from both sides of a place", () =>
    Effect.gen(function* () {
      const store = yield* opened
      // In UTF-16 the last two stand the other way round.
      const inOrder = ["/a", "/a/b", "/b", "/\uffee", "/\u{1f4a5}"]
      for (const directory of inOrder.toReversed()) yield* store.commit(open(directory))
      const list = (asked: LocationList) =>
        Effect.map(store.locations(asked), (found) => found.map(({ directory }) => directory))
      expect(yield* list({ limit: 9 })).toEqual(inOrder)
      expect(yield* list({ after: "/a/b", limit: 2 })).toEqual(inOrder.slice(2, 4))
      expect(yield* list({ before: "/\uffee", limit: 2 })).toEqual(inOrder.slice(1, 3))
    }),
  )
  it.effect("[PR1] tells nobody of a Session when a Location is opened", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const heard: unknown[] = []
      const stop = store.onCommitted((...told) => heard.push(told))
      yield* store.commit(open("/srv/a"))
      stop()
      expect(heard).toEqual([])
    }),
  )
}
