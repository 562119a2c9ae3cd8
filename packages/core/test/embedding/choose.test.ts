/** Which embedding model a project has, and that its file sends nothing to where the user did not (SE3). */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { SearchSettings } from "../../src/config/settings.ts"
import { readProjectFile } from "../../src/config/decode.ts"
import { embeddingFor } from "../../src/embedding/choose.ts"
import { type EmbedderChoice, embedderModel, openEmbedders } from "../../src/embedding/embedder.ts"
import { openInlineStore } from "@holdfast/store/inline-store"
import { embedHistory, makeMeaning } from "../../src/embedding/embedding.ts"

const small = { provider: "own", model: "small" }
const large = { provider: "own", model: "large" }
type Asked = SearchSettings["embedding"]

test.each<[string, SearchSettings | null, Asked, Asked]>([
  ["nobody says anything", null, undefined, "local"],
  ["a project switches it off", null, "off", "off"],
  ["a project keeps it on this machine", { embedding: small }, "local", "local"],
  ["a project takes the model of the user", { embedding: small }, small, small],
  ["a project takes one that the user allows", { projectModels: [small] }, small, small],
  ["a project asks for an address that the user did not name", null, small, "local"],
  [
    "a project asks for another model of that provider",
    { embedding: small, projectModels: [] },
    large,
    small,
  ],
  ["the user switched it off", { embedding: "off", projectModels: [small] }, small, "off"],
  [
    "the user switched it off, and the project asks for what stays here",
    { embedding: "off" },
    "local",
    "off",
  ],
])("[SE3] %s", (_, user, asked, held) =>
  expect(embeddingFor(user, asked === undefined ? null : { embedding: asked })).toEqual(held),
)

test("[SE3] the file of a project chooses a model, and says nothing else about search", () => {
  const read = (search: object) => readProjectFile("/p/holdfast.jsonc", JSON.stringify({ search }))
  expect(read({ embedding: "own/small" }).settings.search).toEqual({ embedding: small })
  for (const more of [{ projectModels: ["evil/model"] }, { hint: false }]) {
    const { settings, fields } = read({ embedding: "local", ...more })
    expect([settings.search, fields.document.faults.length]).toEqual([null, 1])
  }
})

test("[SE3] each model is opened with its first use, once, and one that is not chosen never", async () => {
  const opened: string[] = []
  const endpoint: EmbedderChoice = {
    kind: "endpoint",
    url: "https://own.example/v1",
    model: "small",
    key: null,
  }
  const of = openEmbedders([{ kind: "local" }, endpoint], async (choice) => {
    opened.push(choice.kind)
    return { embed: async () => [] }
  })
  expect(opened).toEqual([])
  await Promise.all([of(embedderModel(endpoint)), of(embedderModel(endpoint))])
  expect(opened).toEqual(["endpoint"])
  expect(of("somebody's")).toBe(null)
})

test("[SE3] history is embedded, and a question asked, by the model of its project", async () => {
  const asked: unknown[] = []
  const questions: string[] = []
  const models: Readonly<Record<string, string>> = { "/a": "m", "/b": "n" }
  const store = {
    commit: ({ kind, of, model }: Record<string, unknown>) =>
      Effect.sync(() => (asked.push([kind, of, model]), { sessions: 1 })),
    roots: () => Effect.succeed([...Object.keys(models), "/off"]),
    embeddingProgress: () => Effect.succeed({ done: 1, due: 2 }),
    hasVectors: () => Effect.succeed(true),
  } as never
  const port = {
    worker: {
      due: () => {},
      question: async (model: string) => (questions.push(model), Float32Array.of(1)),
    },
    modelOf: (root: string | null) => Effect.succeed(root === null ? "m" : (models[root] ?? null)),
    trouble: () => null,
  } as never
  const state = await Effect.runPromise(embedHistory(store, port, { projectRoot: null }, () => Effect.void))
  expect(state).toEqual({ model: "m, n", sessions: 2, done: 2, due: 4, trouble: null })
  expect(asked).toEqual([
    ["ask-embedding", { projectRoot: "/a" }, "m"],
    ["ask-embedding", { projectRoot: "/b" }, "n"],
  ])
  const meaning = makeMeaning(store, port)
  for (const root of ["/b", "/off", null]) await Effect.runPromise(meaning("x", root))
  expect(questions).toEqual(["n", "m"])
})

test("[SE3] a project that has memories and no Session is embedded too, and a store without any names its model", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-embedding-"))
  const port = {
    worker: { due: () => {} },
    modelOf: () => Effect.succeed("m"),
    chunkCharacters: 1_000,
    trouble: () => null,
  } as never
  const found = Effect.gen(function* () {
    const store = yield* openInlineStore({ file: join(folder, "store.db") })
    const embed = embedHistory(store, port, { projectRoot: null }, () => Effect.void)
    const none = yield* embed
    yield* store.commit({
      kind: "change-memory",
      project: { root: "/a", origin: null },
      time: 1,
      changes: [
        {
          change: "write",
          category: "NAMING",
          text: "Use tabs.",
          source: { by: "person", session: null, messages: [] },
          expiresAt: null,
          supersedes: [],
        },
      ],
    })
    const some = yield* embed
    yield* store.close()
    return [none, some]
  })
  expect(await Effect.runPromise(found)).toMatchObject([
    { model: "m", due: 0 },
    { model: "m", due: 1 },
  ])
  rmSync(folder, { recursive: true })
})
