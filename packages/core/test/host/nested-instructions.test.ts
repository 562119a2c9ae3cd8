/** Instructions of a directory come with the first read in it, stay, and go with a move (IN3, EP16). */
import { mkdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import type { Host } from "../../src/host/index.ts"
import { makePlace } from "./place.ts"

const ask = Effect.fnUntraced(function* (host: Host, sessionID: SessionId, text: string) {
  yield* host.prompt({ sessionID, text })
  return yield* host.result(sessionID)
})

const told = Effect.fnUntraced(function* (host: Host, sessionID: SessionId) {
  const events = yield* host.events(sessionID, 0, 1_000, false)
  return events.flatMap(({ fact }) =>
    fact.type === "context.updated" ? [fact.text] : fact.type === "epoch.started" ? [fact.baseline] : [],
  )
})

test("[IN3 EP16] a read below a directory with instructions admits them once, for as long as the Session stays", async () => {
  await using place = await makePlace()
  await place.write("project/.git/HEAD", "")
  await place.write("project/web/x.md", "Text.")
  await place.write("project/web/AGENTS.md", "Web rules.")
  const id = await place.use((host) =>
    Effect.gen(function* () {
      const session = yield* host.create({ directory: place.project })
      yield* ask(host, session.id, "Read README.md.")
      expect((yield* told(host, session.id)).join()).not.toContain("Web rules.")
      yield* ask(host, session.id, "Read web/x.md.")
      return session.id
    }),
  )
  const elsewhere = join(dirname(place.project), "elsewhere")
  await mkdir(elsewhere)
  await place.use((host) =>
    Effect.gen(function* () {
      yield* ask(host, id, "Read README.md.")
      const [baseline, ...updates] = yield* told(host, id)
      expect(baseline).not.toContain("Web rules.")
      expect(updates).toEqual([expect.stringContaining("web/AGENTS.md\n\nWeb rules.") as string])
      yield* host.move(id, elsewhere)
      yield* ask(host, id, "Hello.")
      const after = yield* told(host, id)
      expect(after).toHaveLength(3)
      expect(after.at(-1)).not.toContain("Web rules.")
      yield* host.move(id, place.project)
      yield* ask(host, id, "Hello.")
      expect((yield* told(host, id)).at(-1)).not.toContain("Web rules.")
      const verified = yield* host.verify(id)
      expect(new Set(verified.map(({ verdict }) => verdict.kind))).toEqual(new Set(["same"]))
    }),
  )
})
