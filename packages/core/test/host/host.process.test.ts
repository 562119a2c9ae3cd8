/** The host on this machine: real SQLite, real HTTP on loopback, real files and processes. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { scripted, textReply } from "../../../provider-sim/src/index.ts"
import { makePlace } from "./place.ts"

test("[TL1] a prompt runs through its tools and is answered", async () => {
  await using place = await makePlace()
  const { result, verified } = await place.use(
    (host) =>
      Effect.gen(function* () {
        const { id } = yield* host.create({ directory: place.project })
        const text = 'Read README.md, run `echo hello`, and create notes.md with "hi".'
        yield* host.prompt({ sessionID: id, text })
        const settled = yield* host.result(id)
        return { result: settled, verified: yield* host.verify(id) }
      }),
    ["write", "bash"],
  )
  expect(result.status).toBe("done")
  expect(result.text).toContain("Greeter")
  expect(result.text).toContain("`echo hello` printed `hello`")
  expect(await readFile(join(place.project, "notes.md"), "utf8")).toBe("hi\n")
  expect(result.turns).toBe(verified.length)
  expect(new Set(verified.map(({ verdict }) => verdict.kind))).toEqual(new Set(["same"]))
})

test("[TL1 PE4] without an allowance what changes something is declined", async () => {
  await using place = await makePlace()
  const text = await place.use((host) =>
    Effect.gen(function* () {
      const { id } = yield* host.create({ directory: place.project, onAsk: "deny" })
      yield* host.prompt({ sessionID: id, text: "Run `touch made`, then read README.md." })
      return (yield* host.result(id)).text
    }),
  )
  expect(text).toContain("Greeter")
  expect(text).toContain("--allow bash")
})

test("[TL1] without an allowance a Session can search, and all requests of it can be proven", async () => {
  const calls = [
    { name: "glob", input: { pattern: "*.md" } },
    { name: "grep", input: { pattern: "greet", ignoreCase: true, output: "counts" } },
    { name: "list", input: {} },
  ].map((call) => ({ type: "tool_use" as const, ...call }))
  const searching = scripted(({ messages }) => {
    const results = (messages.at(-1)?.blocks ?? []).filter((block) => block.type === "tool_result")
    const texts = results.map(({ text }) => text.replace(/^§\d+§ /, ""))
    return results.length === 0 ? { blocks: calls } : textReply(texts.join("\n"))
  })
  await using place = await makePlace(searching)
  const { text, verified } = await place.use((host) =>
    Effect.gen(function* () {
      const { id } = yield* host.create({ directory: place.project })
      yield* host.prompt({ sessionID: id, text: "Where are greetings?" })
      return { text: (yield* host.result(id)).text, verified: yield* host.verify(id) }
    }),
  )
  const left = "[files that may be read only after asking are left out]"
  expect(text).toBe(`README.md\nREADME.md: 2\n${left}\n./\n  README.md`)
  expect(verified.map(({ verdict }) => verdict.kind)).toEqual(["same", "same"])
})

test("a host opened again on the same data carries on, and tells what changed", async () => {
  await using place = await makePlace()
  await place.write("project/AGENTS.md", "Be brief.\n")
  const id = await place.use((host) =>
    Effect.gen(function* () {
      const session = yield* host.create({ directory: place.project })
      yield* host.prompt({ sessionID: session.id, text: "Read README.md." })
      yield* host.result(session.id)
      return session.id
    }),
  )
  await place.write("project/AGENTS.md", "Be very brief.\n")
  const { result, messages, verified } = await place.use((host) =>
    Effect.gen(function* () {
      yield* host.prompt({ sessionID: id, text: "Read README.md once more." })
      return {
        result: yield* host.result(id),
        messages: yield* host.messages(id, { afterSeq: 0, limit: 100, system: true }),
        verified: yield* host.verify(id),
      }
    }),
  )
  expect(result.status).toBe("done")
  const system = messages.filter((message) => message.kind === "system")
  expect(system.map(({ keys }) => keys)).toEqual([["core/instructions"]])
  expect(system[0]?.text).toContain("Be very brief.")
  expect(verified.every(({ verdict }) => verdict.kind === "same")).toBe(true)
})

test("[DR4] a Session whose host closed in the middle of a call is settled by the next, then resumed", async () => {
  await using place = await makePlace()
  const id = await place.use(
    (host) =>
      Effect.gen(function* () {
        const session = yield* host.create({ directory: place.project })
        yield* host.prompt({ sessionID: session.id, text: "Run `sleep 60`." })
        for (let after = 0; ;) {
          const events = yield* host.events(session.id, after, 100, true)
          if (events.some(({ fact }) => fact.type === "call.started")) return session.id
          after = events.at(-1)?.seq ?? after
        }
      }),
    ["bash"],
  )
  const [status, result] = await place.use((host) =>
    Effect.gen(function* () {
      const { status: found } = yield* host.get(id)
      yield* host.resume(id)
      return [found, yield* host.result(id)] as const
    }),
  )
  expect(status).toMatchObject({ state: "interrupted", owing: true })
  expect(result.status).toBe("done")
  expect(result.text).toContain("Outcome unknown")
})

test("the project's file chooses the model of new Sessions, and a bad one refuses them", async () => {
  await using place = await makePlace()
  await place.write("project/holdfast.jsonc", '{ "model": "offline/second" }')
  const create = () => place.use((host) => host.create({ directory: place.project }))
  expect((await create()).model).toEqual({ provider: "offline", model: "second" })
  await place.write("project/holdfast.jsonc", '{\n "providers": {}\n}')
  await expect(create()).rejects.toMatchObject({ _tag: "ConfigurationInvalid", line: 2 })
})

test("a switched model answers from the next turn on; an unknown one is refused", async () => {
  await using place = await makePlace()
  const { result, refused } = await place.use((host) =>
    Effect.gen(function* () {
      const { id } = yield* host.create({ directory: place.project })
      yield* host.switchModel(id, { provider: "offline", model: "second" })
      yield* host.prompt({ sessionID: id, text: "Read README.md." })
      const settled = yield* host.result(id)
      const other = yield* Effect.flip(host.switchModel(id, { provider: "offline", model: "third" }))
      return { result: settled, refused: other }
    }),
  )
  expect(result.model).toEqual({ provider: "offline", model: "second" })
  expect(refused._tag).toBe("ModelNotFound")
})

test("[PG3] the planned request lists its segments in order, with what they came from", async () => {
  await using place = await makePlace()
  const request = await place.use((host) =>
    Effect.gen(function* () {
      const { id } = yield* host.create({ directory: place.project })
      yield* host.prompt({ sessionID: id, text: "Read README.md." })
      yield* host.result(id)
      return yield* host.request(id)
    }),
  )
  expect(request.segments.map(({ name }) => name)).toEqual(["tools", "system", "agent", "tail"])
  for (const { blocks, tokens, source, why } of request.segments) {
    expect(tokens).toBe(blocks.reduce((sum, block) => sum + block.tokens, 0))
    expect(Math.min(tokens, source.length, why.length)).toBeGreaterThan(0)
  }
})

test("a directory that is not there is refused by name", async () => {
  await using place = await makePlace()
  const directory = join(place.project, "nowhere")
  const created = place.use((host) => host.create({ directory }))
  await expect(created).rejects.toMatchObject({ _tag: "LocationMissing", directory })
})
