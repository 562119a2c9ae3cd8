/** Lies about whose model embeds what (SE3). */
import { type Mutant, tests } from "../mutant.ts"

const choose = tests("packages/core/test/embedding/choose.test.ts")

export const embeddingMutants: readonly Mutant[] = [
  {
    name: "all projects are those with a Session",
    rules: ["SE3"],
    file: "packages/store/src/sqlite/memory/places.ts",
    find: "location UNION SELECT root FROM project ORDER BY",
    replace: "location ORDER BY",
    run: choose,
  },
  {
    name: "a project sends what is said wherever it likes",
    rules: ["SE3"],
    file: "packages/core/src/embedding/choose.ts",
    find: 'typeof asked === "string" || isAllowed(user, asked) ? asked : own',
    replace: "asked",
    run: choose,
  },
  {
    name: "a project switches on what the user switched off",
    rules: ["SE3"],
    file: "packages/core/src/embedding/choose.ts",
    find: 'own === "off" || ',
    replace: "",
    run: choose,
  },
  {
    name: "a project allows itself a model",
    rules: ["SE3"],
    file: "packages/core/src/config/setting/values.ts",
    find: '[...said.byKey.keys()].some((key) => key !== "embedding")',
    replace: "said.byKey.size === 0",
    run: choose,
  },
  {
    name: "a question by the model of the user",
    rules: ["SE3"],
    file: "packages/core/src/embedding/embedding.ts",
    find: "const model = yield* modelOf(projectRoot)",
    replace: "const model = yield* modelOf(null)",
    run: choose,
  },
  {
    name: "a-worker-ends-with-a-model",
    rules: ["SE2"],
    file: "packages/core/src/embedding/queue.ts",
    find: " && (yield* store.namedLease(name))?.token !== token",
    replace: "",
    run: tests("packages/core/test/embedding/queue.test.ts"),
  },
  {
    name: "a-worker-without-a-beat",
    rules: ["SE2"],
    file: "packages/core/src/embedding/queue.ts",
    find: '    yield* store.commit({ kind: "renew-named", name, token })\n',
    replace: "",
    run: tests("packages/core/test/embedding/queue.test.ts"),
  },
  {
    name: "a long Session is embedded in part",
    rules: ["SE2"],
    file: "packages/store/src/sqlite/search/vectors.ts",
    find: "rows.length < stepUnits ? due.through",
    replace: "rows.length <= stepUnits ? due.through",
    run: { files: ["packages/store/test/contract.test.ts"], title: "one step follows with the next" },
  },
  {
    name: "a worker that has nothing to do is ended",
    rules: ["FA1"],
    file: "packages/core/src/embedding/process.ts",
    find: "stuck = message.embeds && message.steps === steps",
    replace: "stuck = message.steps === steps",
    run: tests("packages/core/test/embedding/worker.process.test.ts"),
  },
]
