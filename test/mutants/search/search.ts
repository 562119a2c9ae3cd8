/** Lies about search. */
import type { Mutant } from "../mutant.ts"

const contract = { files: ["packages/store/test/contract.test.ts"] }
const rank = { files: ["packages/recall/test/search/rank.test.ts"] }
const tool = { files: ["test/session/builtin/search.test.ts"] }

export const searchMutants: readonly Mutant[] = [
  {
    name: "search-indexes-nothing-new",
    rules: ["SE2"],
    file: "packages/store/src/sqlite/project.ts",
    find: "if (problem === null) indexUnits(connection, session, event)",
    replace: "if (problem !== null) indexUnits(connection, session, event)",
    run: contract,
  },
  {
    name: "search-any-project",
    rules: ["SE1"],
    file: "packages/store/src/sqlite/search/find-units.ts",
    find: "AND (?2 IS NULL OR ?2 = (SELECT",
    replace: "AND (1 OR ?2 = (SELECT",
    run: contract,
  },
  {
    name: "search-finds-jobs",
    rules: ["SE1"],
    file: "packages/store/src/sqlite/search/find-units.ts",
    find: "kind IN ('primary', 'child')",
    replace: "kind IN ('primary', 'child', 'job')",
    run: contract,
  },
  {
    name: "search-finds-what-was-taken-out",
    rules: ["SE1"],
    file: "packages/store/src/sqlite/search/find-units.ts",
    find: "WHERE quarantine.session = unit.session AND",
    replace: "WHERE quarantine.session = -unit.session AND",
    run: contract,
  },
  {
    name: "search-shows-the-window",
    rules: ["SE1"],
    file: "packages/core/src/session/effects/session-history.ts",
    find: "const unless = { session: asking, fromSeq: frozen.from, ",
    replace: "const unless = { session: asking, fromSeq: frozen.from + 1_000_000, ",
    run: tool,
  },
  {
    name: "search-learns-from-itself",
    rules: ["MM2"],
    file: "packages/store/src/sqlite/search/units.ts",
    find: 'const recallPrefix = "context_"',
    replace: 'const recallPrefix = "context-"',
    run: tool,
  },
  {
    name: "expand-any-project",
    rules: ["SE1"],
    file: "packages/core/src/session/effects/session-history.ts",
    find: "if (row === null || row.location.projectRoot !== loaded.state.summary.location.projectRoot) return null",
    replace: "if (row === null) return null",
    run: tool,
  },
  {
    name: "search-exact-by-worth",
    rules: ["SE1"],
    file: "packages/recall/src/search/rank.ts",
    find: ".toSorted((a, b) => Number(b.found.exact) - Number(a.found.exact) || b.worth - a.worth)",
    replace: ".toSorted((a, b) => b.worth - a.worth)",
    run: rank,
  },
  {
    name: "search-forgets-what-follows",
    rules: ["SE1"],
    file: "packages/recall/src/search/rank.ts",
    find: "add(one.unit, one.after, after)",
    replace: "add(one.unit, one.after, 0 * after)",
    run: rank,
  },
  {
    name: "search-shows-the-most-repeated-word",
    rules: ["SE1"],
    file: "packages/recall/src/search/snippet.ts",
    find: "held.size * snippetCharactersMax + at - first",
    replace: "at - first + 1",
    run: rank,
  },
  {
    name: "search-leaves-out-what-was-dropped",
    rules: ["TG4"],
    file: "packages/store/src/sqlite/search/find-units.ts",
    find: " && unless.dropped?.has(seq) !== true",
    replace: "",
    run: tool,
  },
  {
    name: "search-takes-all-for-dropped",
    rules: ["SE1"],
    file: "packages/recall/src/reduce/units.ts",
    find: "some(({ dropped, image }) => dropped && image === undefined)",
    replace: "some(({ tag }) => tag > 0)",
    run: tool,
  },
]
