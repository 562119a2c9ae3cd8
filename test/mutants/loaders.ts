/** Lies about loaders of sources: how long one may take, and who is charged for it. */
import { type Mutant, tests } from "./mutant.ts"

const observation = tests("packages/core/test/context/observation.test.ts")

export const loaderMutants: readonly Mutant[] = [
  {
    name: "a loader that held the event loop is believed",
    rules: ["SC4"],
    file: "packages/core/src/context/observation.ts",
    find: "? overLimit : answer",
    replace: "? answer : answer",
    run: observation,
  },
  {
    name: "a loader that waited first may hold the event loop",
    rules: ["SC4"],
    file: "packages/core/src/context/observation.ts",
    find: "const sinceMs = nowMs - Math.max(startedMs, loop.seenMs)",
    replace: "const sinceMs = loop.seenMs > startedMs ? 0 : nowMs - startedMs",
    run: observation,
  },
  {
    name: "every loader is charged for the one that held the event loop",
    rules: ["SC4"],
    file: "packages/core/src/context/observation.ts",
    find: "if (sinceMs > latenessMs) loop.seenMs = nowMs",
    replace: "",
    run: observation,
  },
  {
    name: "a late timer judges loaders at once",
    rules: ["SC4"],
    file: "packages/core/src/context/observation.ts",
    find: "const extensionsMax = 3",
    replace: "const extensionsMax = 0",
    run: observation,
  },
]
