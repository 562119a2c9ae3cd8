/** What a project's file sets is read for each turn, in a real host (DR2, CF1). */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { makePlace } from "./place.ts"

test("[DR2 CF1 PS5 TG5] a changed file of the project holds from the next turn on, over the user's", async () => {
  await using place = await makePlace()
  const set = (recall: object) =>
    Effect.promise(() => place.write("project/holdfast.jsonc", JSON.stringify({ recall })))
  await place.use((host) =>
    Effect.gen(function* () {
      const { id } = yield* host.create({ directory: place.project })
      const turn = Effect.fnUntraced(function* (text: string) {
        yield* host.prompt({ sessionID: id, text })
        yield* host.settled(id)
        const [last] = (yield* host.turns(id)).slice(-1)
        const sent = yield* host.sentRequest(id, last?.started.turn ?? "")
        const { tools } = JSON.parse(sent.body ?? "") as { tools: readonly { name: string }[] }
        const { recall } = yield* host.request(id)
        return {
          reduces: tools.some(({ name }) => name === "context_reduce"),
          threshold: recall?.threshold,
        }
      })
      expect(yield* turn("Hello")).toEqual({ reduces: true, threshold: 0.75 })
      yield* set({ threshold: 0.5, textCompression: true })
      expect(yield* turn("And now?")).toEqual({ reduces: false, threshold: 0.5 })
      const { recall } = yield* host.configuration(place.project)
      expect(recall).toMatchObject({
        value: { threshold: 0.5, docs: ["ARCHITECTURE.md", "STRUCTURE.md"], textCompression: true },
        from: { kind: "project" },
      })
      yield* set({})
      expect(yield* turn("Once more")).toEqual({ reduces: true, threshold: 0.75 })
    }),
  )
})
