/** Lies about search by meaning, its worker, and the hint beside a prompt. */
import { contract, type Mutant } from "../mutant.ts"

const embedder = { files: ["packages/core/test/embedding/embedder.test.ts"] }
const encoder = { files: ["packages/core/test/embedding/encoder.test.ts"] }
const distances = { files: ["packages/store/test/search/distances.test.ts"] }
const worker = { files: ["packages/core/test/embedding/worker.process.test.ts"] }
const others = { files: ["packages/core/test/search/others.test.ts"] }
const hint = { files: ["test/session/hint/search-hint.test.ts"] }

export const meaningMutants: readonly Mutant[] = [
  {
    name: "memories-of-other-projects-by-meaning",
    rules: ["SE1"],
    file: "packages/store/src/sqlite/search/nearest-others.ts",
    find: "Number(open?.has(String(key)) ?? true)",
    replace: "Number(key !== open)",
    run: contract("SE1"),
  },
  {
    name: "memories-however-far",
    rules: ["SE1"],
    file: "packages/core/src/search/others.ts",
    find: " && likeness < floor) return []",
    replace: ") return []",
    run: { files: ["packages/core/test/search/others.test.ts"] },
  },
  {
    name: "found-however-far",
    rules: ["SE3"],
    file: "packages/store/src/sqlite/search/find-units.ts",
    find: "  if (best < floor) return []\n",
    replace: "",
    run: contract("SE3"),
  },
  {
    name: "what-says-the-same-ten-times",
    rules: ["SE1"],
    file: "packages/core/src/search/search.ts",
    find: "found.score === 0 && !found.exact ? [",
    replace: "found.score < 0 && !found.exact ? [",
    run: { files: ["packages/core/test/search/search.test.ts"] },
  },
  {
    name: "a-word-alone-finds-what-is-half-as-like",
    rules: ["SE3"],
    file: "packages/store/src/sqlite/search/find-units.ts",
    find: "words < tellingWordsMin ? floor : floor / 2",
    replace: "floor / 2",
    run: contract("SE3"),
  },
  {
    name: "what-nobody-can-read-means-something",
    rules: ["SE2"],
    file: "packages/core/src/embedding/model/encoder.ts",
    find: "return read > 0 && 2 * read >= all",
    replace: "return true",
    run: encoder,
  },
  {
    name: "a-model-without-places",
    rules: ["SE2"],
    file: "packages/core/src/embedding/model/encoder.ts",
    find: "const angle = Math.fround(place * frequency)",
    replace: "const angle = Math.fround(0 * frequency)",
    run: encoder,
  },
  {
    name: "signs-of-the-first-line-alone",
    rules: ["SE3"],
    file: "packages/store/src/sqlite/search/distances.ts",
    find: "...set(left, localValue(lines)),",
    replace: "...set(left, number(1)),",
    run: distances,
  },
  {
    name: "commits-that-stay-for-ever",
    rules: ["SE4"],
    file: "packages/core/src/search/commits.ts",
    find: "filter((hash) => !here.has(hash))",
    replace: "filter((hash) => here.has(hash))",
    run: others,
  },
  {
    name: "any-served-model",
    rules: ["SE2"],
    file: "packages/core/src/embedding/embedder.ts",
    find: "if (served !== model)",
    replace: "if (typeof served !== typeof model)",
    run: embedder,
  },
  {
    name: "a-worker-in-a-loop",
    rules: ["FA1"],
    file: "packages/core/src/embedding/process.ts",
    find: "if (stopped || clock.now() < notBefore) return false",
    replace: "if (stopped) return false",
    run: worker,
  },
  {
    name: "a-worker-that-is-silent-for-ever",
    rules: ["FA1"],
    file: "packages/core/src/embedding/process.ts",
    find: "silent > (idle >= silentBeatsMax ? silentBeatsMax : busyBeatsMax)",
    replace: "silent > 1_000",
    run: worker,
  },
  {
    name: "a-worker-without-a-processor-is-ended",
    rules: ["FA1"],
    file: "packages/core/src/embedding/process.ts",
    find: "idle = now === used ? idle + 1 : 0",
    replace: "idle += 1",
    run: worker,
  },
  {
    name: "a-worker-that-stays-at-a-step",
    rules: ["FA1"],
    file: "packages/core/src/embedding/process.ts",
    find: "stuck > stuckBeatsMax",
    replace: "stuck > 1_000",
    run: worker,
  },
  {
    name: "a-worker-that-waits-for-the-next-need",
    rules: ["FA1"],
    file: "packages/core/src/embedding/process.ts",
    find: "if (isDue) due()",
    replace: "",
    run: worker,
  },
  {
    name: "a-hint-of-what-is-shown",
    rules: ["ND1"],
    file: "packages/core/src/session/hint/search-hint.ts",
    find: "unless: { session, shown: frozen, ",
    replace: "unless: { session, shown: { from: 1_000_000, kept: new Set() }, ",
    run: hint,
  },
  {
    name: "memories-that-the-window-shows",
    rules: ["SE1"],
    file: "packages/core/src/search/others.ts",
    find: "!(root !== null && question.shownMemories.has(id)) && ",
    replace: "",
    run: others,
  },
]
